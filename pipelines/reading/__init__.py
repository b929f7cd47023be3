"""Files read into clauses, each format by a reader of its own."""
