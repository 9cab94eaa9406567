"""Sections of reStructuredText, AsciiDoc, man pages and plain text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.library.documents.rows import LineSpan, Parsed
from core.library.parse.markup import PARSERS, form_of, parse_markup
from core.library.parse.text import TEXT_PARSER

RST = """.. _backup:

####
Guide
####

Backing up
==========

.. comment that says nothing

Run it like this::

    restic backup ~/work

.. code-block:: console

    $ restic snapshots

Excluding
---------

Leave files out.
"""
ADOC = """= Manual
:toc: left

== Install

Add the plugin:

[source,clojure]
----
{:plugins []}
----

=== Nightly

Take the snapshot.
"""
MAN = """.\\" a comment
.TH PUMP 8 "2026-01-01"
.SH NAME
pump \\- move water
.SH OPTIONS
.TP
.B \\-\\-slow
Move it \\fBslowly\\fP.
.SS Limits
.nf
at most 3 bar
.fi
"""
MDOC = """.Dd May 2, 2026
.Dt TAR 5
.Os
.Sh DESCRIPTION
The
.Nm tar
archive.
.Bl -tag
.It Fl f Ar file
Read
.Ar file .
.El
"""
TEXT = """Rebase(1)
=========

SYNOPSIS
--------
git rebase

LICENSE

  Public domain.
"""


def outline(parsed: Parsed) -> list[tuple[str, tuple[str, ...], str]]:
    """Kind, headings above and text of each block."""
    return [(one.kind, one.heading_path, one.text) for one in parsed.blocks]


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("guide.rst", "rst"), ("a.adoc", "adoc"), ("pcre2.3", "man"), ("perl.3pm", "man"), ("notes.txt", "txt"),
        ("INSTALL", "txt"), ("notes", "txt"), (".hidden", "txt"), ("run.log", None), ("data.csv", None), ("v1.0", None),
    ],
)  # fmt: skip
def test_the_name_of_a_file_tells_its_format(name: str, form: str | None) -> None:
    assert form_of(name) == form


def test_restructured_text_has_headings_code_and_no_comments() -> None:
    assert outline(parse_markup(RST, "rst")) == [
        ("heading", (), "Guide"),
        ("heading", ("Guide",), "Backing up"),
        ("paragraph", ("Guide", "Backing up"), "Run it like this::"),
        ("code", ("Guide", "Backing up"), "    restic backup ~/work"),
        ("code", ("Guide", "Backing up"), "    $ restic snapshots"),
        ("heading", ("Guide", "Backing up"), "Excluding"),
        ("paragraph", ("Guide", "Backing up", "Excluding"), "Leave files out."),
    ]


def test_asciidoc_has_headings_and_code_with_its_language() -> None:
    parsed = parse_markup(ADOC, "adoc")
    assert outline(parsed) == [
        ("heading", (), "Manual"),
        ("heading", ("Manual",), "Install"),
        ("paragraph", ("Manual", "Install"), "Add the plugin:"),
        ("code", ("Manual", "Install"), "{:plugins []}"),
        ("heading", ("Manual", "Install"), "Nightly"),
        ("paragraph", ("Manual", "Install", "Nightly"), "Take the snapshot."),
    ]
    assert parsed.blocks[3].payload == {"lang": "clojure"}


def test_a_man_page_has_its_words_without_requests_and_fonts() -> None:
    assert outline(parse_markup(MAN, "man")) == [
        ("heading", (), "pump(8)"),
        ("heading", ("pump(8)",), "NAME"),
        ("paragraph", ("pump(8)", "NAME"), "pump - move water"),
        ("heading", ("pump(8)",), "OPTIONS"),
        ("paragraph", ("pump(8)", "OPTIONS"), "--slow\nMove it slowly."),
        ("heading", ("pump(8)", "OPTIONS"), "Limits"),
        ("code", ("pump(8)", "OPTIONS", "Limits"), "at most 3 bar"),
    ]


def test_macros_of_mdoc_are_no_words() -> None:
    said = [text for kind, _, text in outline(parse_markup(MDOC, "man")) if kind == "paragraph"]
    assert said == ["The\ntar\narchive.", "-f file\nRead\nfile ."]


def test_plain_text_has_underlined_titles_and_lines_of_capitals() -> None:
    assert [(one.text, one.heading_path) for one in parse_markup(TEXT, "txt").blocks if one.kind == "heading"] == [
        ("Rebase(1)", ()),
        ("SYNOPSIS", ("Rebase(1)",)),
        ("LICENSE", ("Rebase(1)",)),
    ]


@pytest.mark.parametrize("form", ["rst", "txt", "man", "adoc"])
def test_a_text_without_headings_is_plain_text(form: str) -> None:
    parsed = parse_markup("one\ntwo\n\nthree ------ four\n", form)
    assert parsed.parser_version == TEXT_PARSER
    assert [one.text for one in parsed.blocks] == ["one\ntwo", "three ------ four"]


LINES = st.sampled_from(
    ("Title", "=====", "-----", "words go here", "", "    indented", ".. note:: x", "::", ".SH X", ".B y", ".nf", ".fi",
     "----", "== Two", "[source,py]", ".\\\" no", "....", "가나다", "\\fBz\\fP", ".TH A 1", "CAPITALS")
)  # fmt: skip


@given(st.lists(LINES, max_size=30), st.sampled_from(sorted(PARSERS)))
def test_blocks_are_in_order_and_within_the_text(lines: list[str], form: str) -> None:
    parsed = parse_markup("\n".join(lines), form)
    last = 0
    for block in parsed.blocks:
        assert isinstance(block.span, LineSpan)
        assert last < block.span.start <= block.span.end <= len(lines)
        last = block.span.end
        if block.first_line is not None and block.kind != "heading":
            assert block.text.count("\n") == block.span.end - block.span.start
