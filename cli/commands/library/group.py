"""`casebook library`: notes, documents and code, searched and cited down to the line."""

from __future__ import annotations

import argparse

from cli.parser import Parser, add_group, add_leaf, number, path_name, run_later

_INGEST = """\
examples:
  casebook library ingest docs src               read these folders; what did not change costs nothing
  casebook library ingest                        the folders of last time
  casebook library ingest --file error.log       one file, kept beside the others
  pbpaste | casebook library ingest --stdin

.gitignore and .casebookignore are followed. Ctrl-C stops it between two documents; the next run goes on.
"""
_SEARCH = """\
examples:
  casebook library search "how are retries limited?"
  casebook library search 환율 --tag payments --explain
  casebook library search "class KeptBits" --mode lexical --path "core/**/*.py"
  casebook library search --jsonl < queries.jsonl        lines like {"query": "…", "k": 3, "lang": "ko"}

Without --mode both words and meaning are asked, if passages are embedded (library embed); else words alone.
"""
_ASK = """\
examples:
  casebook library ask "how are retries limited?"
  casebook library ask "백업은 얼마나 보관하나요?" --explain
  casebook library ask "and who is told?" --session release      goes on from the question before
  casebook library ask sessions list                             also: sessions show NAME, sessions delete NAME

A language model words the answer from your own passages: Ollama's by default ([models.llm] in the settings). Every
cited sentence is looked for in its source. Exit 0: answered; 1: refused, with the nearest passages. Ctrl-C keeps what
came.
"""
_EVAL = """\
examples:
  casebook library eval tests/data/library/house.yaml --ingest     in a temporary library of the suite's own corpus
  casebook library eval questions.yaml --keep                      on your library; the run is kept
  casebook library eval questions.yaml --compare                   what moved since the last kept run

Prints section hit@3 of each way of searching beside plain OR with stop words, and their difference, paired.
"""
_CITE = """\
examples:
  casebook library cite 12 docs/cli.md#L33
  casebook library cite 12 docs/cli.md#L33 --quote "exit 3: doctor is not content"

The words are kept with their place and heading: casebook errors show says whether they are attached, moved or detached
today. casebook undo takes the citation back.
"""
_INSPECT = """\
examples:
  casebook library inspect docs/cli.md
  casebook library inspect docs/cli.md#L33
"""
_OCR = """\
examples:
  casebook library ocr-data                      English and Korean, from where Tesseract keeps them
  casebook library ocr-data ~/Downloads --language deu
  casebook library ingest --ocr shots            then read pictures and scanned pages

It looks in FOLDER, in $TESSDATA_PREFIX and in the folders of Linux, macOS and Windows. Nothing is downloaded.
"""
_OPEN = """\
examples:
  casebook library open docs/cli.md#L33
  less +33 "$(casebook library open docs/cli.md | cut -d: -f1)"     off a terminal it prints FILE:LINE
"""


