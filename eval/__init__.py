"""Evaluation that anyone can re-run: retrieval, answers, ragas and judge reports, the sweep, gold questions, speed."""
