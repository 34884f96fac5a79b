"""Several GPUs side by side: what each one's ladders reached, in the tables `gpu` and `reached` of one database.

The GPUs are those whose folders lie beside the one that is shown (plots/data/nvidia-h200, plots/data/nvidia-h100); each
is read into a database of its own, so that every other view, table and figure knows one GPU.
"""

import os

from report import load, schema
from report.load import HERE
from report.sql import Parts

HEADINGS = {  # of the columns that gpus.sql calls first, second and third
    "sgemm": ("best variant", "ratio to cuBLAS", "% of FP32 peak"),
    "tensorcore": ("TFLOP/s", "ratio to cuBLAS", "% of peak"),
    "gemv": ("best variant", "ratio to cuBLAS", "% of DRAM peak"),
    "conv": ("TFLOP/s", "ratio to cuDNN", "% of peak"),
    "knn": ("best ms", "times as fast as PyTorch", "as cuBLAS and a selection"),
}


def recorded(folder):
    return any(os.path.isfile(os.path.join(folder, kind + ".csv")) for kind in schema.RECORDS)


def folders(parent):
    """The folders of recordings in one."""
    paths = [os.path.join(parent, name) for name in sorted(os.listdir(parent) if os.path.isdir(parent) else [])]
    return [one for one in paths if recorded(one)]


def beside(folder):
    """The folders of recordings beside this one."""
    folder = os.path.abspath(folder)
    return [one for one in folders(os.path.dirname(folder)) if one != folder]


def open_shown(folder, root, **paths):
    """The database of `folder`, with what nobody has recorded there from another GPU's: the line below a table names
    the GPU."""
    for kind in schema.MEASURED:
        there = [path for path in (os.path.join(one, kind + ".csv") for one in [folder, *beside(folder)])
                 if os.path.isfile(path)]
        if there:
            paths.setdefault(kind, there[0])
    return load.open_folder(folder, root, **paths)


def short(name, slug):
    """H100 of NVIDIA H100 80GB HBM3, whose folder is nvidia-h100."""
    return slug[len("nvidia-"):].upper() if slug and slug.startswith("nvidia-") else name


def add(db, folder, root):
    """Makes the tables `gpu` (place, ladder, short, text: where it was measured), `heading` and `reached` in the
    database of `folder`. Of two folders of one GPU the one that is shown counts."""
    db.execute("CREATE TABLE gpu (ladder TEXT, place INTEGER, short TEXT, text TEXT)")
    db.execute("CREATE TABLE reached (gpu, ladder, line, place, shape, first, second, third)")
    db.execute("CREATE TABLE heading (ladder TEXT, nr INTEGER, text TEXT)")
    db.executemany("INSERT INTO heading VALUES (?, ?, ?)",
                   [(ladder, nr, text) for ladder, texts in HEADINGS.items() for nr, text in enumerate(texts)])
    known = {row["name"]: (row["slug"], place) for place, row in enumerate(db.execute("SELECT * FROM devices"))}
    there = set()
    for one in [db] + [load.open_folder(other, root) for other in beside(folder)]:
        part = Parts(os.path.join(HERE, "gpus.sql")).of(one)
        origins = part("origin")
        if not origins and one is db:
            return  # nothing to stand beside
        if not origins or origins[0]["device"] in there:
            continue
        device = origins[0]["device"]
        there.add(device)
        slug, place = known.get(device, (None, len(known) + len(there)))
        db.executemany("INSERT INTO gpu VALUES (?, ?, ?, ?)",
                       [(row["ladder"], place, short(device, slug), row["text"]) for row in origins])
        db.executemany("INSERT INTO reached VALUES (?" + ", ?" * 7 + ")",
                       [(short(device, slug), *row) for row in part("reached")])