def add_to(parser: argparse.ArgumentParser, shared: Parser) -> None:
    """The sub-commands and their arguments."""
    children = add_group(parser, "library_command")
    ingest = add_leaf(children, shared, "ingest", "read folders, a file or standard input", _INGEST)
    _add_ingest(ingest)
    search = add_leaf(children, shared, "search", "where is it written?", _SEARCH)
    _add_search(search)
    ask = add_leaf(children, shared, "ask", "a grounded answer with its sources, or a refusal", _ASK)
    _add_ask(ask)
    lister = add_leaf(children, shared, "list", "the documents, by path")
    add_filters(lister)
    lister.add_argument("--limit", metavar="N", type=number, default=50, help="documents on one page (default 50)")
    lister.add_argument("--after", metavar="PATH", help="the page after this one (`next` of the page before)")
    lister.set_defaults(run=run_later("run_list", "cli.commands.library.manage"))
    inspect = add_leaf(children, shared, "inspect", "one document or passage, with all that is kept of it", _INSPECT)
    inspect.add_argument("name", metavar="NAME", help="a path, a citation (path#L12), or an id")
    inspect.set_defaults(run=run_later("run_inspect", "cli.commands.library.manage"))
    opener = add_leaf(children, shared, "open", "the file at its line, in your editor", _OPEN)
    opener.add_argument("name", metavar="NAME", help="a citation (path#L12), a path, or an id")
    opener.add_argument("--workbench", action="store_true", help="in the workbench instead, at the cited lines")
    opener.set_defaults(run=run_later("run_open", "cli.commands.library.manage"))
    citing = add_leaf(children, shared, "cite", "let the fix of a case cite a passage", _CITE)
    citing.add_argument("case", metavar="CASE", type=number, help="the case, by its number")
    citing.add_argument("passage", metavar="PASSAGE", help="a citation (path#L12), or a chunk's id")
    citing.add_argument("--quote", metavar="TEXT", help="the words that matter (default: its beginning)")
    citing.add_argument("--author", metavar="NAME", help="who cites (default: you)")
    citing.set_defaults(run=run_later("run_cite", "cli.commands.library.manage"))
    index = add_leaf(children, shared, "index", "build the index of words anew")
    index.add_argument("--rebuild-fts", action="store_true", required=True, help="from the passages, in one go")
    index.set_defaults(run=run_later("run_index", "cli.commands.library.manage"))
    ocr = add_leaf(children, shared, "ocr-data", "copy language data for OCR into casebook's data folder", _OCR)
    ocr.add_argument("folder", metavar="FOLDER", type=path_name, nargs="?", help="where it is (default: your system's)")
    ocr.add_argument(
        "--language",
        metavar="LANG",
        action="append",
        default=[],
        help="a language, by its Tesseract name; repeatable (default: eng and kor)",
    )
    ocr.set_defaults(run=run_later("run_ocr_data", "cli.commands.library.manage"))
    embed = add_leaf(children, shared, "embed", "let a model read the passages, so that meaning is searched too")
    embed.set_defaults(run=run_later("run_embed", "cli.commands.library.manage"))
    evaluate = add_leaf(children, shared, "eval", "how often labelled questions are answered", _EVAL)
    _add_eval(evaluate)
    reset = add_leaf(children, shared, "reset", "empty the library; your files stay")
    what = reset.add_mutually_exclusive_group(required=True)
    what.add_argument("--data-only", action="store_true", help="every document, passage and vector of the library")
    what.add_argument("--orphans-only", action="store_true", help="only what no file stands behind any more")
    reset.add_argument("--yes", action="store_true", help="do not ask")
    reset.set_defaults(run=run_later("run_reset", "cli.commands.library.manage"))


def _add_ingest(leaf: Parser) -> None:
    leaf.add_argument(
        "roots", metavar="FOLDER", type=path_name, nargs="*", help="folders to read; none: those of last time"
    )
    leaf.add_argument("--watch", action="store_true", help="then go on, and read what changes, until Ctrl-C")
    one = leaf.add_mutually_exclusive_group()
    one.add_argument(
        "--file", metavar="FILE", type=path_name, help="one file, copied into _external of the first folder"
    )
    one.add_argument("--stdin", action="store_true", help="standard input, kept likewise")
    leaf.add_argument("--ext", metavar="EXT", default="md", help="what standard input is (default md)")
    leaf.add_argument("--include", metavar="GLOB", action="append", default=[], help="only these; repeatable")
    leaf.add_argument("--exclude", metavar="GLOB", action="append", default=[], help="not these; repeatable")
    types = ("markdown", "note", "paper", "reference", "inbox")
    leaf.add_argument("--type", choices=types, help="what the documents of these folders are")
    trust = ("primary", "secondary", "generated")
    leaf.add_argument("--trust", choices=trust, help="how far they are trusted, where they do not say")
    leaf.add_argument("--rehash", action="store_true", help="read every file, also one whose date did not change")
    leaf.add_argument("--rechunk", action="store_true", help="split documents again that an older version split")
    leaf.add_argument("--ocr", action="store_true", help="read the text of pictures and of scanned pages (extra ocr)")
    leaf.add_argument("--follow-links", action="store_true", help="also read what links lead to outside of the folders")
    leaf.add_argument("--summary-only", action="store_true", help="counts alone, no list of documents")
    leaf.set_defaults(run=run_later("run_ingest", "cli.commands.library.ingest"))


