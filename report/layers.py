"""Layers of networks: the list that `run --sweep networks` measures, taken from its source, and how a layer is called:
n-c-h-w-k-r-s-stride, 64-3-224-224-64-7-7-2."""

import os
import re

LIST = "common/conv/conv_cases.c"
LAYOUT = re.compile(r"n(?:chw|hwc) (\d+)x(\d+)x(\d+)x(\d+) (\d+)x(\d+) s(\d+(?:x\d+)?) p\S+ d\S+(?: bias)?")


def name(layout, filters):
    """That of a recorded row: its layout says all sides but the number of filters."""
    found = LAYOUT.fullmatch(layout)
    return found and "-".join([*found.groups()[:4], str(filters), *found.groups()[4:]])


def stands_for(needs):
    """The type and the layout that a rung stands for: the first that it says it takes, else f32 and nchw."""
    takes = " ".join(one for one in needs if one.startswith("takes "))
    return tuple((re.findall(rf"\b({those})\b", takes) or [usual])[0]
                 for those, usual in (("f32|f16|bf16", "f32"), ("nchw|nhwc", "nchw")))


def networks(root):
    """(network, batch, c, side, filters, taps, stride) of each. A comment names the network from its row on."""
    if not os.path.isfile(os.path.join(root, LIST)):
        return
    with open(os.path.join(root, LIST), encoding="utf-8") as file:
        text = file.read()
    batches = re.search(r"LAYERS\(networks, (\d+), (\d+)\)", text).groups()
    rows = re.search(r"layer networks\[\] = \{(.*?)\n\};", text, re.DOTALL)[1]
    for batch in map(int, batches):
        network = ""
        for sides, comment in re.findall(r"\{([\d, ]+)\},[ ]*(?:/\* (.*?) \*/)?", rows):
            network = comment or network
            c, side, filters, taps, stride, _ = map(int, sides.split(","))
            yield network, batch, c, side, filters, taps, stride


def add(db, root):
    """Makes the table conv_layer of them."""
    db.execute("CREATE TABLE conv_layer (place, network, batch, layer)")
    db.executemany("INSERT INTO conv_layer VALUES (?, ?, ?, ?)", [
        (place, network, batch, f"{batch}-{c}-{side}-{side}-{filters}-{taps}-{taps}-{stride}")
        for place, (network, batch, c, side, filters, taps, stride) in enumerate(networks(root))])
