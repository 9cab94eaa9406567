"""PDF by page, manifests by their parts."""

from __future__ import annotations

import io
import zlib
from collections.abc import Callable
from pathlib import Path

import pypdf
import pypdfium2  # pyright: ignore[reportMissingTypeStubs]
import pytest
from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

from core.base.installation import remedy
from core.flows.ingest.api import IngestOptions, ingest
from core.library.chunk import ChunkPolicy, by_pages
from core.library.citations.citation import parse
from core.library.citations.store import file_place
from core.library.documents.opened import open_document
from core.library.documents.read import chunks_of, document_at
from core.library.documents.rows import CodeSpan, PageSpan, ParsedBlock
from core.library.ingest.prepare import cached, pack, trim, unpack
from core.library.parse import pdf
from core.library.parse.pdf import parse_pdf
from core.library.parse.text import parse_manifest
from core.store import Store

DATA = Path(__file__).parents[3] / "data" / "library" / "manifests"


def document(*pages: str, password: str = "", title: str = "") -> bytes:
    """A PDF with these words on its pages."""
    writer = pypdf.PdfWriter()
    font = DictionaryObject(
        {
            NameObject("/Type"): NameObject("/Font"),
            NameObject("/Subtype"): NameObject("/Type1"),
            NameObject("/BaseFont"): NameObject("/Helvetica"),
        }
    )
    for words in pages:
        page = writer.add_blank_page(300, 300)
        fonts = DictionaryObject({NameObject("/F1"): font})
        page[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): fonts})
        stream = DecodedStreamObject()
        shown = "".join(f"({line}) Tj 0 -14 Td " for line in words.split("\n") if line)
        stream.set_data(f"BT /F1 12 Tf 20 250 Td {shown}ET".encode())
        page[NameObject("/Contents")] = writer._add_object(stream)  # pyright: ignore[reportPrivateUsage]
    if title:
        writer.add_metadata({"/Title": title})
    if password:
        writer.encrypt(password, algorithm="RC4-128")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def test_each_page_that_has_words_is_a_block() -> None:
    parsed = parse_pdf(document("start the pump", "", "stop it", title="Pumps"))
    assert [(one.span, one.text) for one in parsed.blocks] == [
        (PageSpan(1), "start the pump"),
        (PageSpan(3), "stop it"),
    ]
    assert parsed.properties == {"title": "Pumps"}
    assert parsed.warnings == ("page 2 has no text; run: casebook library ingest --ocr",)
    scanned = parse_pdf(document("", "", "words", "", "words", ""))
    assert scanned.warnings == ("pages 1-2, 4, 6 have no text; run: casebook library ingest --ocr",)


def test_tables_of_contents_are_no_passages_and_tables_of_numbers_are() -> None:
    dotted = "\n".join(f"{n} Pumps . . . . . . . . . . {n + 4}" for n in range(9))
    levels = "\n".join(["Contents", *(f"Valves {n}" for n in range(9)), *("Gauges . . . . . . . . 7",) * 4])
    table = "\n".join(["How often each pump ran.", *(f"pump {n}" for n in range(9)), "see ........ 3"])
    few = "\n".join(["The valves close at night and open again"] * 9 + ["Gauges ........ 7"] * 3)
    parsed = parse_pdf(document("cover", dotted, levels, table, few))
    assert [one.span for one in parsed.blocks] == [PageSpan(1), PageSpan(4), PageSpan(5)]
    assert parsed.warnings == (), "a page that is left out has text"


def test_a_long_page_is_cut_and_says_which_signs() -> None:
    text = "\n".join(f"reading {n} of the pump" for n in range(60))
    found = list(by_pages([ParsedBlock("page", (), PageSpan(4), text)], ChunkPolicy(60, 0)))
    assert len(found) > 1
    assert len({one.split for one in found}) == len(found)
    for one in found:
        (span,) = one.spans
        assert isinstance(span, PageSpan) and span.page == 4
        assert text[span.char_start : span.char_end] == one.text
        assert one.lines is None


@pytest.mark.parametrize(
    ("data", "said"),
    [(document("x", password="secret"), "qpdf --decrypt"), (b"%PDF-1.7\nbroken", "PDF"), (b"no pdf at all", "PDF")],
    ids=["locked", "broken", "none"],  # a locked one has other bytes in every test process
)
def test_what_cannot_be_read_is_told_and_ends_nothing(
    library: Store, notes: Path, put: Callable[..., Path], data: bytes, said: str
) -> None:
    put("bad.pdf", data)
    put("good.pdf", document("valves and gauges"))
    report = ingest(library, [notes])
    assert (report.new, report.errors) == (1, 1)
    (error,) = [item.error for item in report.items or () if item.kind == "error"]
    assert error is not None and said in error and "\n" not in error
    good = document_at(library.con, "good.pdf")
    assert good is not None
    (chunk,) = chunks_of(library.con, good.doc_id)
    assert (chunk.spans, chunk.line_start, chunk.text) == ((PageSpan(1),), None, "valves and gauges")


