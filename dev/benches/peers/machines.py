"""The sections of docs/performance.md, one per machine, and the table of all of them."""

import re

# Which figures are in the table of all machines, as `suite: operation`.
ROWS = [
    f"{suite}: {operation}"
    for suite in ("X25519, ChaCha20-Poly1305", "X-Wing, ChaCha20-Poly1305")
    for operation in ("open 150 B", "seal 150 B", "open_batch of 64")
]
MARK = re.compile(r"<!-- machine: (.*) -->\n")
DATE = re.compile(r"Measured (?:on|in|before) ([^,;]+)")


def replaced(sections, name, text):
    """The sections with that of one machine written again, or added, and the table of all before them."""
    _, *parts = MARK.split(sections)
    by_name = dict(zip(parts[::2], parts[1::2]))
    by_name[name] = f"### {name}\n\n{text.replace('### ', '#### ')}\n"
    body = "".join(f"<!-- machine: {name} -->\n{part.rstrip()}\n\n" for name, part in by_name.items())
    return f"### All machines\n\n{table(by_name)}\n{body}"


def table(by_name):
    """Microseconds of `pqseal`, and in brackets how many times as fast it is as the best other."""
    heads = [f"{name}, {date(part)}" for name, part in by_name.items()]
    lines = [f"| us (times as fast as the best other) | {' | '.join(heads)} |", "|---" + "|---:" * len(heads) + "|"]
    for row in ROWS:
        cells = [cell(part, row) for part in by_name.values()]
        if any(cells):
            lines.append(f"| {row} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def date(part):
    return DATE.search(part)[1]


def cell(part, row):
    suite, operation = row.split(": ")
    us, ratio = of_operation(part, suite, operation), of_all_others(part, row)
    return f"{us} ({ratio})" if us and ratio else us or ratio and f"({ratio})" or ""


def of_operation(part, suite, operation):
    """The figure of `pqseal` in a table of the suite's section."""
    section = re.split(r"^#### ", part, flags=re.M)
    lines = next((text for text in section if text.startswith(suite + "\n")), "").splitlines()
    for n, line in enumerate(lines):
        names = cells(line)
        if names[:1] == ["us"] and operation in names:
            ours = next((cells(line) for line in lines[n:] if cells(line)[:1] == ["pqseal"]), [])
            return dict(zip(names, ours)).get(operation, "")
    return ""


def of_all_others(part, row):
    """The first figure of the column `best other of all`."""
    lines = [cells(line) for line in part.splitlines()]
    column = next((names.index("best other of all") for names in lines if "best other of all" in names), None)
    found = next((values for values in lines if values[:1] == [row]), None)
    return found[column] if found and column else ""


def cells(line):
    return [cell.strip() for cell in line.split("|")[1:-1]]
