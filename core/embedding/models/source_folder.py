"""What a folder of somebody else's says about its model: the files sentence-transformers puts beside the weights."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from core.base.fault import Fault
from core.embedding.models.catalogue import Languages, Pooling

_MOST = 64 << 20
_MANY_WORDS = 60_000
"""A vocabulary this large is one of many languages; English ones have about 30,000 to 50,000 words."""
_ABSURD = 8192
"""Where a tokenizer says it reads more than this, it says nothing: 1e30 stands for unknown."""


@dataclass(frozen=True, slots=True)
class Described:
    """What the files say: `dim` 0 and `window` 0 where they say nothing; `config` is the encoder's own description."""

    dim: int
    window: int
    pooling: Pooling
    languages: Languages
    document_prefix: str
    query_prefix: str
    config: Mapping[str, Any]
    tokenizer_config: Mapping[str, Any]


def describe(folder: Path) -> Described:
    """Read the descriptions in `folder`; missing ones are no fault. Raises Fault invalid_input for others' ways."""
    config, tokenizer = load(folder / "config.json"), load(folder / "tokenizer_config.json")
    _refuse_modules(folder)
    pooling = load(folder / "1_Pooling" / "config.json")
    said = load(folder / "config_sentence_transformers.json").get("prompts")
    prompts: Mapping[str, Any] = cast("Mapping[str, Any]", said) if isinstance(said, dict) else {}
    limits = (
        load(folder / "sentence_bert_config.json").get("max_seq_length"),
        tokenizer.get("model_max_length"),
        config.get("max_position_embeddings"),
    )
    many = whole(config.get("vocab_size")) > _MANY_WORDS or "multilingual" in folder.name.lower()
    return Described(
        dim=whole(config.get("hidden_size")),
        window=next((whole(limit) for limit in limits if 8 <= whole(limit) <= _ABSURD), 0),
        pooling=_pooling(folder, pooling),
        languages="multilingual" if many else "en",
        document_prefix=_text(prompts, "document", "passage"),
        query_prefix=_text(prompts, "query"),
        config=config,
        tokenizer_config=tokenizer,
    )


def load(path: Path) -> dict[str, Any]:
    """A JSON object from a file, empty where there is none. Raises Fault invalid_input where it is none."""
    try:
        with path.open("rb") as file:
            found = json.loads(file.read(_MOST))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as error:
        raise Fault("invalid_input", f"{path} cannot be read as JSON", "get the model anew") from error
    if not isinstance(found, dict):
        raise Fault("invalid_input", f"{path} is no JSON object", "get the model anew")
    return cast("dict[str, Any]", found)


def whole(value: object) -> int:
    """A whole number, or 0 for anything else."""
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def _refuse_modules(folder: Path) -> None:
    path = folder / "modules.json"
    try:
        found: object = json.loads(path.read_bytes()) if path.is_file() else []
    except (OSError, ValueError, RecursionError) as error:
        raise Fault("invalid_input", f"{path} cannot be read as JSON", "get the model anew") from error
    for module in cast("list[object]", found) if isinstance(found, list) else []:
        kind = str(cast("Mapping[str, Any]", module).get("type", "")) if isinstance(module, dict) else ""
        if kind.rpartition(".")[2] not in ("Transformer", "Pooling", "Normalize"):
            raise _refused(folder, f"it has a layer {kind or 'without a name'} after the encoder")


def _pooling(folder: Path, said: Mapping[str, Any]) -> Pooling:
    on = [name for name, value in said.items() if name.startswith("pooling_mode_") and value is True]
    named = said.get("pooling_mode")
    if isinstance(named, str) and not on:
        on = [f"pooling_mode_{named}"]
    if not on or on in (["pooling_mode_mean_tokens"], ["pooling_mode_mean"]):
        return "mean"
    if on in (["pooling_mode_cls_token"], ["pooling_mode_cls"]):
        return "cls"
    raise _refused(folder, "it pools tokens in another way than by their mean or the first one")


def _text(prompts: Mapping[str, Any], *names: str) -> str:
    return next((value for name in names if isinstance(value := prompts.get(name), str) and value), "")


def _refused(folder: Path, why: str) -> Fault:
    return Fault("invalid_input", f"{folder} cannot be used: {why}", "casebook models list names models that work")