def test_without_a_reader_it_is_left_out_and_says_what_to_install(
    library: Store, notes: Path, put: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    put("a.pdf", document("words"))
    monkeypatch.setattr(pdf, "find_spec", lambda _: None)
    report = ingest(library, [notes])
    assert report.skipped_other == {"no_reader": 1}
    assert report.items is not None and remedy("pdf") in str(report.items[0].error)


def test_a_damaged_page_leaves_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    read = pdf._page

    def page(document: pypdfium2.PdfDocument, number: int) -> str:
        if number in broken:
            raise pypdfium2.PdfiumError("Failed to load page.")
        return read(document, number)

    monkeypatch.setattr(pdf, "_page", page)
    broken = {1}
    parsed = parse_pdf(document("start the pump", "lost", "stop it"))
    assert [one.span for one in parsed.blocks] == [PageSpan(1), PageSpan(3)]
    assert parsed.warnings == ("page 2 is damaged and could not be read",)
    broken = {0, 1, 2}
    with pytest.raises(ValueError, match="all its pages are damaged"):
        parse_pdf(document("start the pump", "lost", "stop it"))


def test_another_cut_does_not_read_a_pdf_again(
    library: Store, notes: Path, put: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    put("a.pdf", document("\n".join(f"reading {n} of the pump" for n in range(20))))
    ingest(library, [notes])
    read: list[int] = []
    monkeypatch.setattr(pdf, "parse_pdf", lambda data: read.append(len(data)) or parse_pdf(data))
    assert ingest(library, [notes], IngestOptions(target_tokens=40, overlap_tokens=0)).updated == 1
    assert read == []
    assert len(library.con.execute("SELECT 1 FROM chunks").fetchall()) > 1
    put("a.pdf", document("other words"), at=1_700_000_900)
    assert ingest(library, [notes]).updated == 1
    assert len(read) == 1


def test_a_pdf_opens_at_its_page_with_no_word_twice(library: Store, notes: Path, put: Callable[..., Path]) -> None:
    page = "\n".join(f"reading {n} of the pump" for n in range(20))
    put("a.pdf", document("cover", page, "last words"))
    ingest(library, [notes], IngestOptions(target_tokens=40, overlap_tokens=0))
    found = open_document(library.con, "a.pdf", parse("a.pdf#p=2"))
    assert [number for number, _ in found.pages] == [1, 2, 3]
    assert found.cited is not None
    assert found.cited[0] == found.pages[1][1]
    said = [line for line in found.lines if line]
    assert said[0] == "cover"
    assert said[-1] == "last words"
    assert [line for line in said if line.startswith("reading")] == page.split("\n")


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("a.pdf#p=3", ""),
        ("a.pdf#p=99", "no text found on page 99: the last page with text is 3"),
        ("a.pdf#p=2", "no text found on page 2: the last page with text is 3"),
        ("a.pdf#L2", "no text at L2"),
        ("a.md#p=3", "no text found on page 3"),
    ],
)
def test_a_page_without_text_or_beyond_the_end_is_told(
    library: Store, notes: Path, put: Callable[..., Path], name: str, told: str
) -> None:
    put("a.pdf", document("cover", "", "last words"))
    put("a.md", "# Alpha\n\nwords\n")
    ingest(library, [notes])
    opened = open_document(library.con, name.partition("#")[0], parse(name))
    assert (opened.notice, opened.cited is None) == (told, bool(told))
    place = file_place(library.con, name)
    assert (place.told, place.line) == (told, 1)


def test_what_was_used_longest_ago_is_let_go_first(library: Store) -> None:
    with library.transaction() as con:
        for n in range(4):
            con.execute(f"INSERT INTO derivation_cache VALUES ('{n}', 'pdf', zeroblob(10), '', '2025-01-0{n + 1}')")
        trim(con, 25)
    assert [cached(library.con, str(n)) is not None for n in range(4)] == [False, False, True, True]


def test_a_reading_comes_back_as_it_was() -> None:
    parsed = parse_manifest((DATA / "plant.yaml").read_text(), "plant.yaml")
    assert unpack(pack(parsed)) == parsed
    for broken in (b"", b"x" * 20, zlib.compress(b"[1]")):
        with pytest.raises(ValueError):
            unpack(broken)


def test_kubernetes_resources_are_passages_of_their_own() -> None:
    parsed = parse_manifest((DATA / "plant.yaml").read_text(), "plant.yaml")
    assert [(one.span, one.heading_path) for one in parsed.blocks] == [
        (CodeSpan(1, 9, "Deployment/pump-control", "kubernetes"), ("Deployment/pump-control",)),
        (CodeSpan(12, 17, "Service/pumps", "kubernetes"), ("Service/pumps",)),
    ]


def test_a_dockerfile_is_read_by_its_stages() -> None:
    parsed = parse_manifest((DATA / "Dockerfile").read_text(), "Dockerfile")
    assert [(one.span, one.text.split("\n")[-1]) for one in parsed.blocks] == [
        (CodeSpan(1, 2, None, "dockerfile"), "ARG BASE=alpine"),
        (CodeSpan(4, 5, "build", "dockerfile"), "RUN make pumps"),
        (CodeSpan(7, 8, "scratch", "dockerfile"), "COPY --from=build /pumps /pumps"),
    ]


@pytest.mark.parametrize(
    "text",
    ["a: 1\n", "kind: x\n", "apiVersion: v1\nkind:\n", "metadata:\n" + "  \n" * 20_000, ""],
    ids=["key", "kind", "no kind", "long", "empty"],
)
def test_other_yaml_is_plain_text(text: str) -> None:
    assert parse_manifest(text, "a.yml").parser_version == "plain-text/1"
