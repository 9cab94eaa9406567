"""`casebook library`: notes, documents and code, searched and cited down to the line."""

from __future__ import annotations

from cli.parser import Group, Parser, number, path_name

_INGEST = """\
examples:
  casebook library ingest docs src               index these folders
  casebook library ingest                        reindex all previously indexed folders
  casebook library ingest --file error.log       add one file
  pbpaste | casebook library ingest --stdin

casebook respects .gitignore and .casebookignore. Ctrl-C stops after the current document. The next run resumes there.
"""
_SEARCH = """\
examples:
  casebook library search "how are retries limited?"
  casebook library search 환율 --tag payments --explain
  casebook library search "class KeptBits" --mode lexical --path "core/**/*.py"
  casebook library search --jsonl < queries.jsonl        lines like {"query": "…", "k": 3, "lang": "ko"}

If passages are embedded (casebook library embed), the default mode is hybrid. Otherwise, it is lexical.
"""
_ASK = """\
examples:
  casebook library ask "how are retries limited?"
  casebook library ask "백업은 얼마나 보관하나요?" --explain
  casebook library ask "and for how long?" --session release     continue a conversation
  casebook library ask sessions list                             also: sessions show NAME, sessions delete NAME

Your LLM ([models.llm] in the settings, default: Ollama) writes the answer from your passages. casebook checks every
cited sentence against its source. Exit codes: 0 answered, 1 refused with the nearest passages. Ctrl-C keeps the
partial answer.
"""
_EVAL = """\
examples:
  casebook library eval tests/data/library/house.yaml --ingest     run in a temporary library of the suite's corpus
  casebook library eval questions.yaml --keep                      run on your library and save the run
  casebook library eval questions.yaml --compare                   compare with the last saved run

The command prints section hit@3 for each search mode, and the paired difference from plain OR with stop words.
"""
_CITE = """\
examples:
  casebook library cite 12 notes/retries.md#L33
  casebook library cite 12 notes/retries.md#L33 --quote "at most five retries"

casebook saves the quoted words with their location and heading. Afterwards, casebook errors show marks the
citation as attached, moved or detached. To remove the citation, run: casebook undo
"""
_INSPECT = """\
examples:
  casebook library inspect notes/retries.md
  casebook library inspect notes/retries.md#L33
"""
_OCR = """\
examples:
  casebook library ocr-data                      copy English and Korean from the folders of Tesseract
  casebook library ocr-data ~/Downloads --language deu
  casebook library ingest --ocr shots            index images and scanned pages

The command searches FOLDER, $TESSDATA_PREFIX and the standard folders of Linux, macOS and Windows.
It does not use the network.
"""
_OPEN = """\
examples:
  casebook library open notes/retries.md#L33
  less +33 "$(casebook library open notes/retries.md | cut -d: -f1)"

If stdout is not a terminal, the command prints FILE:LINE.
"""


def add_to(parser: Parser, shared: Parser) -> None:
    """The sub-commands and their arguments."""
    children = Group(parser, shared, "library_command")
    ingest = children.leaf(
        "ingest", "index folders, a file or standard input", "cli.commands.library.ingest:run_ingest", _INGEST
    )
    _add_ingest(ingest)
    search = children.leaf("search", "search the library", "cli.commands.library.search:run_search", _SEARCH)
    _add_search(search)
    ask = children.leaf("ask", "ask a question about the library", "cli.commands.library.ask:run_ask", _ASK)
    _add_ask(ask)
    lister = children.leaf("list", "list documents by path", "cli.commands.library.manage:run_list")
    add_filters(lister)
    lister.argument("--limit", "N", "documents per page (default 50)", type=number, default=50)
    lister.argument("--after", "PATH", "cursor of the next page (`next` in the JSON output)")
    inspect = children.leaf(
        "inspect", "show the stored data of a document or passage", "cli.commands.library.manage:run_inspect", _INSPECT
    )
    inspect.argument("name", "NAME", "path, citation (path#L12) or id")
    opener = children.leaf("open", "open a citation in your editor", "cli.commands.library.manage:run_open", _OPEN)
    opener.argument("name", "NAME", "citation (path#L12), path or id")
    opener.flag("--workbench", "open the workbench at the cited lines")
    citing = children.leaf("cite", "cite a passage in the fix of a case", "cli.commands.library.manage:run_cite", _CITE)
    citing.argument("case", "CASE", "case number", type=number, stored="case")
    citing.argument("passage", "PASSAGE", "citation (path#L12) or passage id")
    citing.argument("--quote", "TEXT", "quoted words (default: the beginning of the passage)")
    citing.argument("--author", "NAME", "name of the author (default: you)")
    index = children.leaf("index", "rebuild the full-text index", "cli.commands.library.manage:run_index")
    index.add_argument("--rebuild-fts", action="store_true", required=True, help="rebuild from the stored passages")
    ocr = children.leaf(
        "ocr-data", "copy language data for OCR into the data folder", "cli.commands.library.manage:run_ocr_data", _OCR
    )
    ocr.argument("folder", "FOLDER", "folder (default: system folders)", type=path_name, nargs="?")
    ocr.argument(
        "--language",
        "LANG",
        "Tesseract name of a language (repeatable, default: eng and kor)",
        action="append",
        default=[],
    )
    children.leaf("embed", "embed passages for semantic search", "cli.commands.library.manage:run_embed")
    evaluate = children.leaf(
        "eval", "measure search quality on labeled questions", "cli.commands.library.evaluate:run_eval", _EVAL
    )
    _add_eval(evaluate)
    reset = children.leaf(
        "reset", "remove documents from the library (your files stay)", "cli.commands.library.manage:run_reset"
    )
    what = reset.add_mutually_exclusive_group(required=True)
    what.add_argument(
        "--data-only", action="store_true", help="remove every document, passage and vector from the library"
    )
    what.add_argument("--orphans-only", action="store_true", help="remove only documents that no longer have a file")
    what.add_argument(
        "--folder", metavar="FOLDER", type=path_name, help="remove one folder and its documents from the library"
    )
    reset.flag("--yes", "skip the confirmation")


