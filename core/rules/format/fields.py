"""The fields of a rule, by the labels that people give them in any of the languages."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

_FIELD = re.compile(
    r"\s{0,3}([-*+]\s+)?(?:\*\*|__)([^*_:：\n]{1,40}?)\s*(?:[:：]\s*(?:\*\*|__)|(?:\*\*|__)\s*[:：])(.*)$"
)
LABELS = {
    "problem": "problem issue 문제 문제점 문제상황 증상 현상 이슈 問題 問題点 事象 症状 現象 问题 问题描述 现象",
    "root_cause": "rootcause cause 원인 근본원인 발생원인 原因 根本原因 根因 问题原因",
    "solution": (
        "solution fix 해결 해결책 해결방법 해결방안 해결법 해법 대응방안 대처방법 솔루션 "
        "解決 解決策 解決方法 解決法 対処 対処法 対処方法 対応策 対策 解决 解决方法 解决方案 解决办法 解決方案 解決辦法"
    ),
    "prevention": (
        "prevention 예방 예방책 예방방법 예방조치 방지 방지책 방지방법 방지대책 재발방지 재발방지책 재발방지대책 "
        "予防 予防策 予防方法 防止策 再発防止 再発防止策 预防 预防措施 预防方法 防范措施 預防 預防措施"
    ),
    "date": "date 날짜 일자 日付 日時 日期",
    "project": "project 프로젝트 프로젝트명 プロジェクト プロジェクト名 项目 项目名称 專案",
    "category": "category 카테고리 분류 범주 유형 カテゴリ カテゴリー 分類 種別 分类 类别 類別 类型",
}
_BY_LABEL = {label: name for name, labels in LABELS.items() for label in labels.split()}
_OTHER_WORDS = (
    "data", "rate", "protect", "projet", "projekt", "projek", "problema", "probleme", "problemi", "problemy",
    "probleem", "solucion", "prevencion",
)  # fmt: skip
"""Words, of other languages too, that come as near to a label as a slip of the hand does."""
_SHORT = 4
REQUIRED = ("problem", "root_cause", "solution", "prevention")


@dataclass(frozen=True, slots=True)
class Field:
    """A line that begins a field: its label as written, which field that is (empty: nobody knows), the text behind the
    label, and whether the line is an item of a list."""

    label: str
    name: str
    text: str
    listed: bool

    @property
    def key(self) -> str:
        """The label, however it was written."""
        return _key(self.label)


def field_of(line: str) -> Field | None:
    """The field that a line begins; None where it begins none."""
    found = _FIELD.match(line)
    if found is None:
        return None
    label = found.group(2).strip()
    return Field(label, _BY_LABEL.get(_key(label), ""), found.group(3).strip(), found.group(1) is not None)


def known_field(line: str) -> str:
    """The name of the known field that a line begins, else empty."""
    found = field_of(line)
    return found.name if found else ""


def meant_by(label: str) -> str:
    """The name of the field that was probably meant by a label that nobody knows: a letter of it is wrong, missing or
    too many, or two have changed places; else empty. Of the English labels alone: elsewhere one other letter soon makes
    another word."""
    key = _key(label)
    if not (key.isascii() and key.isalpha()) or key in _BY_LABEL or key in _OTHER_WORDS:
        return ""
    return next((name for name in LABELS if _is_slip(key, len(label.split()), name)), "")


def is_plural(label: str, name: str) -> bool:
    """Whether a label is the plural of a field's own."""
    return _key(label) == f"{_key(name)}s"


def _is_slip(key: str, words: int, name: str) -> bool:
    """Whether a label is a field's own but for one slip. `Solution B` has a word more; and in one as short as `Date`
    another letter makes another word: its own letters must all be there."""
    meant = _key(name)
    if abs(len(meant) - len(key)) > 1 or words > len(name.split("_")):
        return False
    if len(meant) <= _SHORT and sorted(key) != sorted(meant):
        return False
    from rapidfuzz.distance import OSA

    return OSA.distance(key, meant, score_cutoff=1) == 1


def _key(label: str) -> str:
    return re.sub(r"[\s_\-]+", "", unicodedata.normalize("NFC", label)).casefold()
