#!/usr/bin/env python3
"""`subcore sweep` as a user meets it; `test_sweep.py WORD...` runs only the tests whose names hold a word."""
import csv
import filecmp
import json
import os
import shutil
import signal
import subprocess
import time
import xml.etree.ElementTree

from harness import SUBCORE, document, fails, main, succeeds

SMALL = """
# two programs on two machines
[programs]
flat = "demo saxpy"
tiled = 'demo "sgemm-tiled"'

[axes]
gpu = ["a100",
       "rtx-a6000"]   # several lines
noc.latency = { from = 20, to = 60, step = 20 }

[table]
metrics = ["smsp__inst_executed.sum", "subcore__memory_throughput.pct"]
"""


def write(folder, text):
    path = folder / "sweep.toml"
    path.write_text(text, encoding="utf-8")
    return path


def rows(folder):
    with open(folder / "sweep.csv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def same(one, other):
    """All that a sweep hands out, byte for byte."""
    names = sorted(path.relative_to(one) for path in one.rglob("*") if path.is_file() and ".host" not in path.parts)
    others = sorted(path.relative_to(other) for path in other.rglob("*")
                    if path.is_file() and ".host" not in path.parts)
    return names == others and not filecmp.cmpfiles(one, other, names, shallow=False)[1]


def test_each_point_has_the_result_of_its_command(folder):
    out = folder / "out"
    succeeds("sweep", write(folder, SMALL), "-o", out)
    table = rows(out)
    assert [(row["program"], row["gpu"], row["noc.latency"]) for row in table] == [
        (program, gpu, latency) for program in ("flat", "tiled") for gpu in ("a100", "rtx-a6000")
        for latency in ("20", "40", "60")]
    for row, demo in ((table[1], "saxpy"), (table[10], "sgemm-tiled")):
        alone = document("demo", demo, "-g", row["gpu"], "-s", "noc.latency=" + row["noc.latency"])["kernels"][0]
        assert int(row["cycles"]) == alone["cycles"]["elapsed"]
        assert int(row["warp_instructions"]) == alone["warp_instructions"]
        for name in ("smsp__inst_executed.sum", "subcore__memory_throughput.pct"):
            assert float(row[name]) == alone["metrics"][name], name
    points = json.loads((out / "sweep.json").read_text(encoding="utf-8"))["points"]
    for point, row in zip(points, table, strict=True):
        assert point["values"] == {"gpu": row["gpu"], "noc.latency": row["noc.latency"]}
        assert point["cycles"] == float(row["cycles"]) and point["exit_status"] == 0
        kept = json.loads((out / point["document"]).read_text(encoding="utf-8"))
        assert kept["document"]["kernels"][0]["cycles"]["elapsed"] == point["cycles"]
    for axis in ("gpu", "noc.latency"):
        xml.etree.ElementTree.parse(out / f"{axis}.svg")


def test_several_launches_come_to_one_row(folder):
    out = folder / "out"
    succeeds("sweep", write(folder, '[programs]\nb = "demo bfs"\n[table]\nmetrics = ["sm__cycles_active.max", '
                                    '"sm__cycles_active.sum", "subcore__memory_throughput.pct", "no.such"]\n'),
             "-o", out, "-q")
    kernels = document("demo", "bfs")["kernels"]
    assert len(kernels) > 1
    cycles = [kernel["cycles"]["elapsed"] for kernel in kernels]
    metrics = [kernel["metrics"] for kernel in kernels]
    (row,) = rows(out)
    assert int(row["launches"]) == int(row["timed_launches"]) == len(kernels)
    assert int(row["cycles"]) == sum(cycles)
    assert float(row["sm__cycles_active.sum"]) == sum(m["sm__cycles_active.sum"] for m in metrics)
    assert float(row["sm__cycles_active.max"]) == max(m["sm__cycles_active.max"] for m in metrics)
    mean = sum(m["subcore__memory_throughput.pct"] * c for m, c in zip(metrics, cycles)) / sum(cycles)
    assert abs(float(row["subcore__memory_throughput.pct"]) - mean) < 1e-9 * mean
    assert row["no.such"] == ""


def test_points_that_are_only_executed_have_no_cycles(folder):
    out = folder / "out"
    succeeds("sweep", write(folder, '[programs]\ns = "demo saxpy"\n[axes]\nfidelity = ["functional", "detailed"]\n'),
             "-o", out)
    functional, detailed = rows(out)
    assert functional["cycles"] == "" and functional["timed_launches"] == "0"
    assert detailed["cycles"] != "" and detailed["warp_instructions"] == functional["warp_instructions"]


def test_an_option_can_be_an_axis(folder):
    out = folder / "out"
    succeeds("sweep", write(folder, '[programs]\ns = "demo saxpy"\n[axes]\n--until-cycles = [2000, 3000]\n'), "-o", out)
    kept = [json.loads((out / point["document"]).read_text())["document"]["kernels"][0]["stopped"]["at_cycle"]
            for point in json.loads((out / "sweep.json").read_text())["points"]]
    assert kept == [2000, 3000]


def test_a_point_that_fails_has_its_reason_and_the_others_run(folder):
    out = folder / "out"
    path = write(folder, '[programs]\ngood = "demo saxpy"\nbad = "demo nothing"\n')
    fails(1, "1 of 2 points failed, the first of them point 1: subcore: ", "sweep", path, "-o", out, "-q")
    good, bad = rows(out)
    assert good["exit_status"] == "0" and good["message"] == ""
    assert bad["exit_status"] == "2" and "'nothing'" in bad["message"] and bad["cycles"] == ""


def test_several_processes_give_the_files_of_one_and_survive_a_killed_one(folder):
    path = write(folder, SMALL.replace("step = 20", "step = 8"))
    succeeds("sweep", path, "-o", folder / "one", "-j", 1, "-q")
    words = [SUBCORE, "sweep", str(path), "-o", str(folder / "many"), "-j", "1", "-q"]
    crowd = [subprocess.Popen(words) for _ in range(4)]
    while len(list((folder / "many").glob("points/*.json"))) < 3:
        time.sleep(0.01)
    crowd[1].kill()
    assert [process.wait(timeout=100) for process in crowd] == [0, -signal.SIGKILL, 0, 0]
    assert same(folder / "one", folder / "many")


def test_an_interrupted_sweep_goes_on(folder):
    path = write(folder, SMALL.replace("step = 20", "step = 4"))
    out = folder / "out"
    words = [SUBCORE, "sweep", str(path), "-o", str(out), "-j", "2"]
    process = subprocess.Popen(words, stderr=subprocess.PIPE, text=True)
    while len(list(out.glob("points/*.json"))) < 3:
        time.sleep(0.01)
    process.send_signal(signal.SIGTERM)
    assert "interrupted; the same command goes on" in process.communicate(timeout=60)[1]
    assert process.returncode == 130
    assert not (out / "sweep.csv").exists()
    before = {path: path.stat().st_mtime_ns for path in out.glob("points/*.json")}
    assert 3 <= len(before) < 44
    succeeds("sweep", path, "-o", out, "-q")
    assert all(path.stat().st_mtime_ns == time for path, time in before.items()), "points were run again"
    succeeds("sweep", path, "-o", folder / "whole", "-q")
    assert same(out, folder / "whole")


def test_a_sweep_that_grows_runs_only_what_is_new(folder):
    out = folder / "out"
    succeeds("sweep", write(folder, SMALL), "-o", out, "-q")
    before = {path: path.stat().st_mtime_ns for path in out.glob("points/*.json")}
    succeeds("sweep", write(folder, SMALL.replace("to = 60", "to = 80")), "-o", out, "-q")
    assert len(rows(out)) == 16
    assert all(path.stat().st_mtime_ns == time for path, time in before.items())


def test_ranks_of_mpirun_share_a_sweep(folder):
    if not shutil.which("mpirun"):
        return
    path = write(folder, SMALL)
    succeeds("sweep", path, "-o", folder / "one", "-q")
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    result = subprocess.run(["mpirun", "--oversubscribe", "-n", "4", SUBCORE, "sweep", path, "-o", folder / "many"],
                            env=environment, capture_output=True, text=True, timeout=100, check=False)
    assert result.returncode == 0, result.stderr
    assert result.stdout.count("12 points of 2 programs") == 1, result.stdout
    assert same(folder / "one", folder / "many")


def test_points_are_listed_without_being_run(folder):
    lines = succeeds("sweep", write(folder, SMALL), "--list").splitlines()
    assert len(lines) == 12
    assert lines[0] == "0: subcore demo --gpu a100 --set noc.latency=20 --quiet --threads 1 saxpy"


def test_wrong_files_are_refused_with_place_and_reason(folder):
    program = '[programs]\np = "demo saxpy"\n'
    for text, part in (
            ("", "[programs] has no program"),
            ("x = 1\n", "sweep.toml:1: a section has to come first"),
            ("[other]\n", "sweep.toml:1: a section is [programs], [axes] or [table], not: other"),
            ('[programs]\np = "demo saxpy\n', "sweep.toml:2: a string has no end"),
            ('[programs]\np = ""\n', "sweep.toml:2: a program has no command"),
            ('[programs]\np = "gpus"\n', "program p: a sweep runs run, demo, replay and exec, not 'gpus'"),
            (program + "p = 'demo bfs'\n", "sweep.toml:3: there is a program of this name already: p"),
            (program + "[axes]\ngpu = []\n", "sweep.toml:4: an axis has no value: gpu"),
            (program + "[axes]\ngpu = h2\n", "no GPU named 'h2'"),
            (program + "[axes]\nno.key = 1\n", "no.key"),
            (program + "[axes]\nnoc.latency = 1000000\n", "noc.latency"),
            (program + "[axes]\nfidelity = fine\n",
             "axis fidelity: detailed, sampled, hybrid and functional are known, not 'fine'"),
            (program + "[axes]\n--jso = 1\n", "axis --jso: there is no such option"),
            (program + "[axes]\n--json = 1\n", "axis --json: a sweep sets this option itself"),
            (program + "[axes]\nnoc.latency = { from = 1, to = 9, step = -1 }\n", "sweep.toml:4: a range needs"),
            (program + "[axes]\nnoc.latency = { from = 1, till = 9 }\n", "a range has from, to and step, not: till"),
            (program + "[axes]\nnoc.latency = [1 2]\n", "',' or ']' is expected in an array"),
            (program + "[axes]\nnoc.latency = 1 2\n", "something stands behind the value"),
            (program + "[table]\ncolumns = 1\n", "[table] has metrics, not: columns")):
        fails(2, part, "sweep", write(folder, text), "-o", folder / "out")
        assert not (folder / "out").exists()
    fails(2, "a sweep needs a folder for its results: -o FOLDER", "sweep", write(folder, program))
    fails(2, "No such file", "sweep", folder / "nothing", "-o", folder / "out")
    (folder / "file").touch()
    fails(2, "file: no folder", "sweep", write(folder, program), "-o", folder / "file")


main(globals())