def _add_ingest(leaf: Parser) -> None:
    leaf.argument(
        "roots", "FOLDER", "folders to index (default: all previously indexed folders)", type=path_name, nargs="*"
    )
    leaf.flag("--watch", "keep running and index changes until Ctrl-C")
    one = leaf.add_mutually_exclusive_group()
    one.add_argument(
        "--file",
        metavar="FILE",
        type=path_name,
        help="add one file (casebook copies it into _external in the first folder)",
    )
    one.add_argument("--stdin", action="store_true", help="add one document from standard input")
    leaf.argument("--ext", "EXT", "format of standard input (default md)", default="md")
    leaf.argument("--include", "GLOB", "include only matching files (repeatable)", action="append", default=[])
    leaf.argument("--exclude", "GLOB", "exclude matching files (repeatable)", action="append", default=[])
    types = ("markdown", "note", "paper", "reference", "inbox")
    leaf.add_argument("--type", choices=types, help="type of the documents")
    trust = ("primary", "secondary", "generated")
    leaf.add_argument("--trust", choices=trust, help="trust level of documents that do not declare one")
    leaf.flag("--rehash", "read unchanged files again")
    leaf.flag("--rechunk", "split documents of an older chunker again")
    leaf.flag("--ocr", "index the text of images and scanned pages (extra ocr)")
    leaf.flag("--follow-links", "follow symbolic links that point outside the folders")
    leaf.flag("--summary-only", "print only counts, not the list of documents")


def _add_search(leaf: Parser) -> None:
    leaf.argument("text", "QUERY", "query (default: stdin)", nargs="?")
    leaf.add_argument("--mode", choices=("lexical", "vector", "hybrid"), default="hybrid", help="default: hybrid")
    leaf.argument("-k", "--k", "N", "hits per page (default: search.default_k)", type=number)
    add_filters(leaf)
    leaf.flag("--explain", "show ranks, scores and both result lists")
    leaf.argument("--cursor", "CURSOR", "cursor of the next page (`next_cursor` in the JSON output)")
    leaf.argument("--max-tokens", "N", "maximum number of tokens (estimated)", type=number, default=0)
    chars = "maximum characters per passage (default: search.snippet_chars)"
    leaf.argument("--snippet-chars", "N", chars, type=number)
    many = leaf.add_mutually_exclusive_group()
    many.add_argument(
        "--jsonl",
        action="store_true",
        help="read one JSON object per line from stdin (at most 100), print one per line",
    )
    many.add_argument(
        "--bulk", action="store_true", help="like --jsonl, but print one object (bulk_search_response.v1)"
    )


def _add_ask(leaf: Parser) -> None:
    usage = "question (default: stdin), or: sessions list, sessions show NAME, sessions delete NAME"
    leaf.argument("text", "QUESTION", usage, nargs="*")
    leaf.flag("--explain", "show the source of each sentence and the search trace")
    leaf.argument("--session", "NAME", "continue or start a conversation with this name")
    leaf.flag("--multi-hop", "split the question and search several times")
    leaf.add_argument("--mode", choices=("lexical", "vector", "hybrid"), default="hybrid", help="default: hybrid")
    leaf.argument("-k", "--k", "N", "passages to retrieve (default 8)", type=number)
    leaf.add_argument("--template", choices=("rag-v1", "rag-v2", "rag-v3"), help="prompt template")
    add_filters(leaf)


def add_filters(leaf: Parser) -> None:
    """The filters, which are part of the query: every one given must hold."""
    group = leaf.add_argument_group("filters")
    group.add_argument("--tag", metavar="TAG", action="append", default=[], help="only this tag (repeatable)")
    group.add_argument("--lang", metavar="LANG", help="only this language: ko, en or mixed (ko and en include mixed)")
    group.add_argument("--path", metavar="GLOB", help="only matching paths (docs/**/*.md) or file names")
    group.add_argument("--trust", choices=("primary", "secondary", "generated"), help="minimum trust level")
    group.add_argument("--source", metavar="ID", help="only this root (`source_id` in list --json)")
    types = ("markdown", "note", "paper", "reference", "inbox")
    group.add_argument("--type", choices=types, help="only this document type")
    media = ("markdown", "text", "code", "pdf", "manifest", "picture")
    group.add_argument("--media", choices=media, help="only this medium")
    group.add_argument("--doc", metavar="DOC", help="only this document (path or id)")
    group.add_argument("--code-lang", metavar="LANG", help="only code in this language (python, rust, …)")
    group.add_argument("--repo", metavar="NAME", help="only this repository")
    group.add_argument(
        "--since", metavar="DATE", help="only documents dated on or after this date or time (2026-01-31)"
    )
    group.add_argument("--until", metavar="DATE", help="only documents dated on or before this date or time")


def _add_eval(leaf: Parser) -> None:
    leaf.argument("suite", "FILE", "golden queries (YAML)", type=path_name)
    leaf.flag("--ingest", "index the suite's `corpus` into a temporary library")
    leaf.add_argument(
        "--mode",
        choices=("lexical", "vector", "hybrid"),
        action="append",
        help="search modes (default: lexical, hybrid)",
    )
    leaf.argument("-k", "--k", "N", "number of results for recall and precision (default 10)", type=number, default=10)
    leaf.flag("--keep", "save the run for later comparison")
    leaf.argument("--compare", "RUN", "compare with this run (default: the last saved run)", nargs="?", const="")
