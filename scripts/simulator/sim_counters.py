"""sim_counters.py FILE: the counts that --counters-csv wrote, a column for each variant's kernel."""

import csv
import sys


def main():
    columns, table, names = [], {}, {}
    with open(sys.argv[1], encoding="utf-8", newline="") as f:
        for row in csv.DictReader(f):
            column = (row["variant"], row["kernel"].split("(")[0].split("<")[0].split(" ")[-1], row["grid"],
                      row["block"], row["kernel"])
            if column not in columns:
                columns.append(column)
            table[row["metric"], column] = float(row["value"])
            names[row["metric"]] = row["plain"] + (", us" if row["unit"] == "us" else "")
    several = len({c[0] for c in columns}) < len(columns)
    heads = [f"{c[0]}: {c[1]}" if several else c[0] for c in columns]
    width = max(map(len, names.values()))
    widths = [max(len(h), 14) for h in heads]
    print(" " * width, *(h.rjust(w) for h, w in zip(heads, widths)), sep="  ")
    for metric, plain in names.items():
        values = [table.get((metric, c), 0) for c in columns]
        if any(values):
            print(plain.ljust(width), *(f"{v:{w},.{2 * (v != int(v))}f}" for v, w in zip(values, widths)), sep="  ")


main()
