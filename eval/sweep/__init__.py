"""The ablation sweep: named conditions, each changing one thing, over one corpus and one set of gold questions."""
