"""Text of pictures and scanned pages: by a double of the engine everywhere, by Tesseract where it and English are."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest

from core.base.config.settings import ChunkingSettings
from core.base.fault import Fault
from core.flows.ingest.api import IngestOptions, ingest
from core.flows.ingest.single import ingest_file
from core.library.chunk import ChunkPolicy, by_regions
from core.library.documents.opened import fetch, open_document
from core.library.documents.rows import ParsedBlock, RegionSpan
from core.library.ingest import ocr_data
from core.library.ingest.ocr_data import take_ocr_data
from core.library.ingest.options import options_of
from core.library.parse import ocr
from core.library.search.api import SearchQuery, search
from core.library.search.inspect import ChunkInspection, inspect
from core.store import Store
from tests.core.library.ingest.support import Put, counts, rows
from tests.core.library.parse.test_pdf_manifest import document

PARAGRAPHS = [
    ("FAIL src/pool.test.ts\nError: connect ECONNREFUSED", 92.0, (32, 103, 579, 181)),
    ("~~ ,.", 95.0, (1, 1, 5, 5)),
    ("ghost of an icon", 21.0, (700, 10, 720, 30)),
    ("The pool gives up after three retries.", 95.0, (30, 233, 679, 281)),
]
LANGS = "eng+kor"


@dataclass
class Engine:
    """What `tesserocr.PyTessBaseAPI` does, for a picture whose paragraphs are known."""

    began: ClassVar[list[str]] = []
    path: str
    lang: str
    found: list[Any] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.began.append(self.lang)

    def SetImageFile(self, name: str) -> None:
        if not Path(name).read_bytes().startswith(b"\x89PNG"):
            os.write(2, b"libpng error")
            raise OSError("no picture")

    def SetImageBytes(self, data: bytes, width: int, height: int, depth: int, line: int) -> None:
        assert len(data) == height * line and line >= width * depth

    def Recognize(self, _timeout: int) -> bool:
        return True

    def GetIterator(self) -> list[Any]:
        return [
            SimpleNamespace(
                BoundingBox=lambda _, box=box: box, Confidence=lambda _, sure=sure: sure,
                GetUTF8Text=lambda _, text=text: text + "\n\n",
            )
            for text, sure, box in PARAGRAPHS
        ]  # fmt: skip

    def End(self) -> None:
        pass


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[list[str]]:
    """The double in the place of the engine, with English and Korean; the languages of each start."""
    module = SimpleNamespace(
        PyTessBaseAPI=Engine, RIL=SimpleNamespace(PARA=1), iterate_level=lambda found, _: found,
        set_leptonica_log_level=lambda _: None, LeptLogLevel=SimpleNamespace(NONE=0),
    )  # fmt: skip
    monkeypatch.setitem(sys.modules, "tesserocr", module)
    monkeypatch.setattr(ocr, "is_installed", lambda: True)
    Engine.began.clear()
    yield Engine.began


PNG = b"\x89PNG\r\n\x1a\n\0\0\0"
ON = IngestOptions(ocr=LANGS)


def test_a_picture_is_searched_and_cited_by_its_region(library: Store, put: Put, engine: list[str]) -> None:
    notes = put("shots/fail.png", PNG).parents[1]
    assert counts(ingest(library, [notes], ON)) == {"new": 1}
    (hit,) = search(library, SearchQuery("pool retries", "lexical")).hits
    assert hit.citation.uri == "shots/fail.png#xywh=30,103,649,178"
    assert "ghost" not in hit.snippet and "~~" not in hit.snippet
    found = inspect(library.con, "shots/fail.png#xywh=40,240,5,5")
    assert isinstance(found, ChunkInspection) and found.citation == hit.citation
    with pytest.raises(Fault, match="no passage at xywh=700,10,5,5"):
        inspect(library.con, "shots/fail.png#xywh=700,10,5,5")
    assert "three retries" in fetch(library.con, hit.citation.uri).text
    opened = open_document(library.con, "shots/fail.png", hit.citation)
    assert (opened.state, opened.notice, opened.cited is not None) == ("passages", "", True)
    assert engine == [LANGS]


def test_paragraphs_far_apart_become_passages_of_their_own(engine: list[str]) -> None:
    blocks = [ParsedBlock("paragraph", (), RegionSpan(10, 100 * n, 50, 20), f"{n} words " * 20) for n in range(4)]
    found = list(by_regions(blocks, ChunkPolicy(120, 0)))
    assert [one.spans for one in found] == [(RegionSpan(10, 0, 50, 120),), (RegionSpan(10, 200, 50, 120),)]


def test_a_scanned_page_is_cited_as_a_page_beside_those_with_text(library: Store, put: Put, engine: list[str]) -> None:
    notes = put("book.pdf", document("valves and gauges", "")).parent
    plain = ingest(library, [notes])
    assert plain.items is not None
    (item,) = plain.items
    assert item.warnings == ("page 2 has no text; run: casebook library ingest --ocr",)
    assert counts(ingest(library, [notes], ON)) == {"updated": 1}
    uris = [hit.citation.uri for hit in search(library, SearchQuery("pool valves", "lexical")).hits]
    assert sorted(uris) == ["book.pdf#p=1", "book.pdf#p=2"]


def test_what_was_read_stays_without_ocr_and_is_read_once(library: Store, put: Put, engine: list[str]) -> None:
    put("book.pdf", document("", "words"))
    notes = put("fail.png", PNG).parent
    assert counts(ingest(library, [notes], ON)) == {"new": 2}
    kept = rows(library, "SELECT chunk_id FROM chunks ORDER BY id")
    for options in (ON, IngestOptions(), IngestOptions(rehash=True)):
        assert counts(ingest(library, (), options)) == {"unchanged": 2}
    assert rows(library, "SELECT chunk_id FROM chunks ORDER BY id") == kept
    assert len(engine) == 2
    changed = IngestOptions(target_tokens=40, overlap_tokens=0, ocr=LANGS)
    assert counts(ingest(library, (), changed)) == {"updated": 2}
    assert len(engine) == 2, "what OCR read is kept by the file's content"
    (notes / "fail.png").unlink()
    assert counts(ingest(library)) == {"removed": 1, "unchanged": 1}


def test_without_ocr_pictures_are_left_out(library: Store, put: Put) -> None:
    report = ingest(library, [put("fail.png", PNG).parent])
    assert report.skipped_by_extension == {"png": 1}


def test_what_is_no_picture_and_what_has_no_text_is_told(
    library: Store,
    put: Put,
    engine: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    put("broken.png", b"<html>")
    report = ingest(library, [put("a.md", "# A\n\nwords\n").parent], ON)
    assert (report.new, report.errors) == (1, 1)
    assert [one.error for one in report.items or () if one.error] == ["the image cannot be read"]
    assert "libpng" not in capfd.readouterr().err
    monkeypatch.setattr(f"{__name__}.PARAGRAPHS", [])
    put("broken.png", PNG, at=1_700_000_900)
    items = ingest(library, (), ON).items
    assert items is not None
    (item,) = items
    assert (item.kind, item.warnings) == ("new", ("no readable text in the image",))
    again = ingest(library, (), ON)
    assert again.unchanged == 2, "it is not read again"


def test_one_picture_is_added_by_its_name(library: Store, put: Put, tmp_path: Path, engine: list[str]) -> None:
    ingest(library, [put("a.md", "# A\n\nwords\n").parent])
    (tmp_path / "shot.png").write_bytes(PNG)
    with pytest.raises(Fault, match="not readable text"):
        ingest_file(library, tmp_path / "shot.png")
    assert ingest_file(library, tmp_path / "shot.png", ON).new == 1
    assert ingest(library).unchanged == 2


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A data folder of one's own, and no Tesseract on the system."""
    monkeypatch.setattr(ocr, "user_folder", lambda _: tmp_path / "data")
    monkeypatch.setattr(ocr_data, "_SYSTEM", ((str(tmp_path / "usr"), "*/tessdata"),))
    return tmp_path


