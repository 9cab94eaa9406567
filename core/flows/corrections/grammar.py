"""The closed classes of English words by which norms are told from orders of the moment. Grammar, not topics."""

from __future__ import annotations

from typing import Final


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


OPENERS: Final = _set(
    "no nope nah hey oh ok okay yes yeah yep also and but so well hmm ugh please pls actually again btw look wait "
    "sorry thanks remember note fyi plus then"
)
"""Interjections and conjunctions before what is said."""
THIRD: Final = _set(
    "it it's this that that's these those they they're he she there there's the a an my your our its their his her "
    "some each every all both what which who where when why how because since if as although while i'm you're we're "
    "i've we've you've i'll we'll you'll i'd we'd is are was were did does do can could would will should might may "
    "has have had let's lets maybe perhaps not"
)
"""Words that begin no imperative: subjects, articles, question words, conjunctions, auxiliaries."""
MODALS: Final = _set("should must shall need ought have supposed mustn't shouldn't")
PAST: Final = _set(
    "seen saw had got gotten was were been did done went gone made came knew known thought found gave given took taken "
    "said told wrote written began begun broke broken felt kept left lost met paid sent shown stood understood"
)
AUXILIARIES: Final = _set("is are was were has have had do does can could will would should must")
DESCRIBED: Final = _set("it this that there they he she if whether")
"""Subjects and conjunctions before a modal that tell what is so, and direct nobody."""
STATES: Final = _set(
    "have need want are is can could will would should might may must know think see get got mean guess hope believe "
    "like love hate understand expect seem still already just only also really actually now currently all both were "
    "was had did do don't didn't haven't can't couldn't won't wouldn't shouldn't aren't weren't"
)
"""What follows `we` and tells no habit: auxiliaries, verbs of state, adverbs of the moment."""
MENTAL: Final = _set("worry bother forget mind know think care understand see get believe want need have be")
POINTING: Final = _set(
    "this that these those it them him her now yet today tonight tomorrow first just already still currently anymore "
    "above below"
)
ARTICLES: Final = _set("the a an my your our his her its their this that these those another")
PREPOSITIONS: Final = _set("in on to for with from into at by of as about over under inside onto through via")
PRONOUNS: Final = _set("it me us them him her you that this these those so there")
LIGHT: Final = _set(
    "changes change files file edits code anything everything something nothing things stuff commands work questions "
    "assumptions more up down in out off on back ahead away over"
)
"""Objects that name no kind of thing: what is to be left alone in this moment; and particles of verbs."""
ASPECT: Final = _set("continuing proceeding going moving starting finishing beginning doing stopping")
