#!/usr/bin/env python3
"""Makes records that step 8 reads, .npy or numeric CSV, of idx, vecs, .npy, CSV with words, and gzip of each.

    python3 scripts/data.py IN OUT                     a file: images.idx3.gz train.npy, base.fvecs base.npy
    python3 scripts/data.py TRAIN OUT TEST OUT ...     several, encoded as the first one says

A CSV's column of words becomes a column of 0 and 1 for each word in TRAIN, in the order of their bytes; a word that
TRAIN lacks is 0 in all of them. Numbers stay what they are: --normalize of `run` scales them. Labels go to OUT with
.labels for .npy, one a line, or into the last column of any other OUT; a file of nothing but labels becomes such lines.
"""
import argparse
import collections
import contextlib
import csv
import gzip
import itertools
import math
import os
import struct
import sys
import zlib

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.append(os.path.join(ROOT, "build", "numpy"))  # where scripts/deps.sh puts it
try:
    import numpy as np
except ImportError:
    print("data.py: numpy is missing; type: sh scripts/deps.sh data", file=sys.stderr)
    sys.exit(2)

ROWS = 1 << 14  # of a CSV file that are encoded together
CHUNK = 1 << 22  # bytes of a binary file
MOST_NUMBERS = 4096  # different spellings that a column of numbers may have and still become one of words
MOST_COLUMNS = 1 << 20
MOST_LABEL = 63  # bytes
DIGITS = frozenset("0123456789+-.eE \t")
IDX = {8: "u1", 9: "i1", 11: ">i2", 12: ">i4", 13: ">f4", 14: ">f8"}
VECS = {"fvecs": "<f4", "bvecs": "u1", "ivecs": "<i4"}
# What step 8 reads, for each type of an element; of what FP64 holds exactly where there is no such integer.
KEPT = {"b1": "u1", "u1": "u1", "i1": "<i4", "u2": "<i4", "i2": "<i4", "i4": "<i4", "u4": "<f8", "u8": "<f8",
        "i8": "<f8", "f2": "<f4", "f4": "<f4", "f8": "<f8"}


class Mistake(Exception):
    """What is wrong, in one line."""


def shown(text):
    return "'" + "".join(c if c.isprintable() else "?" for c in text[:40]) + ("...'" if len(text) > 40 else "'")


# ---- inputs ----------------------------------------------------------------------------------------------------------

def is_packed(path):
    with open(path, "rb") as file:
        return file.read(2) == b"\x1f\x8b"


def extension(path):
    name = os.path.basename(path).lower()
    return (name[:-3] if name.endswith(".gz") else name).rpartition(".")[2]


def read_idx(data):
    """Two zero bytes, the elements' type, the number of dimensions, each of them (big endian), then the elements."""
    if len(data) < 4 or data[1] or data[2] not in IDX or not data[3] or len(data) < 4 + 4 * data[3]:
        raise Mistake("begins with a NUL byte, but not as an idx file does, or is truncated in its header")
    shape = struct.unpack_from(f">{data[3]}I", data, 4)
    dtype, elements = np.dtype(IDX[data[2]]), data[4 + 4 * len(shape):]
    if len(elements) != math.prod(shape) * dtype.itemsize:
        raise Mistake(f"{len(elements)} bytes of elements, not those of {' x '.join(map(str, shape))}")
    return elements.view(dtype).reshape(shape[0], -1), len(shape) == 1


def read_npy(path):
    try:
        array = np.load(gzip.open(path) if is_packed(path) else path, None if is_packed(path) else "r")
    except ValueError as error:
        raise Mistake(f"no .npy file of numbers, or truncated: {' '.join(str(error).split())}") from None
    if array.ndim not in (1, 2):
        raise Mistake(f"an array of {array.ndim} dimensions, not of rows and columns")
    return array.reshape(len(array), -1), array.ndim == 1