def test_language_data_is_taken_from_where_it_is(home: Path) -> None:
    none = take_ocr_data(None, (), {})
    assert ([one.status for one in none.languages], none.ready) == (["missing", "missing"], ())
    assert none.hint is not None and "apt install tesseract-ocr-eng" in none.hint
    system = home / "usr" / "5" / "tessdata"
    system.mkdir(parents=True)
    (system / "eng.traineddata").write_bytes(b"e" * 20_000)
    (system / "kor.traineddata").write_bytes(b"<html>")
    found = take_ocr_data(None, (), {})
    assert [(one.language, one.status) for one in found.languages] == [("eng", "copied"), ("kor", "missing")]
    assert found.ready == ("eng",) == ocr.languages()
    own = home / "own"
    own.mkdir()
    for name in ("eng", "kor", "deu"):
        (own / f"{name}.traineddata").write_bytes(name.encode() * 20_000)
    assert [one.status for one in take_ocr_data(None, (), {"TESSDATA_PREFIX": str(own)}).languages] == [
        "present", "copied",
    ]  # fmt: skip
    assert take_ocr_data(own, ("eng", "deu")).ready == ("eng", "kor", "deu")
    assert (home / "data" / "tessdata" / "eng.traineddata").read_bytes() == b"eng" * 20_000
    for folder, wanted in ((home / "none", ()), (own, ("../eng",)), (own, ("",))):
        with pytest.raises(Fault) as fault:
            take_ocr_data(folder, wanted)
        assert fault.value.code == "invalid_input"


