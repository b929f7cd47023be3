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
    qdrant_prefix: str = Field("techreg", pattern=r"^[a-z0-9_-]+$", description="start of the collections' names")
    qdrant_timeout_s: float = Field(10.0, gt=0, le=600, description="time allowed for one Qdrant request")
    embed_model: str = Field("fitted", description="`fitted`, `packaged`, a model folder, or a hub name")
    embed_batch: int = Field(32, ge=1, le=1024, description="passages embedded at once")
    embed_query_instruction: str | None = Field(None, description="put before a question; unset, the model's own")
    embed_text_instruction: str | None = Field(None, description="put before a passage; unset, the model's own")
    reranker: str = Field("fitted", description="`fitted`, `none`, a model folder, or a hub name")
    candidates: int = Field(30, ge=1, le=200, description="candidates kept before reranking")
    results: int = Field(10, ge=1, le=100, description="results a search returns unless told otherwise")
    threads: int = Field(0, ge=0, le=256, description="CPU threads of the models; 0 means the machine's cores")
    answer_mode: Literal["auto", "extractive", "llm"] = Field(
        "auto", description="who words the answer; `auto` takes the language model where one is set"
    )
    llm: Literal["none", "custom", "openai", "groq", "ollama", "vllm", "gguf"] = Field(
        "none", description="language model: a preset address, `custom` (with the address) or a local `gguf` file"
    )
    llm_url: str = Field("", description="address of an OpenAI-compatible endpoint, up to `/v1`; wins over the preset")
    llm_model: str = Field("", description="name of the language model, or the path of the GGUF file")
    llm_api_key: SecretStr = Field(SecretStr(""), description="key of the language model's endpoint")
    llm_timeout_s: float = Field(60.0, gt=0, le=600, description="time allowed for one reply of the language model")
    llm_retries: int = Field(2, ge=0, le=10, description="further tries after 429, 5xx or a lost connection")
    llm_breaker: int = Field(3, ge=1, le=100, description="failures in a row after which the model is left alone")
    llm_breaker_s: float = Field(60.0, gt=0, le=3600, description="time the model is left alone after that")
    llm_tokenizer: str = Field("", description="tokenizer.json of the language model, to count its tokens exactly")
    llm_rewrite: bool = Field(False, description="let the language model make follow-up questions stand alone")
    judge: Literal["none", "custom", "openai", "groq", "ollama", "vllm", "gguf"] = Field(
        "none", description="language model that judges answers in `techreg eval`; set apart from the one that answers"
    )
    judge_url: str = Field("", description="address of the judge's OpenAI-compatible endpoint; wins over the preset")
    judge_model: str = Field("", description="name of the judge, or the path of its GGUF file")
    judge_api_key: SecretStr = Field(SecretStr(""), description="key of the judge's endpoint")
    judge_timeout_s: float = Field(120.0, gt=0, le=3600, description="time allowed for one reply of the judge")
    judge_tokens: int = Field(1024, ge=32, le=16_000, description="length the judge's reply may have")
    judge_price_in: float = Field(0.0, ge=0, description="price of a million tokens that the judge reads, to tell cost")
    judge_price_out: float = Field(0.0, ge=0, description="price of a million tokens that the judge writes")
    context_tokens: int = Field(2000, ge=256, le=200_000, description="prompt, question and passages together")
    answer_tokens: int = Field(400, ge=32, le=8_000, description="length the language model's reply may have")
    unverified: Literal["drop", "mark"] = Field("drop", description="what happens to a statement that fails its check")
    gate: float = Field(0.5, ge=0, le=1, description="confidence below which a question is refused")
    question_log: str = Field("", description="JSONL file that questions are logged to; empty means none")
    tracing: Literal["off", "console", "otlp"] = Field(
        "off", description="OpenTelemetry spans, to stderr or by OTLP (the extra `otel`)"
    )
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
