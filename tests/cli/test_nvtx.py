#!/usr/bin/env python3
"""Ranges and marks that a program makes with NVTX, in `subcore exec`: the launches in them, in text, JSON, page and
timeline, and --nvtx. SUBCORE_NVTX_PROGRAM is nvtx_program.c, which is built where NVIDIA's header is."""
import csv
import json
import os
import subprocess
import sys

from harness import SUBCORE, block_of, main

PROGRAM = os.environ.get("SUBCORE_NVTX_PROGRAM")
if not PROGRAM:
    print("1..0 # SKIP no nvtx3/nvToolsExt.h")
    sys.exit(0)


def run_exec(*words, options=()):
    variables = {key: value for key, value in os.environ.items()
                 if not key.startswith("SUBCORE_") or key in ("SUBCORE_ROOT", "SUBCORE_PROGRESS")}
    result = subprocess.run([SUBCORE, "exec", *map(str, options), PROGRAM, *words], capture_output=True, text=True,
                            timeout=120, check=False, env=variables)
    assert result.returncode == 0, result.stderr
    return result


def document(folder, *words, options=()):
    path = folder / "d.json"
    run_exec(*words, options=("--quiet", "--json", path, *options))
    return json.loads(path.read_text(encoding="utf-8"))


def name_of(one):
    return one["domain"] + "@" + one["name"] if one["domain"] else one["name"]


def ranges(data):
    return {name_of(one): one for one in data["ranges"]}


def ranges_of_launches(data):
    return [sorted(name_of(data["ranges"][i]) for i in launch["ranges"]) for launch in data["launches"]]


def events(folder, *words, options=()):
    path = folder / "t.json"
    run_exec(*words, options=("--quiet", "--perfetto", path, *options))
    return json.loads(path.read_text(encoding="utf-8"))["traceEvents"]


def slices(events_, category):
    return {e["name"]: (e["tid"], round(e["ts"] * 1000), round((e["ts"] + e["dur"]) * 1000))
            for e in events_ if e["ph"] == "X" and e["cat"] == category}


# ---- contents of a range --------------------------------------------------------------------------------------------


def test_a_launch_is_in_the_ranges_that_were_open_when_it_was_submitted(folder):
    data = document(folder, "launch", "push:outer", "launch", "push:inner", "launch", "pop", "launch", "pop", "launch")
    assert ranges_of_launches(data) == [[], ["outer"], ["inner", "outer"], ["outer"], []]
    cycles = [kernel["cycles"]["elapsed"] for kernel in data["kernels"]]
    outer, inner = ranges(data)["outer"], ranges(data)["inner"]
    assert (outer["ranges"], outer["launches"], outer["timed"], outer["cycles"]) == (1, 3, 3, sum(cycles[1:4]))
    assert (inner["launches"], inner["cycles"]) == (1, cycles[2])
    clock = data["kernels"][0]["gpu"]["clock_mhz"]
    assert abs(outer["seconds"] - outer["cycles"] / clock / 1e6) < 1e-9 * outer["seconds"] + 1e-15


def test_levels_count_per_domain():
    out = run_exec("pop", "push:a", "push:d@b", "push:d@c", "push:e", "pop:d", "pop", "pop", "pop", "pop:d",
                   options=("--quiet",)).stdout.split("\n")
    assert out[:-1] == [f"level {n}" for n in (-1, 0, 0, 1, 1, 1, 1, 0, -1, 0)]


def test_a_pop_ends_the_innermost_range_of_its_own_domain(folder):
    data = document(folder, "push:d@first", "push:second", "pop:d", "launch", "pop")
    assert ranges_of_launches(data) == [["second"]]


def test_names_may_be_wide_and_registered(folder):
    data = document(folder, "wide:a_b", "registered:d@once", "launch", "pop:d", "registered:once", "launch", "pop",
                    "pop")
    assert ranges_of_launches(data) == [["a\u20acb", "d@once"], ["a\u20acb", "once"]]


def test_ranges_of_one_name_in_each_other_count_a_launch_once(folder):
    data = document(folder, "push:a", "push:a", "launch", "pop", "pop")
    assert (ranges(data)["a"]["ranges"], ranges(data)["a"]["launches"]) == (2, 1)


def test_a_thread_has_its_own_ranges_and_those_of_the_process(folder):
    data = document(folder, "push:mine", "start:all", "elsewhere", "launch", "end", "elsewhere", "pop")
    assert ranges_of_launches(data) == [["all"], ["all", "mine"], []]


def test_more_ranges_than_are_seen_do_not_confuse_the_others(folder):
    deep = [f"push:r{n}" for n in range(40)]
    data = document(folder, *deep, "launch", *["pop"] * 39, "launch", "pop", "launch")
    assert len(ranges_of_launches(data)[0]) == 32
    assert ranges_of_launches(data)[1:] == [["r0"], []]


def test_a_program_without_ranges_has_no_word_of_them(folder):
    data = document(folder, "launch")
    assert "ranges" not in data and "ranges" not in data["launches"][0]
    assert "NVTX" not in run_exec("launch").stderr


# ---- reports ---------------------------------------------------------------------------------------------------------

