"""trace.py WHAT FILE...: is a trace what it should be? One line and exit status 1 where it is not.

format TRACE            valid Chrome trace events: what Perfetto needs of each, pairs, names, no overlap on a track
counts TRACE COUNTERS   as many instructions, of warps and of threads, as --counters-csv of the same run says
cut TRACE               where there were too many slices, all warps' end at one place, and most of that many are there
barrier TRACE           no warp goes on from a barrier before the last has come
"""

import collections
import csv
import json
import sys


def wrong(what):
    sys.exit(what)


def load(path):
    with open(path, encoding="utf-8") as file:
        trace = json.load(file)
    if not isinstance(trace.get("traceEvents"), list) or "none" not in trace["otherData"]["time"]:
        wrong("no traceEvents, or it does not say that its time is none")
    return trace["traceEvents"]


def whole(event, *keys):
    for key in keys:
        if not isinstance(event.get(key), int) or event[key] < 0:
            wrong(f"{key} is no whole number in {event}")


def check_named(events):
    """Each process and warp that has an event has a name, each warp one slice at least."""
    names = collections.defaultdict(set)
    for event in events:
        if event["ph"] == "M":
            if event["name"] not in ("process_name", "process_labels", "process_sort_index", "thread_name",
                                     "thread_sort_index") or len(event.get("args", {})) != 1:
                wrong(f"strange metadata: {event}")
            names[event["name"]].add((event["pid"], event["tid"]))
    for event in events:
        if (event["pid"], 0) not in names["process_name"] or (event["pid"], event["tid"]) not in names["thread_name"]:
            wrong(f"of a process or thread without a name: {event}")
    worked = {(event["pid"], event["tid"]) for event in events if event["ph"] == "X"}
    if not worked or worked != names["thread_name"]:
        wrong(f"warps without a slice: {sorted(names['thread_name'] - worked)}")


def check_format(events):
    tracks, open_spans = collections.defaultdict(list), {}
    for event in events:
        whole(event, "pid", "tid")
        if not isinstance(event.get("name"), str) or event.get("ph") not in ("M", "X", "b", "e"):
            wrong(f"no name, or a strange phase: {event}")
        if event["ph"] == "M":
            continue
        whole(event, "ts")
        if not event.get("cat"):
            wrong(f"no category: {event}")
        key = event["cat"], event.get("id"), event["pid"]
        if event["ph"] == "X":
            whole(event, "dur")
            if event["dur"] == 0:
                wrong(f"of no length: {event}")
            tracks[event["pid"], event["tid"]].append((event["ts"], event["ts"] + event["dur"]))
        elif event["ph"] == "b":
            if key[1] is None or key in open_spans:
                wrong(f"no id, or one twice: {event}")
            open_spans[key] = event
        elif key not in open_spans:
            wrong(f"ends what has not begun: {event}")
        else:
            begun = open_spans.pop(key)
            if begun["name"] != event["name"] or begun["ts"] >= event["ts"]:
                wrong(f"{begun} and its end {event}")
    if open_spans:
        wrong(f"never ends: {list(open_spans.values())[0]}")
    for track, slices in tracks.items():
        slices.sort()
        for (_, end), (begin, _) in zip(slices, slices[1:]):
            if begin < end:
                wrong(f"slices overlap on {track} at {begin}")
    check_named(events)


def check_counts(events, counters):
    counted = collections.Counter()
    with open(counters, encoding="utf-8") as file:
        for row in csv.DictReader(file):
            counted[row["metric"]] += float(row["value"])
    for key, metric in ("instructions", "INSTRUCTIONS"), ("threads", "THREADS"):
        traced = sum(event.get("args", {}).get(key, 0) for event in events if event["ph"] == "X")
        if traced != counted[metric] or traced == 0:
            wrong(f"{traced} {key} are traced, {counted[metric]:.0f} counted")


def check_cut(events):
    ends = collections.defaultdict(int)
    for event in events:
        if event["ph"] == "X":
            ends[event["tid"]] = max(ends[event["tid"]], event["ts"] + event["dur"])
    slices = sum(event["ph"] == "X" for event in events)
    if max(ends.values()) - min(ends.values()) > 50 or slices < 100000:
        wrong(f"{slices} slices; the warps' last end at {sorted(ends.values())}")


def check_barrier(events):
    """The k-th barrier of every warp of a block: all have come before any goes on."""
    slices = collections.defaultdict(lambda: collections.defaultdict(list))
    for event in events:
        if event["ph"] == "X":
            slices[event["pid"]][event["tid"]].append(event)
    barriers = 0
    for warps in slices.values():
        came, went = collections.defaultdict(list), collections.defaultdict(list)
        for track in warps.values():
            track.sort(key=lambda event: event["ts"])
            number = 0
            for event, after in zip(track, track[1:]):
                if not event.get("args", {}).get("first", "").startswith(("bar.sync", "barrier.sync")):
                    continue
                if after["cat"] == "wait":
                    after = {"ts": after["ts"] + after["dur"]}
                came[number].append(event["ts"] + event["dur"])
                went[number].append(after["ts"])
                number += 1
        for number, times in came.items():
            barriers += 1
            if len(times) != len(warps) or min(went[number]) < max(times):
                wrong(f"barrier {number}: they come at {times} and go at {went[number]}")
    if barriers == 0:
        wrong("no barrier")


def main(what, *arguments):
    if what == "format":
        check_format(load(*arguments))
    elif what == "counts":
        check_counts(load(arguments[0]), arguments[1])
    elif what == "cut":
        check_cut(load(*arguments))
    elif what == "barrier":
        check_barrier(load(*arguments))
    else:
        wrong(__doc__)


main(*sys.argv[1:])