def _add_search(leaf: Parser) -> None:
    leaf.add_argument("text", metavar="QUERY", nargs="?", help="what to look for; - or nothing: from stdin")
    leaf.add_argument("--mode", choices=("lexical", "vector", "hybrid"), default="hybrid", help="default: hybrid")
    leaf.add_argument("-k", "--k", metavar="N", type=number, default=10, help="hits on one page (default 10)")
    add_filters(leaf)
    leaf.add_argument("--explain", action="store_true", help="ranks and scores of every hit, and both lists")
    leaf.add_argument("--cursor", metavar="CURSOR", help="the page after this one (`next_cursor` of the page before)")
    leaf.add_argument("--max-tokens", metavar="N", type=number, default=0, help="about this many tokens at most")
    leaf.add_argument("--snippet-chars", metavar="N", type=number, default=220, help="characters shown of a passage")
    many = leaf.add_mutually_exclusive_group()
    many.add_argument("--jsonl", action="store_true", help="answer every line of stdin (at most 100) on a line")
    many.add_argument("--bulk", action="store_true", help="the same, as one object (bulk_search_response.v1)")
    leaf.set_defaults(run=run_later("run_search", "cli.commands.library.search"))


def _add_ask(leaf: Parser) -> None:
    told = "the question; - or nothing: from stdin; or one of: sessions list, sessions show NAME, sessions delete NAME"
    leaf.add_argument("text", metavar="QUESTION", nargs="*", help=told)
    leaf.add_argument("--explain", action="store_true", help="where each sentence stands, and how it was found")
    leaf.add_argument("--session", metavar="NAME", help="a conversation: earlier turns come along, this one is kept")
    leaf.add_argument("--multi-hop", action="store_true", help="break the question up and search several times")
    leaf.add_argument("--mode", choices=("lexical", "vector", "hybrid"), default="hybrid", help="default: hybrid")
    leaf.add_argument("-k", "--k", metavar="N", type=number, help="passages looked for (default 8)")
    leaf.add_argument("--template", choices=("rag-v1", "rag-v2", "rag-v3"), help="what the model is told")
    add_filters(leaf)
    leaf.set_defaults(run=run_later("run_ask", "cli.commands.library.ask"))


def add_filters(leaf: Parser) -> None:
    """The filters, which are part of the query: every one given must hold."""
    group = leaf.add_argument_group("filters")
    group.add_argument("--tag", metavar="TAG", action="append", default=[], help="with this tag; several: any of them")
    group.add_argument("--lang", metavar="LANG", help="in this language (ko, en, mixed); ko and en include mixed")
    group.add_argument("--path", metavar="GLOB", help="paths like docs/**/*.md; without / the file's name")
    group.add_argument("--trust", choices=("primary", "secondary", "generated"), help="at least as trusted")
    group.add_argument("--source", metavar="ID", help="of this root (`source_id` of list --json)")
    types = ("markdown", "note", "paper", "reference", "inbox")
    group.add_argument("--type", choices=types, help="what the document is")
    media = ("markdown", "text", "code", "pdf", "manifest", "picture")
    group.add_argument("--media", choices=media, help="what its file is")
    group.add_argument("--doc", metavar="DOC", help="in this document (a path or an id)")
    group.add_argument("--code-lang", metavar="LANG", help="code in this language (python, rust, …)")
    group.add_argument("--repo", metavar="NAME", help="of this repository")
    group.add_argument("--since", metavar="DATE", help="dated since (2026-01-31, or with a time)")
    group.add_argument("--until", metavar="DATE", help="dated until")


def _add_eval(leaf: Parser) -> None:
    leaf.add_argument("suite", metavar="FILE", type=path_name, help="golden queries, in YAML")
    leaf.add_argument("--ingest", action="store_true", help="into a temporary library, of the suite's `corpus`")
    leaf.add_argument(
        "--mode", choices=("lexical", "vector", "hybrid"), action="append", help="default: lexical, hybrid"
    )
    leaf.add_argument("-k", "--k", metavar="N", type=number, default=10, help="of recall and precision (default 10)")
    leaf.add_argument("--keep", action="store_true", help="keep the run, to compare later ones with")
    leaf.add_argument(
        "--compare", metavar="RUN", nargs="?", const="", help="what moved since that run (default: the last one kept)"
    )
    leaf.set_defaults(run=run_later("run_eval", "cli.commands.library.evaluate"))
