"""Checks an image layout as a registry and a runtime do, and unpacks one of its images:
unpack_image.py FILE ARCHITECTURE ROOT, for dev/dist/install. Prints its user."""

import gzip
import hashlib
import io
import json
import sys
import tarfile


def main(file, architecture, root):
    with tarfile.open(file) as archive:
        files = {member.name: archive.extractfile(member).read() for member in archive if member.isfile()}
    assert json.loads(files["oci-layout"]) == {"imageLayoutVersion": "1.0.0"}

    def blob(descriptor):
        data = files[descriptor["digest"].replace("sha256:", "blobs/sha256/")]
        assert f"sha256:{hashlib.sha256(data).hexdigest()}" == descriptor["digest"], descriptor
        assert len(data) == descriptor["size"], descriptor
        return data

    (tagged,) = json.loads(files["index.json"])["manifests"]
    manifests = json.loads(blob(tagged))["manifests"]
    platform = {"architecture": architecture, "os": "linux"}
    (manifest,) = (json.loads(blob(each)) for each in manifests if each["platform"] == platform)
    config = json.loads(blob(manifest["config"]))
    assert {name: config[name] for name in platform} == platform
    (layer,) = (gzip.decompress(blob(each)) for each in manifest["layers"])
    assert config["rootfs"]["diff_ids"] == [f"sha256:{hashlib.sha256(layer).hexdigest()}"]
    with tarfile.open(fileobj=io.BytesIO(layer)) as archive:
        archive.extractall(root, numeric_owner=True)
    assert config["config"]["User"].split(":")[0] not in ("", "0", "root")
    print(config["config"]["User"])


main(*sys.argv[1:])
