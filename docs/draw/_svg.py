"""Boxes, text and lines of an SVG, light or dark as the reader's screen is, and legible on a telephone.

A drawing is 400 units wide and shown 720 pixels wide, so that text of 12 units is 21 pixels there and 11 on a
telephone.
"""

from xml.sax.saxutils import escape, quoteattr

from report.load import Mistake

WIDTH, SHOWN = 400, 720
STYLE = """text{font:11.5px system-ui,-apple-system,"Segoe UI",sans-serif;fill:#1b1b1b}
.title{font-weight:600;font-size:13px}.note{fill:#555}.tiny{font-size:9px}.mono{font-family:ui-monospace,monospace}
.paper{fill:#fff}.cell{fill:#e9e9e9}.line{stroke:#777;fill:none;stroke-width:1}
.frame{stroke:#777;fill:none;stroke-width:1}.thin{stroke:#fff;stroke-width:.4}.a{fill:#0072b2}.b{fill:#d55e00}
.c{fill:#009e73}.d{fill:#b5539a}.soft-a{fill:#bfdcec}.soft-b{fill:#f6d3bb}
.soft-c{fill:#bfe7db}.soft-d{fill:#ecd3e5}.on{fill:#fff}.clash{fill:none;stroke:#d55e00;stroke-width:2}
@media (prefers-color-scheme:dark){text{fill:#eee}.note{fill:#b5b5b5}.paper{fill:#16181c}.cell{fill:#33363c}
.line,.frame{stroke:#999}.thin{stroke:#16181c}.a{fill:#56b4e9}.b{fill:#f0934e}.c{fill:#3cc79b}.d{fill:#dc8cc4}
.soft-a{fill:#1f4a63}.soft-b{fill:#63381a}
.soft-c{fill:#17513f}.soft-d{fill:#5a3350}.on{fill:#101010}.clash{stroke:#f0934e}}"""


class Drawing:
    """What is drawn so far. Measures are in units; text stands on its baseline."""

    def __init__(self, alt):
        self.alt, self.parts, self.bottom = alt, [], 0

    def box(self, x, y, width, height, style="cell", round=1.5):
        self.parts.append(f'<rect class="{style}" x="{x:.6g}" y="{y:.6g}" width="{width:.6g}" height="{height:.6g}" '
                          f'rx="{round}"/>')
        self.bottom = max(self.bottom, y + height)

    def text(self, x, y, text, style="", anchor="start"):
        wide = len(str(text)) * {"title": 7.6, "tiny": 5.4}.get(style, 6.5)  # of a wide font
        left = x - wide * {"start": 0, "middle": 0.5, "end": 1}[anchor]
        if left < 0 or left + wide > WIDTH:
            raise Mistake(f"a drawing's text does not fit its width: {text}")
        where = "" if anchor == "start" else f' text-anchor="{anchor}"'
        style = f' class="{style}"' if style else ""
        self.parts.append(f'<text{style} x="{x:.6g}" y="{y:.6g}"{where}>{escape(str(text))}</text>')
        self.bottom = max(self.bottom, y + 4)

    def lines(self, x, y, texts, step=15, style="note"):
        """Lines of text, one below the other."""
        for number, text in enumerate(texts):
            self.text(x, y + step * number, text, style)

    def grid(self, x, y, rows, columns, wide, high, style, gap=1, round=1.5):
        """Boxes side by side; `style`: that of all, or of a row and a column."""
        for row in range(rows):
            for column in range(columns):
                self.box(x + column * wide, y + row * high, wide - gap, high - gap,
                         style(row, column) if callable(style) else style, round)

    def line(self, x1, y1, x2, y2, arrow=False, style="line"):
        end = ' marker-end="url(#arrow)"' if arrow else ""
        self.parts.append(f'<line class="{style}" x1="{x1:.6g}" y1="{y1:.6g}" x2="{x2:.6g}" y2="{y2:.6g}"{end}/>')
        self.bottom = max(self.bottom, y1, y2)

    def label(self, x, y, width, height, text, style="cell", inside="", round=1.5):
        """A box with text in its middle, which stands out of a strong colour."""
        self.box(x, y, width, height, style, round)
        if style in ("a", "b", "c", "d") and "on" not in inside.split():
            inside = f"on {inside}".strip()
        self.text(x + width / 2, y + height / 2 + 4, text, inside, "middle")

    def key(self, y, *entries):
        """What colours mean, side by side: (x, style, text) each."""
        for x, style, text in entries:
            self.box(x, y - 9, 10, 10, style)
            self.text(x + 14, y, text)

    def banks(self, top, waves, high):
        """Of wavefronts, a line each, four banks a box, and in it the lanes that it serves; framed where there are
        several."""
        wide = 44.5
        for number, wave in enumerate(waves):
            for group in range(8):
                lanes = {lane for bank in range(4 * group, 4 * group + 4) if bank in wave for lane in wave[bank][1]}
                self.label(22 + group * wide, top + number * high, wide - 2, high - 4, ", ".join(
                    map(str, sorted(lanes))), "a" if lanes else "cell")
        if len(waves) > 1:
            self.box(18, top - 4, 8 * wide + 6, len(waves) * high + 4, "clash", 4)

    def svg(self):
        height = self.bottom + 10
        return "\n".join([
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.6g}" width="{SHOWN}" '
            f'height="{SHOWN * height / WIDTH:.0f}" role="img" aria-label={quoteattr(self.alt)}>',
            f"<title>{escape(self.alt)}</title>", f"<style>{STYLE}</style>",
            '<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
            'orient="auto"><path class="line" d="M0,1 L7,4 L0,7"/></marker></defs>',
            f'<rect class="paper" width="{WIDTH}" height="{height:.6g}"/>', *self.parts, "</svg>", ""])