PROGRAM_OF_ALL = ("push:outer", "launch", "push:d@inner", "launch", "pop:d", "mark:half", "pop", "push:empty", "pop",
                  "start:rest", "launch", "end")


def test_text_page_and_json_have_the_same_numbers(folder):
    data = document(folder, *PROGRAM_OF_ALL, options=("--html", folder / "p.html", "--report", folder / "r"))
    page = block_of(folder / "p.html")[1][0]
    assert page["ranges"] == data["ranges"]
    assert [one["ranges"] for one in page["launches"]] == [one["ranges"] for one in data["launches"]]
    lines = (folder / "r" / "report.txt").read_text(encoding="utf-8").split("\n")
    rows = lines[next(i for i, line in enumerate(lines) if line.startswith("range (NVTX)")) + 1:][:4]
    found = {row.split()[0]: row.split()[1:5] for row in rows}
    for name, one in ranges(data).items():
        if one["ranges"]:
            cycles = f"{one['cycles']:,}" if one["timed"] else "-"
            assert found[name] == [f"{one['ranges']}", f"{one['launches']}", f"{one['timed']}", cycles], found
    assert set(found) == {"outer", "d@inner", "empty", "rest"}
    with open(folder / "r" / "launches.csv", encoding="utf-8") as file:
        assert [row["ranges"] for row in csv.DictReader(file)] == ["outer", "outer;d@inner", "rest"]


def test_a_timeline_has_each_range_from_its_first_command_to_its_last(folder):
    found = events(folder, *PROGRAM_OF_ALL, "copy")
    kernels = sorted(e["ts"] * 1000 for e in found if e.get("cat") == "kernel")
    ends = sorted((e["ts"] + e["dur"]) * 1000 for e in found if e.get("cat") == "kernel")
    of = slices(found, "range")
    near = lambda a, b: abs(a - b) <= 1
    assert near(of["outer"][1], kernels[0]) and near(of["outer"][2], ends[1])
    assert near(of["inner"][1], kernels[1]) and near(of["inner"][2], ends[1])
    assert near(of["rest"][1], kernels[2]) and near(of["rest"][2], ends[2])
    assert of["empty"][1] == of["empty"][2] and near(of["empty"][1], ends[1])
    mark, = (e for e in found if e["ph"] == "i")
    assert mark["name"] == "half" and near(mark["ts"] * 1000, ends[1])
    assert of["outer"][0] != of["inner"][0], "domains have tracks of their own"


def test_ranges_on_one_track_hold_each_other_or_are_apart(folder):
    words = []
    for n in range(6):
        words += [f"push:step{n}", "stream", "push:in", "launch", "pop", "stream", "pop"]
    found = [e for e in events(folder, *words) if e.get("cat") == "range"]
    assert len(found) == 12 and len({e["tid"] for e in found}) > 1
    digit = 0.0015  # times have three digits
    for a in found:
        for b in found:
            if a is not b and a["tid"] == b["tid"] and a["ts"] < b["ts"] < a["ts"] + a["dur"] - digit:
                assert b["ts"] + b["dur"] <= a["ts"] + a["dur"] + digit, (a, b)


def test_copies_are_work_of_a_range(folder):
    found = events(folder, "launch", "push:copies", "copy", "pop")
    copy, = (e for e in found if e.get("cat") == "copy" and e["name"] == "copy to the host")
    assert slices(found, "range")["copies"][1:] == (round(copy["ts"] * 1000), round((copy["ts"] + copy["dur"]) * 1000))


# ---- --nvtx ----------------------------------------------------------------------------------------------------------


def test_only_launches_of_the_named_ranges_are_timed_and_reported(folder):
    words = ("launch", "push:a", "launch", "push:d@b", "launch", "pop:d", "pop", "launch")
    every = document(folder, *words)
    for rule, expected in (("a", [1, 2]), ("d@b", [2]), ("b", [2]), ("d@*", [2]), ("?", [1, 2]), ("e@a", [])):
        data = document(folder, *words, options=("--nvtx", rule))
        assert [launch["launch"] for launch in data["launches"]] == expected, rule
        assert all(kernel["detailed"] for kernel in data["kernels"])
        assert [k["cycles"] for k in data["kernels"]] == [every["kernels"][i]["cycles"] for i in expected]


def test_what_is_left_out_and_names_without_a_range_are_said():
    err = run_exec("launch", "push:a", "launch", "pop", "launch", options=("--nvtx", "a", "--nvtx", "x@y")).stderr
    assert "subcore: --nvtx: 2 launches outside of the ranges were only executed\n" in err
    assert "subcore: --nvtx x@y: there was no such range\n" in err and "--nvtx a: there was" not in err
    assert sum(line.startswith("subcore:    ") for line in err.split("\n")) == 1


def test_detailed_and_nvtx_both_have_to_name_a_launch(folder):
    words = ("push:a", "launch", "launch", "pop", "launch")
    data = document(folder, *words, options=("--nvtx", "a", "--detailed", "saxpy:1-2"))
    assert [(one["launch"], kernel["detailed"]) for one, kernel in zip(data["launches"], data["kernels"])] == \
        [(0, False), (1, True)]


main(globals())
