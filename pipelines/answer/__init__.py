"""From the passages of a search to an answer with checked citations, a refusal or a failure."""
