"""The ladder drawn in text, at most 96 columns wide: a bar a variant, the baseline as a column of |."""

from report.text import DASH

WIDTH = 96


def bar(filled, wide, mark):
    """`filled` of `wide` columns, the baseline's mark after column `mark` (-1: none), two blanks."""
    line = ""
    for column in range(wide + 1):
        if column > 0:
            line += "#" if column <= filled else " "
        if column == mark:
            line += "|"
    return line + ("   " if mark < 0 else "  ")


def mark_line(wide, mark, text):
    """The line above the bars: what the mark is, on the side where there is room."""
    if mark < 0:
        return " " * (wide + 3)
    text = (text + " ").rjust(mark) + "|" if len(text) < mark else " " * mark + "| " + text
    return text.ljust(wide + 3)


def bars(rows, baseline, tflops, shown):
    """Rows of (label..., TFLOP/s or None, text). The baseline's name, its TFLOP/s or None, and these as text."""
    labels = [max(len(row[i]) for row in rows) for i in range(len(rows[0]) - 2)] if rows else [0]
    title = "TFLOP/s" + (f" (% of {baseline})" if tflops else "")
    top = max([row[-2] or 0 for row in rows] + [tflops or 0])
    wide = max(10, WIDTH - sum(labels) - len(title) - 5)  # columns of the longest bar
    mark = int(wide * tflops / top + 0.5) if tflops else -1
    lines = ["```", " " * (sum(labels) + len(labels)) + mark_line(wide, mark, f"{baseline} {shown}") + title]
    for *names, speed, text in rows:
        label = " ".join(name.ljust(width) for name, width in zip(names, labels))
        filled = int(wide * speed / top + 0.5) if speed else 0
        lines.append(label + " " + bar(filled, wide, mark) + (text or DASH))
    return lines + ["```"]
