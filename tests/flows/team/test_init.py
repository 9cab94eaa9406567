"""`casebook init`: what a first commit of a team holds, and git's merges with the driver that it sets."""

from __future__ import annotations

from collections.abc import Callable

from tests.core.transcripts.builders import Claude
from tests.flows.team.conftest import Person

People = Callable[..., list[Person]]
KNOWN = "ModuleNotFoundError: No module named 'yaml'"


def test_init_writes_what_is_verified_for_a_first_commit(people: People) -> None:
    mina, joon = people("mina", "joon")
    log = Claude(cwd=str(mina.tree))
    log.call("t1", "Bash", {"command": "pytest"})
    log.fails("t1", "Exit code 1\nTypeError: unsupported operand")
    folder = mina.home / ".claude" / "projects" / "shop"
    folder.mkdir(parents=True)
    (folder / "s.jsonl").write_bytes(log.bytes())
    mina.fix(KNOWN, "pip install pyyaml")
    report = mina.json("init", "--yes", "--merge-driver")
    assert report["imported"] == 1
    assert report["export"]["lessons"] == 1
    assert report["merge_driver"] is True
    assert "pip install pyyaml" in (mina.tree / "AGENTS.md").read_text("utf-8")
    attributes = (mina.tree / ".gitattributes").read_text()
    assert attributes == ".casebook/lessons.jsonl merge=casebook\nAGENTS.md merge=casebook\n"
    before = mina.git("status", "--porcelain")
    again = mina.run("init", "--yes", "--merge-driver", "--no-import").splitlines()[-1]
    assert again.endswith("run: git add .casebook AGENTS.md .gitattributes && git commit")
    mina.git(*again.partition("run: git ")[2].partition(" && ")[0].split())
    mina.git("reset", "-q")
    assert mina.json("init", "--yes", "--merge-driver", "--no-import")["export"]["written"] is False
    assert mina.git("status", "--porcelain") == before
    mina.commit("lessons")
    mina.git("push", "-q", "origin", "HEAD:main")
    joon.git("pull", "-q", "origin", "main")
    assert joon.json("init", "--yes", "--no-import")["export"]["written"] is False
    assert joon.json("errors", "search", KNOWN)["match"]["origin"] == "team"


def test_init_lists_no_lesson_that_it_does_not_write(people: People) -> None:
    (mina,) = people("mina")
    log = Claude(cwd=str(mina.tree))
    log.call("t1", "Bash", {"command": "pytest"})
    log.fails("t1", f"Exit code 1\n{KNOWN}")
    log.call("t2", "Bash", {"command": "pytest books"})
    log.fails("t2", "Exit code 1\nValueError: books")
    folder = mina.home / ".claude" / "projects" / "shop"
    folder.mkdir(parents=True)
    (folder / "s.jsonl").write_bytes(log.bytes())
    mina.run("import", "auto")
    mina.fix(KNOWN, "pip install pyyaml", session="elsewhere", repository="github.com/acme/other")
    mina.fix("ValueError: books", "export B=1")
    report = mina.json("init", "--yes", "--no-import")
    assert report["export"]["lessons"] == 1
    assert [one["do"] for one in report["dearest"]] == ["export B=1"]


def test_init_without_a_verified_fix_writes_nothing(people: People) -> None:
    (mina,) = people("mina")
    assert "this repository has no verified fixes" in mina.run("init", "--yes", "--no-import", code=1)
    assert mina.git("status", "--porcelain") == ""
    assert "--yes" in mina.run("init", code=2)


def test_the_driver_that_init_sets_merges_two_branches(people: People) -> None:
    mina, joon = people("mina", "joon")
    mina.fix(KNOWN, "pip install pyyaml")
    mina.run("init", "--yes", "--merge-driver", "--no-import")
    mina.commit("lessons")
    mina.git("push", "-q", "origin", "HEAD:main")
    joon.git("pull", "-q", "origin", "main")
    joon.fix("ValueError: books", "export B=1")
    joon.run("init", "--yes", "--merge-driver", "--no-import")
    joon.commit("mine")
    mina.fix("OSError: clouds", "export C=1")
    mina.run("team", "export")
    mina.commit("more")
    mina.git("push", "-q", "origin", "HEAD:main")
    joon.git("pull", "-q", "--no-rebase", "--no-edit", "origin", "main")
    texts = {line["do"]["text"] for line in joon.lines()}
    assert texts == {"pip install pyyaml", "export B=1", "export C=1"}
    joon.run("import", "--team")
    joon.run("team", "export")
    block = (joon.tree / "AGENTS.md").read_text("utf-8")
    assert all(text in block for text in texts)


def test_the_driver_merges_the_text_around_the_block(people: People) -> None:
    mina, joon = people("mina", "joon")
    mina.fix(KNOWN, "pip install pyyaml")
    (mina.tree / "AGENTS.md").write_text("# Rules\n\none\n\ntwo\n")
    mina.run("init", "--yes", "--merge-driver", "--no-import")
    mina.commit("lessons")
    mina.git("push", "-q", "origin", "HEAD:main")
    joon.git("pull", "-q", "origin", "main")
    joon.run("init", "--yes", "--merge-driver", "--no-import")
    for who, old, new, error in (
        (mina, "one", "ONE", "OSError: clouds"), (joon, "# Rules", "# Our rules", "TypeError: apples"),
    ):  # fmt: skip
        file = who.tree / "AGENTS.md"
        file.write_text(file.read_text("utf-8").replace(f"{old}\n", f"{new}\n"), "utf-8")
        who.fix(error, f"export {new[-3:]}=1")
        who.run("team", "export")
        who.commit(new)
    mina.git("push", "-q", "origin", "HEAD:main")
    joon.git("pull", "-q", "--no-rebase", "--no-edit", "origin", "main")
    text = (joon.tree / "AGENTS.md").read_text("utf-8")
    assert text.startswith("# Our rules\n\nONE\n\ntwo\n")
    assert "<<<<" not in text
    joon.run("import", "--team")
    assert joon.json("team", "export")["blocks"][0]["fault"] == ""
    assert "export ONE=1" in (joon.tree / "AGENTS.md").read_text("utf-8")