def read_vecs(data, kind):
    """A row's dimension (int32) stands in front of each row."""
    columns = struct.unpack_from("<i", data)[0] if len(data) >= 4 else 0
    if not 0 < columns <= MOST_COLUMNS:
        raise Mistake(f"its first dimension is not 1 to {MOST_COLUMNS}: is it a {kind} file?")
    row = np.dtype([("d", "<i4"), ("x", VECS[kind], (columns,))])
    rows = data[:len(data) // row.itemsize * row.itemsize].view(row)
    if (rows["d"] != columns).any():
        bad = int((rows["d"] != columns).argmax())
        raise Mistake(f"row {bad + 1}: dimension {rows['d'][bad]}, but the first row has {columns}")
    if len(data) % row.itemsize:
        raise Mistake(f"row {len(rows) + 1}: truncated")
    return rows["x"], False


def read_binary(path):
    """A file's elements as rows and columns, mapped where it is not packed, and whether they had one dimension. None:
    it is text."""
    with gzip.open(path) if is_packed(path) else open(path, "rb") as file:
        first = file.read(1)
        if not first:
            raise Mistake("is empty")
        if first == b"\x93":
            return read_npy(path)
        if first != b"\0" and extension(path) not in VECS:
            return None
        data = np.frombuffer(first + file.read(), np.uint8) if is_packed(path) else np.memmap(path, np.uint8, "r")
    return read_vecs(data, extension(path)) if extension(path) in VECS else read_idx(data)


def records(reader):
    """A CSV's records, which have as many columns as the first one; blank lines are at the end alone."""
    columns = blank = None
    try:
        for record in reader:
            if not record:
                blank = blank or reader.line_num
            elif blank:
                raise Mistake(f":{blank}: a blank line before the end")
            elif len(record) != (columns := columns or len(record)):
                raise Mistake(f":{reader.line_num}: {len(record)} columns, but the first record has {columns}")
            else:
                yield record
    except csv.Error as error:
        raise Mistake(f":{reader.line_num}: {error}") from None


def read_csv(path, header):
    """Lists of records, without a header."""
    opener = gzip.open if is_packed(path) else open
    with opener(path, "rt", encoding="utf-8-sig", errors="surrogateescape", newline="") as file:
        found = records(csv.reader(file, strict=True))
        first = list(itertools.islice(found, 2))
        numbers = [any(parse([text]) is not None for text in record) for record in first]
        if header == "yes" or header == "auto" and numbers == [False, True]:
            del first[:1]
        found = itertools.chain(first, found)
        while rows := list(itertools.islice(found, ROWS)):
            yield rows


def parse(texts):
    """Their numbers; None where one of them is none, or is not finite."""
    if DIGITS.issuperset("".join(texts)):
        try:
            values = np.fromiter(map(float, texts), np.float64, len(texts))
        except ValueError:
            return None
        if np.isfinite(values).all():
            return values
    return None


# ---- outputs ---------------------------------------------------------------------------------------------------------

class Outputs:
    """Files that get their names together, when all of them are complete."""

    def __init__(self):
        self.parts = []

    def open(self, path):
        file = open(f"{path}.part.{os.getpid()}", "wb")
        self.parts.append((file, path))
        return file

    def end(self, complete):
        for file, _ in self.parts:
            with contextlib.nullcontext() if complete else contextlib.suppress(OSError):
                file.close()
        for file, path in self.parts:
            if complete:
                os.replace(file.name, path)
            elif os.path.exists(file.name):
                os.unlink(file.name)


def spelled(value):
    text = repr(value)
    return text[:-2] if text.endswith(".0") else text


class Writer:
    """One OUT, and the labels beside it."""

    def __init__(self, outputs, path):
        self.outputs, self.path = outputs, path
        self.npy = path.lower().endswith(".npy")
        self.labels_path = path[:-4] + ".labels" if self.npy else path
        self.file = self.labels = self.dtype = None
        self.rows = self.columns = 0

    def put_labels(self, labels):
        self.labels = self.labels or self.outputs.open(self.labels_path)
        self.labels.write("".join(text + "\n" for text in labels).encode("utf-8", "surrogateescape"))

    def put(self, values, labels):
        """A block of rows: values is rows x columns; labels is None or a list."""
        for text in labels or ():
            if not text or len(text.encode("utf-8", "surrogateescape")) > MOST_LABEL or not text.isprintable() or \
                    "," in text or '"' in text:
                raise Mistake(f"the label {shown(text)} is empty, is longer than {MOST_LABEL} bytes, or holds a comma, "
                              "a quote or a control character")
        self.rows += len(values)
        self.columns = values.shape[1]
        if not self.columns:
            self.put_labels(labels)
            return
        self.file = self.file or self.outputs.open(self.path)
        if self.npy:
            if self.dtype is None:
                self.dtype = values.dtype
                self.file.write(self.header())
            self.file.write(np.ascontiguousarray(values).data)
            if labels is not None:
                self.put_labels(labels)
            return
        lines = [",".join(map(spelled, row)) for row in values.tolist()]
        if labels is not None:
            lines = [line + "," + label for line, label in zip(lines, labels)]
        self.file.write("".join(line + "\n" for line in lines).encode("utf-8", "surrogateescape"))

    def header(self):
        """Always as long, so that the number of rows can be filled in at the end."""
        text = f"{{'descr': '{self.dtype.str}', 'fortran_order': False, 'shape': ({self.rows}, {self.columns}), }}"
        return b"\x93NUMPY\x01\x00" + struct.pack("<H", 118) + text.ljust(117).encode() + b"\n"

    def finish(self):
        """Says what was written, in one line."""
        if not self.rows:
            raise Mistake("holds no records")
        if self.npy and self.file:
            self.file.seek(0)
            self.file.write(self.header())
        what = f"{self.rows} x {self.columns}" if self.columns else f"{self.rows} labels"
        beside = f"; {self.labels_path}: their labels" if self.labels and self.columns else ""
        print(f"{self.path if self.columns else self.labels_path}: {what}{beside}")


# ---- from one to the other -------------------------------------------------------------------------------------------

def checked(values, first_row):
    """A block of a binary file in a type that step 8 reads."""
    kind = values.dtype.str[1:]
    if kind not in KEPT:
        raise Mistake(f"elements of type {values.dtype.str}")
    with np.errstate(all="ignore"):
        kept = values.astype(KEPT[kind], copy=False)
    wrong = ~np.isfinite(kept) if values.dtype.kind == "f" else np.zeros(0)
    if values.dtype.itemsize == 8 and values.dtype.kind in "iu":
        wrong = (values > 2**53) | (values < -(2**53) if values.dtype.kind == "i" else False)
    if wrong.any():
        row, column = np.argwhere(wrong)[0]
        raise Mistake(f": row {first_row + row + 1}: column {column + 1}: {values[row, column]} is not finite, or "
                      "beyond 2^53")
    return kept


class Encoder:
    """What the columns of the first CSV file become, and those of the others with them."""

    def __init__(self, options):
        self.options = options
        self.path = self.kinds = None  # kinds: a word's place for each column of words, None for one of numbers
        self.fields, self.label = 0, None

    def learn(self, path):
        """Which columns are words, and which words."""
        wanted = self.options.symbolic
        seen = words = None
        for rows in read_csv(path, self.options.header):
            columns = list(zip(*rows))
            if seen is None:
                self.path, self.fields = path, len(columns)
                self.label = {"none": None, "first": 0}.get(self.options.labels, len(columns) - 1)
                seen, words = [set() for _ in columns], [j + 1 in (wanted or ()) for j in range(len(columns))]
                if wanted and max(wanted) > len(columns):
                    raise Mistake(f"--symbolic names column {max(wanted)}, and there are {len(columns)}")
            for j, column in enumerate(columns):
                if j == self.label or wanted is not None and not words[j]:
                    continue
                if not words[j] and parse(column) is None:
                    if seen[j] is None:
                        bad = next(text for text in column if parse([text]) is None)
                        raise Mistake(f": column {j + 1}: {shown(bad)} is not a number, but the column has more than "
                                      f"{MOST_NUMBERS} different numbers above it; name it with --symbolic")
                    words[j] = True
                if seen[j] is not None:
                    seen[j].update(column)
                    if not words[j] and len(seen[j]) > MOST_NUMBERS:
                        seen[j] = None
        if seen is None:
            raise Mistake("holds no records")
        self.kinds = []
        for j in range(self.fields):
            names = sorted(seen[j], key=lambda text: text.encode("utf-8", "surrogateescape")) if words[j] else None
            self.kinds.append(None if names is None else {text: i for i, text in enumerate(names)})
            strange = [text for text in names or () if parse([text]) is None]
            if wanted is None and 0 < len(strange) <= len(names or ()) // 2:
                print(f"{path}: column {j + 1}: {shown(strange[0])} makes it a column of words; "
                      f"{len(names) - len(strange)} of its {len(names)} different values are numbers")

    def encode(self, path, writer, class_of):
        """Writes a file's records as `learn` has found."""
        fields, label, unseen, line = self.fields, self.label, collections.defaultdict(collections.Counter), 1
        for rows in read_csv(path, self.options.header):
            columns = list(zip(*rows))
            labelled = label is not None and len(columns) == fields
            if not labelled and len(columns) != fields - (label is not None):
                raise Mistake(f"{len(columns)} columns, but {self.path} has {fields}")
            labels = columns.pop(label) if labelled else None
            kinds = [kind for j, kind in enumerate(self.kinds) if j != label]
            width = sum(1 if kind is None else len(kind) for kind in kinds)
            if width > MOST_COLUMNS:
                raise Mistake(f"more than {MOST_COLUMNS} coordinates")
            block, at = np.zeros((len(rows), width)), 0
            for j, (column, kind) in enumerate(zip(columns, kinds)):
                where = j + 1 + (labelled and label == 0)
                if kind is None:
                    values = parse(column)
                    if values is None:
                        bad = next(i for i, text in enumerate(column) if parse([text]) is None)
                        raise Mistake(f": record {line + bad}: column {where}: {shown(column[bad])} is not a finite "
                                      "number")
                    block[:, at] = values
                else:
                    for i, text in enumerate(column):
                        if (place := kind.get(text)) is not None:
                            block[i, at + place] = 1
                        else:
                            unseen[where][text] += 1
                at += 1 if kind is None else len(kind)
            writer.put(block, None if labels is None else [class_of(text) for text in labels])
            line += len(rows)
        for where, names in sorted(unseen.items()):
            some = " ".join(shown(name) for name in sorted(names)[:5]) + (" ..." if len(names) > 5 else "")
            print(f"{path}: column {where}: {sum(names.values())} values of {len(names)} words that {self.path} lacks: "
                  f"{some}")


def convert_binary(array, alone, writer, options, class_of):
    """idx, vecs and .npy: the type of its elements stays, if step 8 reads it."""
    if array.shape[1] > MOST_COLUMNS or len(array) >= 2**31:
        raise Mistake(f"{len(array)} x {array.shape[1]} elements: more than step 8 reads")
    place = options.labels or ("last" if alone else "none")
    size = max(1, CHUNK // max(1, array.itemsize * array.shape[1]))
    for first in range(0, len(array), size):
        values, labels = checked(array[first:first + size], first), None
        if place != "none":
            at = 0 if place == "first" else values.shape[1] - 1
            labels = [class_of(spelled(x)) for x in values[:, at].tolist()]
            values = np.delete(values, at, axis=1)
        writer.put(values, labels)


def read_classes(path):
    """What --classes makes of a label."""
    if path is None:
        return lambda text: text
    if path == "kdd":
        path = os.path.join(ROOT, "step08_knn", "kdd_classes.csv")
    class_of = {}
    with open(path, encoding="utf-8", newline="") as file:
        for number, row in enumerate(csv.reader(file), 1):
            if len(row) != 2:
                raise Mistake(f"{path}:{number}: {len(row)} fields, not a label and its class")
            class_of[row[0]] = row[1]

    def find(text):
        if text not in class_of:
            raise Mistake(f"{path} has no class for the label {shown(text)}")
        return class_of[text]
    return find


# ---- the command line ------------------------------------------------------------------------------------------------

def parse_symbolic(text):
    if text == "none":
        return frozenset()
    if not all(part.isdigit() and int(part) for part in text.split(",")):
        raise argparse.ArgumentTypeError(f"'{text}' is not a list of columns, as 2,3,4, or none")
    return frozenset(map(int, text.split(",")))


def arguments():
    p = argparse.ArgumentParser(prog="data.py", description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("files", nargs="+", metavar="IN OUT")
    p.add_argument("--labels", choices=("last", "first", "none"),
                   help="the column of labels (default: last of CSV, none of the others)")
    p.add_argument("--symbolic", type=parse_symbolic, metavar="LIST",
                   help="columns of CSV that are words whatever they contain, counted from 1: 2,3,4, or none; all "
                        "others are numbers (default: words are the columns with a word in TRAIN)")
    p.add_argument("--header", choices=("auto", "yes", "no"), default="auto",
                   help="whether a CSV's first record holds names (default: if none of its values is a number and one "
                        "of the second record's is)")
    p.add_argument("--classes", metavar="MAP",
                   help="replace labels by their classes: kdd, or a file of lines label,class")
    o = p.parse_args()
    if len(o.files) % 2:
        p.error("a file to read and one to write, and so on: IN OUT [IN OUT]...")
    return o


def convert(o, outputs):
    pairs = list(zip(o.files[::2], o.files[1::2]))
    class_of, encoder = read_classes(o.classes), Encoder(o)
    read, written = {os.path.realpath(path) for path, _ in pairs}, set()
    for path, target in pairs:
        try:
            writer = Writer(outputs, target)
            for name in (writer.path, writer.labels_path):
                if os.path.realpath(name) in read:
                    raise Mistake(f"{name} would be written over what is read")
                if os.path.realpath(name) in written:
                    raise Mistake(f"{name} would be written twice")
            written |= {os.path.realpath(writer.path), os.path.realpath(writer.labels_path)}
            binary = read_binary(path)
            if binary is not None:
                convert_binary(*binary, writer, o, class_of)
            else:
                if encoder.kinds is None:
                    encoder.learn(path)
                encoder.encode(path, writer, class_of)
            writer.finish()
        except (Mistake, OSError, EOFError, zlib.error) as error:
            reason = getattr(error, "strerror", None) or str(error)
            name = getattr(error, "filename", None) or path
            raise Mistake(f"{name}{'' if reason.startswith(':') else ': '}{reason}") from None


def main():
    o, outputs, complete = arguments(), Outputs(), False
    csv.field_size_limit(1 << 26)
    try:
        convert(o, outputs)
        complete = True
        outputs.end(True)
    except (Mistake, OSError) as error:
        print(f"data.py: {error}", file=sys.stderr)
        sys.exit(2)
    except MemoryError:
        print("data.py: out of memory", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
    finally:
        if not complete:
            outputs.end(False)


if __name__ == "__main__":
    main()
