"""Fitting the encoder that serves dense search and late-interaction reranking."""
