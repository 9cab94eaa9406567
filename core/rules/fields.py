"""The fields of a rule, by the labels that people give them in any of the languages."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

_FIELD = re.compile(
    r"\s{0,3}([-*+]\s+)?(?:\*\*|__)([^*_:：\n]{1,40}?)\s*(?:[:：]\s*(?:\*\*|__)|(?:\*\*|__)\s*[:：])(.*)$"
)
_LABELS = {
    "problem": "problem issue 문제 증상 問題 症状 現象 问题 现象",
    "root_cause": "rootcause cause 원인 근본원인 原因 根本原因 根因",
    "solution": "solution fix 해결 해결책 해결방법 해결방안 솔루션 解決 解決策 解決方法 対処法 解决 解决方法 解决方案",
    "prevention": "prevention 예방 예방책 예방방법 방지 재발방지 予防 予防策 再発防止 再発防止策 预防 预防措施",
    "date": "date 날짜 일자 日付 日期",
    "project": "project 프로젝트 プロジェクト 项目 專案",
    "category": "category 카테고리 분류 범주 カテゴリ カテゴリー 分類 分类 类别",
}
_BY_LABEL = {label: name for name, labels in _LABELS.items() for label in labels.split()}
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


def _key(label: str) -> str:
    return re.sub(r"[\s_\-]+", "", unicodedata.normalize("NFC", label)).casefold()
