"""Finds a local model's files, in a folder or from a model hub, and reads its settings from them.

The layout is that of sentence-transformers, with the network as ONNX. Files are downloaded once; afterwards the hub is
not asked again, and while ALLOW_EXTERNAL_PROVIDERS is off it is never asked.
"""

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import structlog

from providers.errors import (
    ModelNotFound,
    ProviderError,
    ProviderMisconfigured,
    ProviderUnavailable,
)
from providers.reach import refuse_external

NETWORKS = ("onnx/model.onnx", "model.onnx")
TOKENIZER = "tokenizer.json"
SETTINGS = ("config.json", "modules.json", "1_Pooling/config.json", "sentence_bert_config.json")
MOST_TOKENS = 512  # the vector of a longer text would say too little about each part
KNOWN_MODULES = ("Transformer", "Pooling", "Normalize")
NO_POOLING = "none"


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """`pooling`: how the tokens' vectors become one: `mean`, `cls` (the first token's) or `none`."""

    network: Path
    tokenizer: Path
    most_tokens: int
    pooling: str
    pad_id: int


def is_folder(model: str) -> bool:
    """Return whether a model is given as a folder, and not by its name on the hub."""
    return model.startswith(("/", "./", "../", "~")) or Path(model).is_dir()


def find_files(model: str, *, folder: Path | None, hub: str, pools: bool = True) -> ModelFiles:
    """Find a model's files; download missing ones into `folder`. Raises ProviderError.

    `pools` False: the network returns one vector per text, whatever its files say.
    """
    local = is_folder(model)
    found = _in_folder(Path(model).expanduser()) if local else _from_hub(model, folder=folder, hub=hub)
    return _described(model, found, pools=pools)


def _in_folder(root: Path) -> dict[str, Path]:
    found = {name: root / name for name in (*NETWORKS, TOKENIZER, *SETTINGS) if (root / name).is_file()}
    if TOKENIZER not in found or not any(name in found for name in NETWORKS):
        raise ProviderMisconfigured(
            f"{root} holds no model: it needs {TOKENIZER} and {' or '.join(NETWORKS)}. "
            "A model with other weights can be exported to ONNX first."
        )
    return found


def _from_hub(model: str, *, folder: Path | None, hub: str) -> dict[str, Path]:
    usual, other = NETWORKS
    found = fetch_files(model, (TOKENIZER, *SETTINGS, usual), folder=folder, hub=hub)
    if usual not in found:
        found |= fetch_files(model, (other,), folder=folder, hub=hub)
    if TOKENIZER not in found or not any(name in found for name in NETWORKS):
        raise ModelNotFound(f"{model!r} has no {TOKENIZER} with {usual} on {hub}; choose another model.")
    return found


def _described(model: str, found: dict[str, Path], *, pools: bool) -> ModelFiles:
    try:
        said = {name: json.loads(found[name].read_text()) for name in SETTINGS if name in found}
        config = said.get("config.json", {})
        stated = said.get("sentence_bert_config.json", {}).get("max_seq_length")
        most_tokens = int(stated or config.get("max_position_embeddings") or MOST_TOKENS)
        return ModelFiles(
            network=next(found[name] for name in NETWORKS if name in found),
            tokenizer=found[TOKENIZER],
            most_tokens=min(most_tokens, MOST_TOKENS),
            pooling=_pooling(model, said) if pools else NO_POOLING,
            pad_id=int(config.get("pad_token_id") or 0),
        )
    except ProviderError:
        raise
    except (ValueError, TypeError, AttributeError, OSError) as error:
        raise ProviderMisconfigured(f"The files of {model!r} can't be read: {error}.") from error


def _pooling(model: str, said: dict[str, Any]) -> str:
    """The pooling mode, by default mean, as in sentence-transformers. Raises ProviderMisconfigured for unknown ones."""
    modules = [str(module.get("type", "")).rpartition(".")[2] for module in said.get("modules.json", [])]
    stranger = next((name for name in modules if name not in KNOWN_MODULES), None)
    if stranger:
        raise ProviderMisconfigured(
            f"{model!r} has a part that is not supported here: {stranger}. Choose another model."
        )
    config = said.get("1_Pooling/config.json", {})
    asked = {
        name.removeprefix("pooling_mode_")
        for name, on in config.items()
        if on is True and "pooling_mode" in name
    }
    asked |= {config["pooling_mode"]} if isinstance(config.get("pooling_mode"), str) else set()
    pooling = {"mean_tokens": "mean", "cls_token": "cls"}
    modes = {pooling.get(mode, mode) for mode in asked} or {"mean"}
    if len(modes) > 1 or not modes <= {"mean", "cls"}:
        raise ProviderMisconfigured(
            f"{model!r} pools by {', '.join(sorted(modes))}, which is not supported here. Choose another model."
        )
    return str(modes.pop())


logger = structlog.get_logger(__name__)


def fetch_files(model: str, names: Sequence[str], *, folder: Path | None, hub: str) -> dict[str, Path]:
    """Return those of the files that the model has, by name. Raises ProviderError.

    Files that were downloaded before, or are known to be missing, are not asked for again. While
    ALLOW_EXTERNAL_PROVIDERS is off, only a hub on this machine is asked.
    """
    from huggingface_hub import errors, try_to_load_from_cache

    try:
        # The cached file's path; None if it isn't cached; any other object if the model is known not to have it.
        kept = {name: try_to_load_from_cache(model, name, cache_dir=folder) for name in names}
        missing = [name for name, place in kept.items() if place is None]
        found = {name: Path(place) for name, place in kept.items() if isinstance(place, str)}
        if missing:
            refuse_external(hub)
            found |= _download(model, missing, folder=folder, hub=hub)
    except ProviderError:
        raise
    except (errors.RepositoryNotFoundError, errors.HFValidationError) as error:
        raise ModelNotFound(f"{hub} has no model {model!r}, or it is not public.") from error
    except Exception as error:  # errors of the hub, the HTTP library or the disk
        raise ProviderUnavailable(
            f"{model!r} could not be downloaded from {hub}: {type(error).__name__}."
        ) from error
    return found


def _download(model: str, names: Sequence[str], *, folder: Path | None, hub: str) -> dict[str, Path]:
    from huggingface_hub import errors, get_hf_file_metadata, hf_hub_download, hf_hub_url
    from huggingface_hub.utils import logging as hub_logging
    from huggingface_hub.utils.tqdm import disable_progress_bars

    disable_progress_bars()  # and no logs of the library: we log what matters
    hub_logging.get_logger().setLevel("CRITICAL")
    logger.info(
        "downloading a model; this happens once",
        event_name="embedder.model.downloading",
        model=model,
        hub=hub,
    )
    # Check once that the hub answers; the download itself would retry for half a minute.
    with suppress(errors.RemoteEntryNotFoundError):
        get_hf_file_metadata(hf_hub_url(model, names[0], endpoint=hub), endpoint=hub)
    found = {}
    for name in names:
        with suppress(errors.RemoteEntryNotFoundError):
            found[name] = Path(hf_hub_download(model, name, cache_dir=folder, endpoint=hub))
    return found
