"""The index: Qdrant collections, the manifest that says what counts, and the lock of a local folder."""

from pipelines.index.index import Index, open_index
from pipelines.index.lock import OwnerInfo, owner
from pipelines.index.manifest import Entry, Manifest, ManifestFile

__all__ = ["Entry", "Index", "Manifest", "ManifestFile", "OwnerInfo", "open_index", "owner"]
