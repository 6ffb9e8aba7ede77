"""The plot of docs/performance.md."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import bars

# What is drawn, and under which heading.
PANELS = [
    ("X25519, ChaCha20-Poly1305", "open 150 B", "Opening 150 bytes, X25519"),
    ("X25519, ChaCha20-Poly1305", "seal 150 B", "Sealing 150 bytes, X25519"),
    ("X-Wing, ChaCha20-Poly1305", "open 150 B", "Opening 150 bytes, X-Wing"),
    ("X-Wing, ChaCha20-Poly1305", "seal 150 B", "Sealing 150 bytes, X-Wing"),
]
BATCH = "open_batch of 4096"
# Longer bars are cut off here, as a multiple of the shortest one of ours.
LIMIT = 6


def draw(figures):
    """Draws `{(row, candidate): figure}` of one machine."""
    panels = [panel(figures, *which) for which in PANELS]
    return bars.draw("Microseconds of CPU time to open and to seal with HPKE; shorter is better", panels)


def panel(figures, suite, operation, title):
    row = f"{suite}: {operation}"
    times = {candidate: float(figure.value) for (name, candidate), figure in figures.items() if name == row}
    if operation.startswith("open"):
        times["pqseal, each of a batch of 4096"] = float(figures[f"{suite}: {BATCH}", "pqseal"].value)
    rows = sorted(times.items(), key=lambda bar: bar[1])
    rows = [(name, us, name.startswith("pqseal"), f"{us:.0f}") for name, us in rows]
    return f"{title}: us of CPU time", rows, LIMIT * times["pqseal"]
