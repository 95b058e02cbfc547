"""A model's files from a model hub, through huggingface_hub: downloaded once, then read from the folder."""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import structlog

from memory.providers.errors import ModelNotFound, ProviderError, ProviderUnavailable
from memory.providers.reach import refuse_external

logger = structlog.get_logger(__name__)


def fetch_files(model: str, names: Sequence[str], *, folder: Path | None, hub: str) -> dict[str, Path]:
    """Those of the files that the model has, by name. Raises ProviderError.

    What was downloaded before is not asked for again; nor is what the model was found not to have. While
    ALLOW_EXTERNAL_PROVIDERS is off, nothing is asked of a hub beyond this machine.
    """
    from huggingface_hub import errors

    try:
        kept = {name: _kept(model, name, folder) for name in names}
        missing = [name for name, place in kept.items() if place is None]
        found = {name: Path(place) for name, place in kept.items() if isinstance(place, str)}
        if missing:
            refuse_external(hub)
            found |= _download(model, missing, folder=folder, hub=hub)
    except ProviderError:
        raise
    except (errors.RepositoryNotFoundError, errors.HFValidationError) as error:
        raise ModelNotFound(f"{hub} has no model {model!r}, or not for everybody.") from error
    except Exception as error:  # the hub's, the HTTP library's beneath it, the disk's
        raise ProviderUnavailable(
            f"{model!r} could not be downloaded from {hub}: {type(error).__name__}."
        ) from error
    return found


def _kept(model: str, name: str, folder: Path | None) -> object:
    """Where the file is; None if nobody knows; anything else if the model has none."""
    from huggingface_hub import try_to_load_from_cache

    return try_to_load_from_cache(model, name, cache_dir=folder)


def _download(model: str, names: Sequence[str], *, folder: Path | None, hub: str) -> dict[str, Path]:
    from huggingface_hub import errors, hf_hub_download

    _be_quiet()
    logger.info(
        "Downloading a model; this happens once",
        event_name="embedder.model.downloading",
        model=model,
        hub=hub,
    )
    _knock(model, names[0], hub)
    found = {}
    for name in names:
        try:
            found[name] = Path(hf_hub_download(model, name, cache_dir=folder, endpoint=hub))
        except errors.RemoteEntryNotFoundError:
            continue
    return found


def _knock(model: str, name: str, hub: str) -> None:
    """Asks once whether the hub is there; the download itself would try for half a minute."""
    from huggingface_hub import errors, get_hf_file_metadata, hf_hub_url

    with suppress(errors.RemoteEntryNotFoundError):
        get_hf_file_metadata(hf_hub_url(model, name, endpoint=hub), endpoint=hub)


def _be_quiet() -> None:
    """No bars and no lines of its own: what is worth saying, we log."""
    from huggingface_hub.utils import logging as hub_logging
    from huggingface_hub.utils.tqdm import disable_progress_bars

    disable_progress_bars()
    hub_logging.get_logger().setLevel("CRITICAL")
