"""Bars as hand-written SVG, which follows the reader's light or dark colours."""

from html import escape

WIDTH, LABELS, BAR, STEP, HEAD = 860, 230, 14, 20, 42

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


def draw(title, panels):
    """A picture of panels, each `(heading, [(name, value, whether it is ours, its text)], where longer bars are cut off or None)`."""
    body, y = [], 0
    for heading, bars, limit in panels:
        body.append(panel(y, heading, bars, limit))
        y += HEAD + STEP * len(bars)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y + 10}" width="{WIDTH}" role="img">'
    return "\n".join([head, f"<title>{escape(title)}</title>", f"<style>{STYLE}</style>", *body, "</svg>", ""])


def panel(y, heading, bars, limit):
    lines = [f'<text class="head" x="0" y="{y + 26}">{escape(heading)}</text>']
    longest = max(value for _, value, _, _ in bars)
    longest = min(longest, limit) if limit else longest
    for n, (name, value, ours, text) in enumerate(bars):
        top = y + HEAD + STEP * n
        width = (WIDTH - LABELS - 70) * min(value, longest) / longest
        cut = " (cut off)" if value > longest else ""
        lines += [
            f'<text x="{LABELS - 8}" y="{top + 11}" text-anchor="end">{escape(name)}</text>',
            f'<rect class="{"ours" if ours else "other"}" x="{LABELS}" y="{top}" width="{width:.1f}" height="{BAR}"/>',
            f'<text x="{LABELS + width + 6:.1f}" y="{top + 11}">{escape(text)}{cut}</text>',
        ]
    return "\n".join(lines)