def test_what_is_missing_names_the_command(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ocr, "is_installed", lambda: False)
    assert "extra ocr" in ocr.lacking()
    assert options_of(ChunkingSettings(), ocr=True).ocr == ""
    monkeypatch.setattr(ocr, "is_installed", lambda: True)
    assert ocr.lacking() == "OCR has no language data. Run: casebook library ocr-data"


def _real_data() -> Path | None:
    """A folder with English, if Tesseract can be asked here."""
    if not ocr.is_installed():
        return None
    places = [ocr.data_folder(), *ocr_data._places(os.environ)]
    return next((place for place in places if (place / "eng.traineddata").is_file()), None)


REAL = _real_data()


@pytest.mark.skipif(REAL is None, reason="the extra ocr, or English for it, is not on this machine")
def test_tesseract_reads_a_picture_and_a_scanned_page(library: Store, put: Put, home: Path) -> None:
    from PIL import Image, ImageDraw, ImageFont

    assert REAL is not None
    (home / "data").mkdir()
    (home / "data" / "tessdata").symlink_to(REAL)
    picture = Image.new("L", (900, 300), 255)
    font: Any = ImageFont.load_default(28)
    ImageDraw.Draw(picture).text((60, 120), "The pool gives up after three retries.", font=font, fill=0)
    png, pdf = io.BytesIO(), io.BytesIO()
    picture.save(png, "PNG")
    picture.save(pdf, "PDF", resolution=150)
    put("shot.png", png.getvalue())
    notes = put("scan.pdf", pdf.getvalue()).parent
    assert ingest(library, [notes], IngestOptions(ocr="eng")).new == 2
    hits = {hit.doc_path: hit for hit in search(library, SearchQuery("pool retries", "lexical")).hits}
    assert hits["scan.pdf"].citation.uri == "scan.pdf#p=1"
    box: Any = hits["shot.png"].citation
    assert "gives up after three retries" in hits["shot.png"].snippet
    assert 50 <= box.x <= 75 and 110 <= box.y <= 145 and box.h < 50
