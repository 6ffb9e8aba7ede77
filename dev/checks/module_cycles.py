#!/usr/bin/env python3
"""Modules of each Rust crate must not depend on each other in a circle.

For each module, its children (each with all modules below it) must form a graph without a cycle. A
module and its own ancestors may use each other. Tests are not counted. A name is followed through
`pub use` to the module that defines it. Nor may the page's files in TypeScript import each other in a
circle. Prints each cycle, with the paths that tie it, and the number of modules read.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RAW = re.compile(r'r(#*)".*?"\1', re.S)
STRING = re.compile(r'"(?:\\.|[^"\\])*"', re.S)
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
TEST = re.compile(r"#\[cfg\((?:all\()?test\b[^\]]*\]\s*(?:#\[[^\]]*\]\s*)*")
MOD = re.compile(r"(?:#\[path = ''(?P<path>\S+)\]\s*)?\b(?:pub(?:\([^)]*\))?\s+)?mod\s+(?P<name>\w+)\s*;")
USE = re.compile(r"(?P<pub>pub(?:\([^)]*\))?\s+)?\buse\s+(?P<tree>[^;]+);")
PATH = re.compile(r"\b(?:crate|super|self)(?:::\w+)+")


def block_end(text, start):
    """The place after the item that starts there: after its `;` or its braces."""
    depth = 0
    for place in range(start, len(text)):
        if text[place] == "{":
            depth += 1
        elif text[place] == "}":
            depth -= 1
            if depth == 0:
                return place + 1
        elif text[place] == ";" and depth == 0:
            return place + 1
    return len(text)


def code(path):
    """A file's code without comments, strings and items for tests."""
    text = path.read_text()
    text = re.sub(r"'(\\.|[^'\\])'", "' '", text)
    text = COMMENT.sub("", RAW.sub("''", STRING.sub("''", text)))
    while found := TEST.search(text):
        text = text[: found.start()] + text[block_end(text, found.end()) :]
    return text


def leaves(tree, prefix=()):
    """The paths of a use tree, each with the name that it gives."""
    tree = tree.strip()
    if "{" not in tree:
        path, _, alias = tree.partition(" as ")
        parts = prefix + tuple(part.strip() for part in path.split("::") if part.strip())
        if parts and parts[-1] == "self" and len(parts) > 1:
            parts = parts[:-1]
        yield parts, (alias.strip() or (parts[-1] if parts else ""))
        return
    head, inner = tree.split("{", 1)
    prefix += tuple(part.strip() for part in head.split("::") if part.strip())
    depth, start = 0, 0
    inner = inner[: inner.rindex("}")]
    for place, letter in enumerate(inner + ","):
        depth += {"{": 1, "}": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            if inner[start:place].strip():
                yield from leaves(inner[start:place], prefix)
            start = place + 1


class Crate:
    """The modules of one crate: paths as tuples of names, the root is ()."""

    def __init__(self, root):
        self.files, self.code, self.names, self.globs = {}, {}, {}, {}
        self.read((), root, root.parent)

    def read(self, module, file, folder):
        text = code(file)
        self.files[module], self.code[module] = file, text
        for found in MOD.finditer(text):
            name = found["name"]
            candidates = [folder / f"{name}.rs", folder / name / "mod.rs"]
            child = next((path for path in candidates if path.exists()), None)
            if child:
                self.read(module + (name,), child, folder / name)
        self.names[module] = {
            name: path
            for found in USE.finditer(text)
            for path, name in leaves(found["tree"])
        }

    def absolute(self, module, path):
        """A path as written in a module, from the crate's root; None if it leaves the crate."""
        if path[0] == "crate":
            return path[1:]
        base = module
        if path[0] in ("self", "super"):
            while path and path[0] in ("self", "super"):
                base = base[:-1] if path[0] == "super" else base
                path = path[1:]
            return base + path
        return module + path if module + path[:1] in self.files else None

    def home(self, path, seen=()):
        """The module that defines what this absolute path names."""
        at = ()
        while len(at) < len(path) and at + (path[len(at)],) in self.files:
            at += (path[len(at)],)
        rest = path[len(at) :]
        if not rest or (at, rest[0]) in seen:
            return at
        target = self.names[at].get(rest[0])
        if target is None:
            return at
        absolute = self.absolute(at, target)
        return at if absolute is None else self.home(absolute + rest[1:], seen + ((at, rest[0]),))

    def edges(self):
        """(from, to, path) of all modules that use another."""
        for module, text in self.code.items():
            written = {path for found in USE.finditer(text) for path, _ in leaves(found["tree"])}
            written |= {tuple(path.split("::")) for path in PATH.findall(USE.sub("", text))}
            for path in sorted(written):
                if path and (absolute := self.absolute(module, path)) is not None:
                    if (home := self.home(absolute)) != module:
                        yield module, home, "::".join(path)


def cycles(graph):
    """The strongly connected components of more than one node (Tarjan)."""
    index, low, stack, out = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for after in graph.get(node, ()):
            if after not in index:
                visit(after)
            if after in stack:
                low[node] = min(low[node], low[after])
        if low[node] == index[node]:
            part = stack[stack.index(node) :]
            del stack[stack.index(node) :]
            if len(part) > 1:
                out.append(part)

    for node in list(graph):
        if node not in index:
            visit(node)
    return out


def check(root):
    """Prints the cycles of a crate; their number and that of its modules."""
    crate = Crate(root)
    ties, graph = {}, {}
    for start, end, path in crate.edges():
        common = 0
        while common < min(len(start), len(end)) and start[common] == end[common]:
            common += 1
        if common in (len(start), len(end)):
            continue  # a module and its ancestor
        a, b = start[: common + 1], end[: common + 1]
        graph.setdefault(a[:-1], {}).setdefault(a, set()).add(b)
        ties.setdefault((a, b), set()).add(f"{'::'.join(start)} uses {path}")
    count = 0
    for level in graph.values():
        for part in cycles(level):
            count += 1
            print(f"{root.relative_to(ROOT)}: " + ", ".join("::".join(node) for node in part))
            for (a, b), paths in ties.items():
                if a in part and b in part:
                    print("".join(f"    {path}\n" for path in sorted(paths)), end="")
    return count, len(crate.files)


def check_typescript(files):
    """Prints the circles of imports between the files; their number."""
    graph = {}
    for file in files:
        imports = re.findall(r'from "(\.[^"]+\.ts)"', file.read_text(encoding="utf8"))
        graph[file] = {(file.parent / path).resolve() for path in imports}
    found = cycles(graph)
    for part in found:
        print(", ".join(str(file.relative_to(ROOT)) for file in sorted(part)))
    return len(found)


def listed(pattern):
    command = ["git", "ls-files", "-co", "--exclude-standard", pattern]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    return [ROOT / name for name in names if (ROOT / name).is_file()]


def main():
    roots = [path for path in listed("*.rs") if path.parts[-2:] in (("src", "lib.rs"), ("src", "main.rs"))]
    results = [check(root) for root in roots]
    files = listed("web-ui/src/*.ts")
    found = sum(cycles for cycles, _ in results) + check_typescript(files)
    print(f"{sum(modules for _, modules in results)} modules of {len(roots)} crates, {len(files)} files of the page, {found} cycles")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
