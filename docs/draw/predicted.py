"""Lesson 5.9: how long each rung of steps 1 to 5 takes, as the model of time predicts it and as it was recorded."""

import math

from _kernel import rows
from _svg import Drawing

SIZE, BAND = 4096, 15
LEAST, MOST, LEFT, LONG, ROW = 2.0, 320.0, 118, 258, 17
PEAK = 66.9e9  # FLOP in a millisecond, of FP32's FMAs: common/gpu/devices.csv


def place(ms):
    return LEFT + LONG * math.log(ms / LEAST) / math.log(MOST / LEAST)


def recorded(sources):
    """{(step, rung): milliseconds}, without those of kernels that have changed since."""
    changed = {(row["step"], row["variant"]): row["date"] for row in rows(sources, "plots/changes.csv")}
    times = {}
    for row in rows(sources, "plots/data/nvidia-h200/sgemm.csv"):
        rung = row["step"], row["variant"]
        plain = row["layout"] == "nn" and row["cache"] == "cold" and row["mode"] == "events"
        square = {row["m"], row["n"], row["k"]} == {str(SIZE)} and (row["alpha"], row["beta"]) == ("1", "0")
        if plain and square and row["date"] >= changed.get(rung, ""):
            times[rung] = float(row["ms_median"])
    return times


def draw_predicted(sources):
    known = recorded(sources)
    guessed = {(row["step"], row["variant"]): float(row["ms"]) for row in rows(sources, "docs/counted/predicted.csv")
               if row["size"] == str(SIZE)}
    rungs = [rung for rung in guessed if rung in known]
    d = Drawing(f"Milliseconds at {SIZE} cubed, predicted and measured: " + "; ".join(
        f"{rung[1]} {guessed[rung]:.3g} and {known[rung]:.3g}" for rung in rungs) + ".")
    d.text(10, 18, f"{SIZE}³ on an H200, milliseconds, each line twice the last", "note")
    top, bottom = 40, 40 + ROW * len(rungs)
    for k in range(8):
        d.line(place(LEAST * 2**k), top - 6, place(LEAST * 2**k), bottom, style="line")
        d.text(place(LEAST * 2**k), top - 10, f"{LEAST * 2**k:g}", "tiny", "middle")
    for number, rung in enumerate(rungs):
        y = top + ROW * number
        d.text(LEFT - 6, y + 11, rung[1], "tiny" if len(rung[1]) > 15 else "", "end")
        low, high = (place(guessed[rung] * (1 + sign * BAND / 100)) for sign in (-1, 1))
        d.box(max(low, LEFT), y + 2, high - max(low, LEFT), 11, "soft-a", 0)
        d.box(place(guessed[rung]) - 1, y + 2, 2, 11, "a", 0)
        d.box(place(known[rung]) - 3, y + 4.5, 6, 6, "b", 3)
    floor = place(2 * SIZE**3 / PEAK)
    d.line(floor, top - 6, floor, bottom, style="clash")
    d.key(bottom + 20, (10, "a", f"predicted, ± {BAND} %"), (150, "b", "measured"),
          (235, "clash", "FMAs alone, at the peak"))
    return d.svg()
