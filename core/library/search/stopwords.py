"""Words of questions that say nothing about what is looked for, in English and Korean."""

from __future__ import annotations

from typing import Final

from core.text.tokenizing import STOP_WORDS

_ENGLISH = (
    "a an as at am be by do go he hi if in is it me my no of oh ok on or so to up us we i "
    "about after again against almost along already always among anything anyone because before below between both "
    "could during each either else ever every few further get gets getting give given going hence here however "
    "instead itself let like may maybe me might mine must myself need needs neither never nor off often once onto "
    "our ours out over own per perhaps please quite rather really same say says see seem seems several shall she him "
    "her his since some someone something somewhere still such tell than that themselves there these this those "
    "though through thus together toward under until upon use used uses using via want wants was well were whatever "
    "whether which whichever while whom whose why within without yet yours yourself s t d ll re ve m don doesn isn "
    "aren wasn didn won"
)
_KOREAN = (
    "어떻게 어떤 무엇 무엇을 무엇이 무엇인가 무엇인가요 뭐 뭔가 뭔가요 뭐가 왜 어디 어디에 어디서 어디에서 "
    "어디인가요 언제 누가 누구 얼마나 몇 어느 때 때는 때의 것 것은 것이 것을 수 수는 수가 등 및 또는 또 더 좀 "
    "잘 이 그 저 이런 그런 있나 있나요 있는가 있는지 있을까 있다 있는 있을 있게 없나 없나요 없다 없는 없을 "
    "하나 하나요 하는가 하는지 할까 한다 하면 하는 하려면 해야 했을 했나 되나 되나요 되는가 되는지 된다 되면 "
    "되는 될까 인가 인가요 일까 이란 란 무슨 어째서 대한 대해 대해서 관한 위한 위해 통해 따라 그리고 그러나 "
    "하지만 그래서 때문에 있습니다 없습니다 합니다 입니다 됩니다 했습니다 에서 으로 에게 나요 까요 인지 은 는 "
    "가 을 를 의 에 로 와 과 도 만 알려 알려줘 알려주세요 주세요"
)

STOP: Final = STOP_WORDS | frozenset(_ENGLISH.split()) | frozenset(_KOREAN.split())
"""Left out of a query that has other words."""
