#!/usr/bin/env python3
"""Records and checks digests of the simulator's results, so that a change of its code that must not change its
results can be compared with the commit before.

    tools/digests.py check  --subcore build/subcore [--quick] [SECTION...]
    tools/digests.py record --subcore build/subcore [SECTION...]
    tools/digests.py diff   --subcore build/subcore --other OLD/subcore [--quick] [SECTION...]

A digest stands for the JSON of one item, without the host's times and without names of builds and configurations:

    demo         an example of `subcore demo --all` on a GPU
    experiment   an experiment of `subcore experiment --all` on a GPU
    measure      a micro-benchmark of `subcore measure --quick` on a GPU
    exec         a CUDA program of tests/ladder, timed; only with --ladder FOLDER, which has the programs

`check` compares with tests/digests/digests.tsv and names each item that differs, `record` rewrites its rows, and
`diff` compares two builds and names the members of the JSON that differ. --quick takes some of the GPUs, unless
SUBCORE_FULL is set. Exit status:
0 all equal, 1 items differ, 2 the simulator failed or the words are wrong."""
import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
RECORD = ROOT / "tests" / "digests" / "digests.tsv"
SECTIONS = ("demo", "experiment", "measure", "exec")
QUICK_GPUS = ("t4", "a100", "rtx-a6000", "h100-sxm", "rtx-5090")
QUICK_MEASURES = ("rtx-a6000", "h100-sxm")
EXEC_GPU = "rtx-a6000"
HOST_DECIDES = {"default_stream", "threads", "values",   # their host threads decide the order of launches
                "pinned"}                                 # its kernels use the heap, whose layout decides their lines
IGNORED = {"tool", "host", "config_hash", "seconds", "file", "program",
           "verdict"}   # words about the rest


class Failure(Exception):
    """The simulator could not be run. The message says why."""


def without_host(value):
    """The value without the parts that depend on the host or on the names of a build."""
    if isinstance(value, dict):
        return {key: without_host(member) for key, member in value.items() if key not in IGNORED}
    if isinstance(value, list):
        return [without_host(member) for member in value]
    return value


def digest(value):
    return hashlib.sha256(json.dumps(without_host(value), sort_keys=True).encode()).hexdigest()[:16]


