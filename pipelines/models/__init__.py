"""The models behind search, chosen by settings: the only importer of torch and the model SDKs on the search side."""
