#!/usr/bin/env python3
"""Prints every message of the product, `file:line: text`: errors, help, reports, texts of the page.

A message is a literal with two words or more, or a doc comment of an argument of the command line,
outside tests and assertions. To be read after changes to them; `dev/checks/idioms.py` checks the
words of all files.
"""

import ast
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = "cli/src :(glob)crates/*/src/** :(glob)services/*/src/** hpke/src kem-pq/src bindings wasm web-ui".split()
# Not shipped, or not for users.
LEFT_OUT = re.compile(r"(^|/)(tests?|(x25519-)?proofs|bench|build)(/|\.rs$)|\.(mjs|config\.ts)$")
WORDS = re.compile(r"[A-Za-z'’]+[,:;)\]}`]* +\S*[a-z]{2,}")
RUST = re.compile(
    r"(?P<doc>///(?!/)[^\n]*)|//[^\n]*|/\*.*?\*/|'(?:[^'\\]|\\.[^']*)'"
    r'|[cb]*r(?P<hash>\#*)"(?P<raw>.*?)"(?P=hash)|[cb]?"(?P<text>(?:[^"\\]|\\.)*)"'
    r"|(?P<code>[{}()\[\];]|\w+!?)",
    re.S,
)
SCRIPT = re.compile(
    r"//[^\n]*|/\*.*?\*/"
    r"|(?<=[(=,:&|!?{;\s])/(?![/*\s])(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/\w*"
    r'|"(?P<double>(?:[^"\\\n]|\\.)*)"|'
    r"'(?P<single>(?:[^'\\\n]|\\.)*)'|`(?P<template>(?:[^`\\]|\\.)*)`",
    re.S,
)
TESTS = ["cfg", "(", "test", ")", "]"]
CLAP = {"Args", "Parser", "Subcommand", "ValueEnum"}
ASSERTIONS = re.compile(r"(debug_)?assert(_eq|_ne)?!|unreachable!|expect|allow")
SHOWN = ("title", "placeholder", "aria-label", "alt")


def rust(text):
    """The literals and help texts of a Rust file, each with its offset."""
    tokens = [found for found in RUST.finditer(text) if found.lastgroup]
    code = [token["code"] for token in tokens]
    at, help_end, docs, calls = 0, 0, [], []
    while at < len(tokens):
        token = tokens[at]
        if code[at : at + 5] == TESTS:
            at = item_end(code, at + 5)
            continue
        if code[at] == "derive" and CLAP & set(code[at : code.index("]", at)]):
            help_end = max(help_end, item_end(code, code.index("]", at) + 1))
            yield from docs
        if token["doc"]:
            docs.append((token.start(), token["doc"][3:]))
            if at < help_end:
                yield docs[-1]
        elif code[at] in ("{", "(", "["):
            calls.append(code[at - 1] or "")
        elif code[at] in ("}", ")", "]"):
            del calls[-1:]
        literal = token["text"] or token["raw"]
        if literal and not any(map(ASSERTIONS.fullmatch, calls[-2:])):
            yield token.start(), re.sub(r"\\\n\s*", "", literal)
        if code[at] in ("{", "}", ";", "struct", "enum"):
            docs = []
        at += 1


def item_end(code, at):
    """The token after the item that begins with that token, or with attributes."""
    depth = 0
    while at < len(code):
        depth += (code[at] in ("{", "(", "[")) - (code[at] in ("}", ")", "]"))
        at += 1
        if depth == 0 and code[at - 1] in ("}", ";"):
            break
    return at


def script(text):
    """The literals of a TypeScript or JavaScript file."""
    for found in SCRIPT.finditer(text):
        if literal := found["double"] or found["single"] or found["template"]:
            yield found.start(), literal


class Html(HTMLParser):
    """The texts of a page, and of its attributes that are shown."""

    def __init__(self, text):
        super().__init__()
        self.starts = [0]
        self.starts += [found.end() for found in re.finditer("\n", text)]
        self.found = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in SHOWN:
                self.handle_data(value)

    def handle_data(self, data):
        line, column = self.getpos()
        self.found.append((self.starts[line - 1] + column, data))


def python(text):
    """The literals of a Python file that are not documentation."""
    starts = [0] + [found.end() for found in re.finditer("\n", text)]
    nodes = list(ast.walk(ast.parse(text)))
    documentation = {node.value for node in nodes if isinstance(node, ast.Expr)}
    for node in nodes:
        if isinstance(node, ast.Constant) and node not in documentation:
            if isinstance(node.value, str):
                yield starts[node.lineno - 1], node.value


READERS = {
    ".rs": rust,
    ".ts": script,
    ".js": script,
    ".html": lambda text: Html(text).found,
    ".py": python,
}


def main():
    command = ["git", "ls-files", *FOLDERS]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for path in listed.splitlines():
        reader = READERS.get(Path(path).suffix)
        if reader is None or LEFT_OUT.search(path):
            continue
        text = (ROOT / path).read_text()
        for offset, message in reader(text):
            message = " ".join(message.split())
            if WORDS.search(message):
                line = text.count("\n", 0, offset) + 1
                print(f"{path}:{line}: {message}")


if __name__ == "__main__":
    sys.exit(main())
