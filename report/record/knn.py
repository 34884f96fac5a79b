"""The paper's experiment on KDD Cup 1999: samples of the data, and rows of knn_rates.csv from step 8's runs on them."""

import gzip
import os
import re

from report import load
from report.load import Mistake
from report.record import csv_line, origin, read_text
from report.text import number

NORMAL, TRAINED, TESTED = 4900, 100, 500  # normal records and attacks to train, records to test


def classes(root):
    """The class of every label: normal, DoS, Probe, R2L or U2R. Labels with and without the full stop of the data."""
    name = os.path.join("step08_knn", "kdd_classes.csv")
    return dict(fields for _, fields in load.read_lines(os.path.join(root, name), name))


class Draw:
    """The same numbers from the same seed on every machine."""

    def __init__(self, seed):
        self.state = (seed * 7919 + 12345) % 2147483647
        for _ in range(10):
            self.below(1)

    def below(self, n):
        self.state = self.state * 16807 % 2147483647
        return int(n * ((self.state - 1) / 2147483646))


def read_records(path, class_of):
    """The distinct records of a file, compressed or not, by class."""
    pools = {name: [] for name in class_of.values()}
    seen = set()
    try:
        with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="latin-1", newline="\n") as file:
            for line_number, line in enumerate(file, 1):
                record = line.rstrip("\n")
                if record in seen:
                    continue
                seen.add(record)
                label = record.rsplit(",", 1)[-1].rstrip("\r")
                if label not in class_of:
                    raise Mistake(f"{path}:{line_number}: '{label}' is no label of KDD Cup 1999")
                pools[class_of[label]].append(record)
    except (OSError, EOFError) as error:
        raise Mistake(f"cannot read {path}: {error}") from None
    return pools


class Sampler:
    """Draws samples, one after the other, out of the same two pools."""

    def __init__(self, seed, folder, same, corrected, class_of):
        self.draw = Draw(seed)
        self.folder = folder
        self.pools = {"same": read_records(same, class_of), "corrected": read_records(corrected, class_of)}

    def take(self, source, name, count):
        """Puts `count` records, drawn without putting back, in front of the others."""
        pool = self.pools[source][name]
        if len(pool) < count:
            raise Mistake(f"{len(pool)} distinct {name} records in {source}, {count} wanted")
        for i in range(count):
            j = i + self.draw.below(len(pool) - i)
            pool[i], pool[j] = pool[j], pool[i]

    def write(self, protocol, name, trained, source, normal, skipped, tested):
        """Writes what was taken; the test's records begin behind `normal` and `skipped` others."""
        train = self.pools["same"]["normal"][:NORMAL] + self.pools["same"][name][:trained]
        test = (self.pools[source]["normal"][normal:normal + TESTED - tested] +
                self.pools[source][name][skipped:skipped + tested])
        for kind, records in ("train", train), ("test", test):
            with open(os.path.join(self.folder, f"{protocol}-{name}-{kind}.csv"), "w", encoding="latin-1",
                      newline="\n") as file:
                file.write("".join(record + "\n" for record in records))
        print(protocol, name, NORMAL, trained, TESTED - tested, tested, len(self.pools["same"][name]))

    def sample(self, name):
        """The two samples of a class: the test from the same file (but not of what trains) and from `corrected`. Of a
        class with fewer than 200 attacks in the file that both come from, each takes half."""
        attacks = len(self.pools["same"][name])
        half = attacks // 2 if attacks < 2 * TRAINED else TRAINED
        self.take("same", "normal", NORMAL + TESTED - half)
        self.take("same", name, 2 * half)
        self.write("same", name, half, "same", NORMAL, half, half)
        most = min(attacks, TRAINED)
        self.take("same", "normal", NORMAL)
        self.take("same", name, most)
        others = min(len(self.pools["corrected"][name]), TRAINED)
        self.take("corrected", "normal", TESTED - others)
        self.take("corrected", name, others)
        self.write("corrected", name, most, "corrected", 0, 0, others)


