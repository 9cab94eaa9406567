"""A call as a person types it: what is wrong is said in whole words, with its place."""

from __future__ import annotations

import pytest

from core.fault import Fault
from core.rules.typed_call import typed_call


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"command": "ls', "line 1, column 13: unterminated string"),
        ('{"command":\n ls}', "line 2, column 2: expecting value"),
        ('["ls"]', "this is JSON, but no object"),
    ],
)
def test_what_is_wrong_with_typed_json_is_said_in_whole_words(text: str, told: str) -> None:
    with pytest.raises(Fault) as found:
        typed_call("Bash", text)
    assert found.value.message == told
