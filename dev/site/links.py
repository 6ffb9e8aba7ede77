"""The links within a folder of HTML files."""

from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """The names that a page gives to its sections, and what it refers to."""

    def __init__(self, file):
        super().__init__()
        self.names, self.references = set(), []
        self.feed(file.read_text())

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == "id":
                self.names.add(value)
            elif name in ("href", "src") and value and tag != "base":
                self.references.append(value)


def check(folder):
    """Returns a line for each link to a file or section that does not exist, and the number of all
    links that were followed. Links to other sites are not."""
    pages = {file: Page(file) for file in folder.rglob("*.html")}
    broken, checked = [], 0
    for file, page in pages.items():
        # The page for the error 404 is shown at any address, so its links begin at the root.
        for reference in page.references if file.name != "404.html" else ():
            parts = urlsplit(reference)
            if parts.scheme or parts.netloc:
                continue
            checked += 1
            target = (file.parent / unquote(parts.path)).resolve() if parts.path else file
            known = pages[target].names if target in pages else set()
            if not target.is_file() or (parts.fragment and unquote(parts.fragment) not in known):
                broken.append(f"{file.relative_to(folder)}: {reference} does not exist")
    return broken, checked
