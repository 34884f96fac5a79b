"""timeline.py TRACE CSV: what a trace (run --trace) says of one block's pipeline, as bars for docs/draw/pipelines.py.

A bar has a row, what it is, a name, where it begins and where it ends: in the trace's order, or in nanoseconds where
the model of time wrote the trace (run --predict --trace). Rows are the stages of the ring, the warps that only copy,
and those that multiply (warpgroups, where there are wgmmas). A stage is what starts at one place of shared memory. A
copy's name is its number, and so is that of the product which reads it.
"""

import collections
import csv
import json
import sys

Span = collections.namedtuple("Span", "kind track begin end args")
PAUSE = 100  # nanoseconds between two products that are drawn as one
COLUMNS = ("row", "what", "name", "begin", "end")
STORES = ("shared store", "global store", "copy issued", "wait for bulk stores")


class Failed(Exception):
    pass


def block_of(events):
    """The events of the first block of the launch that has most of them."""
    blocks = collections.defaultdict(list)
    for event in events:
        if event["ph"] in "Xbe":
            blocks[event["pid"]].append(event)
    if not blocks:
        raise Failed("the trace has no block: the kernel did not run")
    return max(blocks.values(), key=lambda block: (len(block), -block[0]["pid"]))


def spans_of(block):
    begun, spans = {}, []
    for event in block:
        if event["ph"] == "b":
            begun[event["id"]] = event
        elif event["ph"] == "e":
            first = begun.pop(event["id"])
            spans.append(Span(first["cat"], first["tid"], first["ts"], event["ts"], first["args"]))
    return sorted(spans, key=lambda span: (span.begin, span.end))


def span_of_range(text):
    low, high = (int(part, 16) for part in text.split(" to "))
    return low, high


def merged(bars, gap=0):
    """Bars (begin, end), those that overlap or are no further apart than `gap` as one."""
    whole = []
    for begin, end in sorted(bars):
        if whole and begin <= whole[-1][1] + gap:
            whole[-1][1] = max(whole[-1][1], end)
        else:
            whole.append([begin, end])
    return [tuple(bar) for bar in whole]


# ---- stages ----------------------------------------------------------------------------------------------------------


def fills_of(spans):
    """[(begin, end, low, high)]: each time that a stage is filled, in order."""
    groups = collections.defaultdict(list)
    numbers = collections.Counter()
    for span in spans:
        if span.kind == "cp.async":  # the warps' first groups fill the first stage together, and so on
            groups["cp.async", numbers[span.track]].append(span)
            numbers[span.track] += 1
        elif span.kind == "bulk load":
            groups[span.args["mbarrier"], span.args["phase"]].append(span)
    fills = []
    for group in groups.values():
        ranges = [span_of_range(one.args["to shared"]) for one in group]
        fills.append((min(one.begin for one in group), max(one.end for one in group), min(low for low, _ in ranges),
                      max(high for _, high in ranges)))
    return sorted(fills)


def slices(block, **wanted):
    """(begin, end) of the slices whose fields are these."""
    return [(event["ts"], event["ts"] + event["dur"]) for event in block
            if event["ph"] == "X" and all(event[name] == one for name, one in wanted.items())]


def products_of(block):
    """Where there is no wgmma: the slices of tensor cores, or else of FP32."""
    return slices(block, name="tensor core") or slices(block, name="FP32")


def reads_of(block, spans):
    """[(begin, end, place, actor)]: who reads shared memory to multiply what is there: wgmmas, or else loads."""
    wgmmas = [span for span in spans if span.kind == "wgmma"]
    if wgmmas:
        return [(one.begin, one.end, span_of_range(one.args["B from"])[0], one.track) for one in wgmmas]
    last = max((end for _, end in products_of(block)), default=0)  # after which the kernel may use its memory for C
    return [(event["ts"], event["ts"] + event["dur"], span_of_range(event["args"]["shared"])[0], event["tid"])
            for event in block if event["ph"] == "X" and event["name"] == "shared load" and "shared" in event["args"]
            and event["ts"] < last]


def read_by_fill(fills, reads):
    """For each fill the reads of what it brought: before its stage is full again, and not when the warp has gone on by
    two, as a loop without branches may load once more after its last tile."""
    found = [[] for _ in fills]
    latest = collections.defaultdict(int)
    for read in sorted(reads):
        known = [n for n, (_, end, low, high) in enumerate(fills) if low <= read[2] < high and end <= read[0]]
        if not known:
            continue
        number = max(known, key=lambda n: fills[n][1])
        if number + 2 > latest[read[3]]:
            latest[read[3]] = max(number, latest[read[3]])
            found[number].append(read)
    return found


