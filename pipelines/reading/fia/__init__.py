"""The reader of FIA regulations: from a PDF page's glyphs to clauses."""
