#!/usr/bin/env python3
"""Reports paths in *.md files that do not exist: links, and words in backticks that look like ours.

A word with a slash looks like ours if it begins with a folder of the project or of the document, or
ends in the name of a source file. It may leave out folders before it: `dhkem/table.rs`.
"""

import re
import subprocess
import sys
from pathlib import Path, PurePosixPath

# Its paths are those of other projects.
OTHERS = {"docs/comparison.md"}
CODE_BLOCK = re.compile(r"^ *```.*?^ *```", re.S | re.M)
WORD = re.compile(r"`([\w.@/-]+)[^`\n]*`")
LINK = re.compile(r"\]\(([^)#\s]+)[^)]*\)")
SOURCE = re.compile(r"\.(rs|toml|md|py|sh|ts|mjs|yml)$")


def is_built(path):
    """Whether git ignores it or a folder around it, as it does what is built, such as wasm/pkg."""
    around = (path, *list(PurePosixPath(path).parents)[:-1])
    folders = [f"{each}{end}" for each in around for end in ("", "/")]
    check = ["git", "check-ignore", "--quiet"]
    ignored = (subprocess.run([*check, each], stderr=subprocess.DEVNULL) for each in folders)
    return any(answer.returncode == 0 for answer in ignored)


def main():
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    files = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    known = set(files) | {str(parent) for file in files for parent in PurePosixPath(file).parents}
    endings = {"/".join(PurePosixPath(path).parts[at:]) for path in known for at in range(9)} - {""}
    missing = []
    for document in (file for file in files if file.endswith(".md") and file not in OTHERS):
        text, folder = CODE_BLOCK.sub("", Path(document).read_text()), Path(document).parent
        for link in LINK.findall(text):
            if ":" not in link and not (folder / link).exists():
                missing.append((document, link, str(folder / link)))
        for word in WORD.findall(text):
            path = word.rstrip("/").removeprefix("./")
            first, slash, _ = path.partition("/")
            begins = {first, str(folder / first)} & known
            ours = first and slash and (begins or SOURCE.search(path))
            if ours and path not in endings:
                missing.append((document, word, path if first in known else str(folder / path)))
    missing = [(document, word) for document, word, path in missing if not is_built(path)]
    for document, word in missing:
        print(f"{document}: {word} does not exist")
    return min(len(missing), 1)


if __name__ == "__main__":
    sys.exit(main())