def stage_bars(fills, found, until_all):
    """until_all: a copy is in flight until all of its readers, not only the first, have waited for it."""
    stages = {low: number for number, low in enumerate(sorted({low for _, _, low, _ in fills}))}
    for number, ((begin, end, low, _), reads) in enumerate(zip(fills, found)):
        first = min((r[0] for r in reads), default=end)
        yield f"stage {stages[low]}", "copy", number, begin, first if until_all else end
        if reads:
            yield f"stage {stages[low]}", "product", number, first, max(r[1] for r in reads)


# ---- who does it -----------------------------------------------------------------------------------------------------


def consumer_bars(block, spans, found, timed):
    """Warpgroups that multiply: their products, in order by the tile of C, what they store, and their waits."""
    products = {track: merged([(s.begin, s.end) for s in spans if s.kind == "wgmma" and s.track == track],
                              PAUSE if timed else 0)
                for track in {span.track for span in spans if span.kind == "wgmma"}}
    begins = {(track, begin) for track, bars in products.items() for begin, _ in bars}
    first_fill = {}  # of what a warpgroup reads
    for number, reads in enumerate(found):
        for begin, _, _, track in reads:
            first_fill.setdefault((track, begin), number)
    tiles = {number: tile for tile, number in enumerate(sorted(set(first_fill[key] for key in first_fill
                                                                   if key in begins)))}
    tiles = tiles if len(tiles) > 1 and not timed else {}
    tracks = sorted(products)
    for number, track in enumerate(tracks):
        row = f"consumer {number}"
        stores = slices([event for event in block
                         if event["ph"] == "X" and event["tid"] // 4 == track // 4 and event["name"] in STORES])
        stores += [(s.begin, s.end) for s in spans if s.kind == "bulk store" and s.track // 4 == track // 4]
        for at, (begin, end) in enumerate(products[track]):
            yield row, "product", tiles.get(first_fill.get((track, begin)), ""), begin, end
            until = products[track][at + 1][0] if at + 1 < len(products[track]) else float("inf")
            mine = [store for store in stores if end <= store[0] and store[0] < until]
            if mine:
                yield row, "store", "", min(b for b, _ in mine), min(until, max(e for _, e in mine))
        for begin, end in slices(block, tid=track, cat="wait"):
            yield row, "wait", "", begin, end


def producer_bars(block, spans):
    tracks = sorted({span.track for span in spans if span.kind == "bulk load"})
    multiply = {span.track // 4 for span in spans if span.kind == "wgmma"}
    for track in tracks:
        if track // 4 in multiply:
            continue
        row = "producer" if len(tracks) == 1 else f"warp {track}"
        for span in merged([(s.begin, s.begin + 1) for s in spans if s.kind == "bulk load" and s.track == track], 12):
            yield row, "issue", "", *span
        for begin, end in slices(block, tid=track, cat="wait"):
            yield row, "wait", "", begin, end


def warp_bars(block):
    """Without wgmma: the first warp's copies, and its products from one wait for copies to the next."""
    mine = [event for event in block if event["ph"] == "X" and event["tid"] == 0]
    fences = sorted(event["ts"] for event in mine if event["name"] == "wait for cp.async")
    products = collections.defaultdict(list)
    for begin, end in products_of(mine):
        products[sum(at < begin for at in fences)].append((begin, end))
    for _, bars in sorted(products.items()):
        yield "warp 0", "product", "", min(b for b, _ in bars), max(e for _, e in bars)
    for begin, end in merged(slices(mine, name="copy issued")):
        yield "warp 0", "issue", "", begin, end
    for begin, end in slices(block, tid=0, cat="wait"):
        yield "warp 0", "wait", "", begin, end


def bars_of(trace):
    timed = trace.get("otherData", {}).get("time") == "predicted"
    for event in trace["traceEvents"] if timed else []:
        event.update({name: round(1000 * event[name]) for name in ("ts", "dur") if name in event})
    block = block_of(trace["traceEvents"])
    spans = spans_of(block)
    fills = fills_of(spans)
    if not fills:
        raise Failed("the kernel copies nothing asynchronously (cp.async, TMA), so there is no pipeline to draw")
    found = read_by_fill(fills, reads_of(block, spans))
    wgmmas = any(span.kind == "wgmma" for span in spans)
    bars = list(stage_bars(fills, found, wgmmas))
    if wgmmas:
        bars += [*producer_bars(block, spans), *consumer_bars(block, spans, found, timed)]
    else:
        bars += warp_bars(block)
    first = min(bar[3] for bar in bars if bar[1] == "copy")
    last = max((bar[4] for bar in bars if bar[1] == "product"), default=max(bar[4] for bar in bars))
    return [(row, what, name, max(0, begin - first), min(end, last) - first) for row, what, name, begin, end in bars
            if end > first and begin < last]


def main(trace, out):
    try:
        with open(trace, encoding="utf-8") as file:
            bars = bars_of(json.load(file))
    except Failed as failed:
        sys.exit(f"timeline: {failed}")
    with open(out, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(bars)


if __name__ == "__main__":
    main(*sys.argv[1:])