def sample(arguments, root):
    """Draws the samples of one seed; a line of facts for each."""
    if len(arguments) != 4 or not arguments[0].isdigit():
        raise Mistake("usage: python3 -m report knn-sample SEED DIR SAME CORRECTED")
    class_of = classes(root)
    sampler = Sampler(int(arguments[0]), *arguments[1:], class_of)
    for name in dict.fromkeys(class_of.values()):
        if name != "normal":
            sampler.sample(name)
    return 0


def share(part, whole):
    return number(round(part / whole if whole else 0, 4))


def rates_of(seed, facts, folder, method, class_of):
    """Rows of knn_rates.csv from what one run found; facts: a line that knn-sample printed of its sample."""
    protocol, name, *counts = facts.split()
    _, _, test_normal, test_attacks, _ = map(int, counts)
    base = os.path.join(folder, f"{protocol}-{name}")
    what = f"{protocol} {name}: {method}"
    truth = [line.rsplit(",", 1)[-1] for line in read_text(f"{base}-test.csv") if line]
    votes = [line.split(",") for line in read_text(f"{base}-{method}.votes") if line]
    if len(votes) != len(truth) or len(truth) != test_normal + test_attacks or len(set(map(len, votes))) != 1:
        raise Mistake(f"{what}: {len(votes)} lines of votes for {len(truth)} records, of {test_normal + test_attacks}")
    said = "\n".join(read_text(f"{base}-{method}.out"))
    unlike = re.search(r"^\S+ +(?:(\d+) of \d+ neighbours are not among|the same neighbours and distances as) the "
                       r"CPU's(?:; (\d+) of them are as near)?", said, re.MULTILINE)
    if not unlike:
        raise Mistake(f"{what}: not compared with the CPU")
    normal = [i for i, label in enumerate(truth) if class_of[label] == "normal"]
    attacks = [i for i, label in enumerate(truth) if class_of[label] == name]
    for k, predicted in enumerate(zip(*votes), 1):
        right = sum(a == b for a, b in zip(truth, predicted))
        detected = sum(class_of[predicted[i]] == name for i in attacks)
        alarms = sum(class_of[predicted[i]] != "normal" for i in normal)
        shares = [share(right, len(truth)), share(detected, len(attacks)), share(alarms, len(normal))]
        yield csv_line([protocol, name, seed, method, k, *counts, *shares, unlike[1] or 0, *origin(),
                        unlike[2] or (0 if not unlike[1] else "")])


def rates(arguments, root):
    """Of each sample in DIR/facts (what knn-sample printed) from DIR/PROTOCOL-CLASS-test.csv, and of each method from
    -METHOD.votes (of `run --out`) and -METHOD.out (what it printed)."""
    if len(arguments) < 3:
        raise Mistake("usage: python3 -m report knn-rates SEED DIR METHOD...")
    seed, folder, *methods = arguments
    class_of = classes(root)
    for facts in sorted(line for line in read_text(os.path.join(folder, "facts")) if line):
        for method in methods:
            print("\n".join(rates_of(seed, facts, folder, method, class_of)))
    return 0


def summary(arguments, root):
    """How many attacks of U2R there are."""
    if len(arguments) != 1:
        raise Mistake("usage: python3 -m report knn-summary CSV")
    db = load.empty_database()
    load.fill(db, "knn_rates", load.read_table(arguments[0], "knn_rates"))
    found = {row["protocol"]: row for row in db.execute("SELECT max(rowid), * FROM knn_rates WHERE class = 'U2R' "
                                                        "GROUP BY protocol")}
    if "same" in found and "corrected" in found:
        same, corrected = found["same"], found["corrected"]
        print(f"U2R: {corrected['attacks_known']} attacks exist in the training data, not 100; same file: "
              f"{same['train_attacks']} train, {same['test_attacks']} test; corrected: {corrected['train_attacks']} "
              f"train, {corrected['test_attacks']} test")
    return 0
