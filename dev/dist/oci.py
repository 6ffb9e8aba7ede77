"""Images of the Open Container Initiative (Image Format 1.1), of one layer, as bytes that depend on
the content only."""

import gzip
import hashlib
import io
import json
import tarfile

MANIFEST = "application/vnd.oci.image.manifest.v1+json"
INDEX = "application/vnd.oci.image.index.v1+json"
CONFIG = "application/vnd.oci.image.config.v1+json"
LAYER = "application/vnd.oci.image.layer.v1.tar+gzip"


def entry(name, mode, time, owner=0, data=None):
    """A file, or a folder without `data`, for `tar`."""
    header = tarfile.TarInfo(name)
    header.mode, header.mtime, header.uid, header.gid = mode, time, owner, owner
    header.type, header.size = (tarfile.DIRTYPE, 0) if data is None else (tarfile.REGTYPE, len(data))
    return header, data


def tar(entries):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for header, data in entries:
            archive.addfile(header, io.BytesIO(data or b""))
    return out.getvalue()


class Layout:
    """The blobs of an image layout, and the file that holds it."""

    def __init__(self):
        self.blobs = {}

    def add(self, data, media_type, **more):
        """Adds a blob, and returns its descriptor."""
        if not isinstance(data, bytes):
            data = json.dumps(data, separators=(",", ":")).encode()
        digest = hashlib.sha256(data).hexdigest()
        self.blobs[digest] = data
        return {"mediaType": media_type, "digest": f"sha256:{digest}", "size": len(data), **more}

    def image(self, architecture, entries, created, config, annotations):
        """Adds an image for Linux, and returns the descriptor of its manifest."""
        layer = tar(entries)
        content = {
            "created": created,
            "architecture": architecture,
            "os": "linux",
            "config": config,
            "rootfs": {"type": "layers", "diff_ids": [f"sha256:{hashlib.sha256(layer).hexdigest()}"]},
            "history": [{"created": created, "created_by": "dev/dist/steps/image"}],
        }
        manifest = {
            "schemaVersion": 2,
            "mediaType": MANIFEST,
            "config": self.add(content, CONFIG),
            "layers": [self.add(gzip.compress(layer, 9, mtime=0), LAYER)],
            "annotations": annotations,
        }
        return self.add(manifest, MANIFEST, platform={"architecture": architecture, "os": "linux"})

    def archive(self, manifests, tag, annotations, time):
        """The layout as a tar archive, with an index of all manifests under the tag."""
        index = {"schemaVersion": 2, "mediaType": INDEX, "manifests": manifests, "annotations": annotations}
        named = self.add(index, INDEX, annotations={"org.opencontainers.image.ref.name": tag})
        files = {
            "index.json": json.dumps({"schemaVersion": 2, "mediaType": INDEX, "manifests": [named]}).encode(),
            "oci-layout": b'{"imageLayoutVersion":"1.0.0"}',
        }
        files |= {f"blobs/sha256/{digest}": data for digest, data in self.blobs.items()}
        folders = [entry(name, 0o755, time) for name in ("blobs", "blobs/sha256")]
        return tar(folders + [entry(name, 0o644, time, data=files[name]) for name in sorted(files)])