def run(words, allowed=(0, 1)):
    """The JSON that a command writes."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "out.json"
        at = words.index("JSON")
        done = subprocess.run(words[:at] + ["--json", str(path)] + words[at + 1:], stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
        if not path.is_file() or (allowed and done.returncode not in allowed):
            raise Failure(f"{' '.join(words)}: exit status {done.returncode}: {done.stderr.strip()[-400:]}")
        return json.loads(path.read_text(encoding="utf-8"))


def gpus_of():
    return sorted(path.stem for path in (ROOT / "configs").glob("*.toml"))


def demo_tasks(words):
    for gpu in QUICK_GPUS if words.quick else gpus_of():
        yield [words.subcore, "demo", "--all", "--quiet", "--gpu", gpu, "JSON"], \
            lambda found, gpu=gpu: {f"demo/{gpu}/{item['demo']}": item for item in found["demos"]}


def experiment_tasks(words):
    yield [words.subcore, "experiment", "--all", "--quiet", "JSON"], \
        lambda found: {f"experiment/{item['gpu']}/{item['experiment']}": item for item in found["experiments"]}


def measure_tasks(words):
    for gpu in QUICK_MEASURES if words.quick else gpus_of():
        yield [words.subcore, "measure", "--all", "--quick", "--quiet", "--threads", "1", "--gpu", gpu, "JSON"], \
            lambda found: {f"measure/{item['gpu']}/{item['measure']}": item for item in found["measures"]}


def exec_tasks(words):
    if not words.ladder:
        return
    for program in sorted(path for path in words.ladder.iterdir() if path.is_file() and os.access(path, os.X_OK)):
        if program.suffix or program.name in HOST_DECIDES:
            continue
        yield [words.subcore, "exec", "--quiet", "--threads", "1", "--gpu", EXEC_GPU, "JSON", str(program)], \
            lambda found, name=program.name: {f"exec/{EXEC_GPU}/{name}": found}


def items_of(words):
    """Each item of the chosen sections by its name."""
    makers = {"demo": demo_tasks, "experiment": experiment_tasks, "measure": measure_tasks, "exec": exec_tasks}
    tasks = [task for section in words.sections for task in makers[section](words)]
    items = {}

    def one(task):
        command, split = task
        return split(run(command, allowed=None if "exec" in command else (0, 1)))

    with concurrent.futures.ThreadPoolExecutor(words.jobs) as pool:
        for number, found in enumerate(pool.map(one, tasks), 1):
            items.update(found)
            if sys.stderr.isatty():
                print(f"\r{number} of {len(tasks)} commands", end="", file=sys.stderr)
    if sys.stderr.isatty():
        print(file=sys.stderr)
    return items


def read_record(path):
    rows = {}
    if path.is_file():
        for line in path.read_text(encoding="utf-8").splitlines():
            if line and not line.startswith("#"):
                name, value = line.split("\t")
                rows[name] = value
    return rows


def write_record(path, rows):
    head = "# Digests of results, by `tools/digests.py record`; a change of results records them again.\n"
    path.write_text(head + "".join(f"{name}\t{rows[name]}\n" for name in sorted(rows)), encoding="utf-8")


def computed(words):
    """The sections that these words compute: programs of the ladder only when there are any."""
    return {section for section in words.sections if section != "exec" or words.ladder}


def record(words):
    again = computed(words)
    rows = {name: value for name, value in read_record(words.record).items() if name.split("/")[0] not in again}
    found = {name: digest(item) for name, item in items_of(words).items()}
    write_record(words.record, {**rows, **found})
    print(f"{len(found)} digests recorded")
    return 0


def check(words):
    rows, found = read_record(words.record), {name: digest(item) for name, item in items_of(words).items()}
    wrong = [f"{name}: {'differs' if name in rows else 'is not recorded'}"
             for name in sorted(found) if rows.get(name) != found[name]]
    equal = len(found) - len(wrong)
    if not words.quick:
        wrong += [f"{name}: is recorded, and nothing computes it" for name in sorted(rows)
                  if name.split("/")[0] in computed(words) and name not in found]
    for line in wrong:
        print(line)
    print(f"{equal} of {len(found)} digests equal")
    return 1 if wrong else 0


def differences(old, new, path=""):
    """Each member of the JSON that differs, as (path, old, new)."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted({*old, *new}):
            yield from differences(old.get(key), new.get(key), f"{path}.{key}")
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for at, (before, after) in enumerate(zip(old, new)):
            yield from differences(before, after, f"{path}[{at}]")
    elif old != new:
        yield path, old, new


def diff(words):
    new = items_of(words)
    words.subcore = words.other
    old, wrong = items_of(words), 0
    for name in sorted({*old, *new}):
        found = list(differences(without_host(old.get(name)), without_host(new.get(name))))
        wrong += bool(found)
        for path, before, after in found[:words.members]:
            print(f"{name}{path}: {json.dumps(before)[:60]} -> {json.dumps(after)[:60]}")
        if len(found) > words.members:
            print(f"{name}: {len(found) - words.members} more members differ")
    print(f"{len(new) - wrong} of {len(new)} items equal")
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=("check", "record", "diff"))
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=f"of {', '.join(SECTIONS)}; all without")
    parser.add_argument("--subcore", default=str(ROOT / "build" / "subcore"))
    parser.add_argument("--record", type=pathlib.Path, default=RECORD, help="the file of digests")
    parser.add_argument("--other", help="the build to compare with, of diff")
    parser.add_argument("--ladder", type=pathlib.Path, help="folder of the built programs of tests/ladder")
    parser.add_argument("--quick", action="store_true", help="some of the GPUs")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--members", type=int, default=5, help="differing members that diff names for an item")
    words = parser.parse_intermixed_args()
    unknown = [section for section in words.sections if section not in SECTIONS]
    if unknown or (words.action == "diff" and not words.other) or (words.action == "record" and words.quick):
        parser.error(f"no such section: {unknown[0]}" if unknown else "diff needs --other, and record takes no --quick")
    words.sections = words.sections or list(SECTIONS)
    words.quick = words.quick and not os.environ.get("SUBCORE_FULL")
    try:
        return {"check": check, "record": record, "diff": diff}[words.action](words)
    except Failure as failure:
        print(failure, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
