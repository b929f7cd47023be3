"""Settings: read once by an entry point from the environment (prefix ``TECHREG_``) and ``.env``, then passed in.

Nothing is read at import. An unknown ``TECHREG_`` key is an error, so a misspelt setting never goes unnoticed.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from pipelines.errors import SettingsError

PREFIX = "TECHREG_"


class Settings(BaseSettings):
    """Every setting of the product; the README's table is generated from the descriptions here."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, env_file=".env", extra="forbid", frozen=True)

    documents: Path = Field(Path("data/regulations"), description="folder the PDFs are read from")
    storage: Path = Field(Path("qdrant_storage"), description="folder of the local index")
    qdrant_url: str = Field("", description="address of a Qdrant server; empty means the local folder")
    qdrant_api_key: SecretStr = Field(SecretStr(""), description="key of the Qdrant server")
    qdrant_timeout_s: float = Field(10.0, gt=0, le=600, description="time allowed for one Qdrant request")
    embed_model: str = Field("packaged", description="`packaged`, a model folder, or a hub name")
    embed_batch: int = Field(32, ge=1, le=1024, description="passages embedded at once")
    reranker: str = Field("none", description="`none`, a model folder, or a hub name")
    candidates: int = Field(30, ge=1, le=200, description="candidates kept before reranking")
    results: int = Field(10, ge=1, le=100, description="results a search returns unless told otherwise")
    threads: int = Field(0, ge=0, le=256, description="CPU threads of the models; 0 means the machine's cores")
    log_level: Literal["debug", "info", "warning", "error"] = Field("warning", description="what is logged to stderr")
    host: str = Field("127.0.0.1", description="address the app binds")
    port: int = Field(7860, ge=0, le=65535, description="port the app binds; 0 takes a free one")


def load_settings(**overrides: object) -> Settings:
    """Read the settings from the environment and ``.env``; ``overrides`` win.

    Raises:
        SettingsError: a key is unknown or a value is out of bounds; the message names it.
    """
    known = {f"{PREFIX}{name}".upper() for name in Settings.model_fields}
    unknown = sorted(key for key in os.environ if key.upper().startswith(PREFIX) and key.upper() not in known)
    unknown = [key for key in unknown if key not in _OUTSIDE]
    if unknown:
        raise SettingsError(f"unknown setting {unknown[0]}")
    try:
        return Settings(**overrides)  # type: ignore[arg-type]
    except ValidationError as error:
        first = error.errors()[0]
        name = PREFIX + "_".join(str(part) for part in first["loc"]).upper().removeprefix(PREFIX)
        raise SettingsError(f"{name}: {first['msg'].lower()}") from error


# Read by scripts and tests, not by the product.
_OUTSIDE = frozenset({"TECHREG_CHROMIUM"})
