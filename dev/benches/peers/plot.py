"""The plot of docs/performance.md: bars, hand-written SVG that follows the reader's light or dark colours."""

from html import escape

# What is drawn, and under which heading.
PANELS = [
    ("X25519, ChaCha20-Poly1305", "open 150 B", "Opening 150 bytes, X25519"),
    ("X25519, ChaCha20-Poly1305", "seal 150 B", "Sealing 150 bytes, X25519"),
    ("X-Wing, ChaCha20-Poly1305", "open 150 B", "Opening 150 bytes, X-Wing"),
    ("X-Wing, ChaCha20-Poly1305", "seal 150 B", "Sealing 150 bytes, X-Wing"),
]
BATCH = "open_batch of 4096"
WIDTH, LABELS, BAR, STEP, HEAD = 860, 230, 14, 20, 42
# Longer bars are cut off here, as a multiple of the shortest one of ours.
LIMIT = 6

STYLE = """
  text { font: 12px system-ui, sans-serif; fill: #1f2328 }
  .head { font-weight: 600; font-size: 14px }
  .ours { fill: #0969da }
  .other { fill: #8c959f }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 }
    .ours { fill: #4493f8 }
    .other { fill: #6e7681 }
  }
"""


def draw(figures):
    body, y = [], 0
    for suite, operation, title in PANELS:
        bars = dict(figures[suite][operation])
        if operation.startswith("open"):
            bars["pqseal, each of a batch of 4096"] = figures[suite][BATCH]["pqseal"]
        body.append(panel(y, title, bars))
        y += HEAD + STEP * len(bars)
    title = "<title>Microseconds of CPU time to open and to seal with HPKE; shorter is better</title>"
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y + 10}" width="{WIDTH}" role="img">'
    return "\n".join([head, title, f"<style>{STYLE}</style>", *body, "</svg>", ""])


def panel(y, title, bars):
    lines = [f'<text class="head" x="0" y="{y + 26}">{escape(title)}: us of CPU time</text>']
    longest = min(max(bars.values()), LIMIT * bars["pqseal"])
    for n, (name, us) in enumerate(sorted(bars.items(), key=lambda bar: bar[1])):
        top = y + HEAD + STEP * n
        kind = "ours" if name.startswith("pqseal") else "other"
        width = (WIDTH - LABELS - 70) * min(us, longest) / longest
        cut = " (cut off)" if us > longest else ""
        lines += [
            f'<text x="{LABELS - 8}" y="{top + 11}" text-anchor="end">{escape(name)}</text>',
            f'<rect class="{kind}" x="{LABELS}" y="{top}" width="{width:.1f}" height="{BAR}"/>',
            f'<text x="{LABELS + width + 6:.1f}" y="{top + 11}">{us:.0f}{cut}</text>',
        ]
    return "\n".join(lines)
