#!/usr/bin/env python3
"""Runs that are timed in part, saved and resumed, as a user meets them."""
import csv
import json
import os
import re
import signal
import subprocess
import tempfile
import time

from harness import SUBCORE, document, fails, main, subcore, succeeds, without_host
from runs import SAXPY, SAXPY_ARGS, SPIN


def test_an_interrupted_run_goes_on_where_it_was():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "spin.save")
        process = subprocess.Popen([SUBCORE, *SPIN, "--quiet", "--save", path], stderr=subprocess.PIPE, text=True)
        time.sleep(2)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        assert process.returncode == 130, (process.returncode, err)
        assert err.endswith(f"; go on with --resume {path}\n"), err
        until = str(int(re.search(r"stopped at cycle (\d+)", err).group(1)) + 2000)
        went_on = document(*SPIN, "--resume", path, "--until-cycles", until)
        assert without_host(went_on) == without_host(document(*SPIN, "--until-cycles", until))
        assert went_on["kernels"][0]["stopped"]["at_cycle"] == int(until)
        fails(2, "another grid", "run", SAXPY, "--grid", "2", *SPIN[4:], "--resume", path)
        fails(2, "--functional", *SPIN, "--functional", "--resume", path)


def test_a_place_that_cannot_be_saved_to_is_refused_before_the_run():
    with tempfile.TemporaryDirectory() as folder:
        fails(2, "No such file or directory", *SPIN, "--save", f"{folder}/none/x.save")
        fails(2, "it is a folder", *SPIN, "--save", f"{folder}:100")
        for cycles in ("0", "abc", "", "-5", "10k"):
            fails(2, f"'{cycles}' is not a positive number of cycles", *SPIN, "--save", f"{folder}/x.save:{cycles}")
        fails(2, "is not FILE or FILE:CYCLES", *SPIN, "--save", ":100")
        assert not os.listdir(folder)
        os.mkdir(f"{folder}/a:b")
        succeeds("demo", "saxpy", "--save", f"{folder}/a:b/c:d:1000")
        succeeds("demo", "saxpy", "--save", f"{folder}/a:b/never")
        assert os.listdir(f"{folder}/a:b") == ["c:d"]


def reports(words, folder):
    """The output of a replay, without the host's time."""
    report = os.path.join(folder, "report")
    text = succeeds("replay", *words, "--quiet", "--report", report)
    with open(f"{report}/launches.csv", encoding="utf-8", newline="") as file:
        table = [{key: value for key, value in row.items() if "host" not in key} for row in csv.DictReader(file)]
    with open(f"{report}/report.json", encoding="utf-8") as file:
        written = without_host(json.load(file))
    with open(f"{report}/report.txt", encoding="utf-8") as file:
        text += file.read()
    return table, written, re.sub(r"(replayed|Simulated) in .*", "", text)


def test_a_saved_replay_ends_with_the_reports_of_one_that_was_not():
    with tempfile.TemporaryDirectory() as folder:
        trace, save = f"{folder}/bfs.trace", f"{folder}/bfs.save"
        succeeds("record", "demo", "bfs", "-o", trace)
        succeeds("trace", "convert", trace, "--to", "accelsim", "--output", f"{folder}/bfs", "--quiet")
        for words in ([trace], [f"{folder}/bfs/kernelslist.g"], [trace, "--kernels", "1,3-8"]):
            whole = reports(words, folder)
            for cycles in (2000, 17000, 30000):
                succeeds("replay", *words, "--quiet", "--save", f"{save}:{cycles}")
                assert reports([*words, "--resume", save], folder) == whole, (words, cycles)
                os.remove(save)


def test_an_interrupted_replay_goes_on_where_it_was():
    with tempfile.TemporaryDirectory() as folder:
        trace, save = f"{folder}/a.trace", f"{folder}/a.save"
        succeeds("record", "demo", "sgemm-naive", "-o", trace)
        whole = document("replay", trace)
        process = subprocess.Popen([SUBCORE, "replay", trace, "--threads", "1", "--save", f"{save}:4000"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        while not os.path.exists(save) and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        assert process.returncode == 130, (process.returncode, err)
        assert err.endswith(f"; go on with --resume {save}\n"), err
        assert without_host(document("replay", trace, "--resume", save)) == without_host(whole)
        os.truncate(save, os.path.getsize(save) // 2)
        fails(2, "damaged, or not whole", "replay", trace, "--resume", save)


def test_a_save_of_another_replay_is_refused_without_a_report():
    with tempfile.TemporaryDirectory() as folder:
        bfs, scan, save = f"{folder}/bfs.trace", f"{folder}/scan.trace", f"{folder}/bfs.save"
        demo_save = f"{folder}/demo.save"
        succeeds("record", "demo", "bfs", "-o", bfs)
        succeeds("record", "demo", "scan", "-o", scan)
        succeeds("replay", bfs, "--quiet", "--save", f"{save}:30000")
        succeeds("demo", "bfs", "--save", f"{demo_save}:30000")
        for part, words in ((f"{save}: this save is of a replay of {bfs}, and {scan} is another trace", [scan]),
                            ("another configuration", [bfs, "--gpu", "h200", "--set", "core.dependence=scoreboard"]),
                            ("another choice of launches", [bfs, "--kernels", "0-8"])):
            assert fails(2, part, "replay", *words, "--quiet", "--keep-going", "--resume", save).stdout == "", words
        fails(2, f"{demo_save}: this save is not of a replay", "replay", bfs, "--resume", demo_save)
        fails(2, f"this save is of a replay of {bfs}", "demo", "bfs", "--resume", save)
        fails(2, "--check-hazards", "replay", bfs, "--check-hazards", "--resume", save)


def test_a_replay_that_is_stopped_says_nothing_of_memory():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "saxpy.trace")
        succeeds("record", "demo", "saxpy", "-o", path)
        text = subcore("replay", path, "--until-cycles", "2000").stdout
        assert "STOPPED as asked" in text and "The rest of the trace, " in text and "memory is not" not in text, text
    assert "memory is not that of a whole run" in succeeds("demo", "saxpy", "--until-cycles", "2000")


def test_a_save_of_another_run_is_refused_without_a_report():
    with tempfile.TemporaryDirectory() as folder:
        saxpy, bfs = f"{folder}/saxpy.save", f"{folder}/bfs.save"
        succeeds("demo", "saxpy", "--save", f"{saxpy}:1000")
        succeeds("demo", "bfs", "--save", f"{bfs}:1000")
        for part, words in (("another kernel", ["demo", "vecadd", "--resume", saxpy]),
                            ("another configuration", ["demo", "saxpy", "--gpu", "h200", "--resume", saxpy]),
                            ("did not come", ["demo", "saxpy", "--resume", bfs]),
                            ("did not come", [*SAXPY_ARGS, "--resume", bfs])):
            assert fails(2, part, *words).stdout == "", words


def test_an_interrupted_demo_was_not_checked():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "bfs.save")
        process = subprocess.Popen([SUBCORE, "demo", "bfs", "--save", f"{path}:1000"], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        while not os.path.exists(path) and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130 and "stopped at cycle" in err, (process.returncode, err)
    assert "Check: not made: the run was interrupted\n" in out and "FAILED" not in out, out


def test_a_part_of_a_run_is_timed():
    whole = document("demo", "hgemm")
    part = document("demo", "hgemm", "--until-cycles", "3000")
    assert part["check"]["ok"] is None and part["error"] is None
    assert part["kernels"][0]["stopped"] == {"by": "cycles", "at_cycle": 3000, "rest_executed": False,
                                             "rest_instructions": 0}
    assert "STOPPED as asked (--until-cycles) at cycle 3,000" in succeeds("demo", "hgemm", "--until-cycles", "3000")
    some = document("demo", "hgemm", "--ctas", "2")
    assert some["check"]["ok"] is True and some["memory_digest"] == whole["memory_digest"]
    assert some["kernels"][0]["stopped"]["by"] == "ctas" and not some["kernels"][0]["complete"]
    bfs = document("demo", "bfs", "--kernels", "1-2,4")
    assert [n for n, k in enumerate(bfs["kernels"]) if k["detailed"]] == [1, 2, 4]
    assert "No launch was timed" not in succeeds("demo", "bfs", "--kernels", "8")
    for words in (["--kernels", "9"], ["--fast-forward", "9"], ["--fast-forward", "bfs"]):
        last = succeeds("demo", "bfs", *words).splitlines()[-1]
        assert last == f"No launch was timed: {words[0]} leaves none of the 9 that there were", last
    fails(2, "is not a list of launches", "demo", "--kernels", "x")
    fails(2, "--functional times nothing", "demo", "--functional", "--ctas", "2")
    fails(2, "is not PERCENT", "demo", "--until-stable-ipc", "x")


def test_an_estimate_of_a_stream_waits_until_dirty_lines_have_filled_the_l2():
    words = ["run", SAXPY, "--grid", "48", "--block", "256", "--arg", "f32:2", "--arg", "f32[2097152]=iota", "--arg",
             "f32[2097152]=iota", "--arg", "u32:2097152", "--set", "gpu.sms=8", "--set", "dram.bandwidth=96"]
    for l2 in ("2359296", "4718592"):
        whole = document(*words, "--set", f"l2.size={l2}")["kernels"][0]
        part = document(*words, "--set", f"l2.size={l2}", "--until-stable-ipc", "10:8192")["kernels"][0]
        assert part["stopped"]["at_cycle"] > int(l2) / (96e9 / 1.8e9), part["stopped"]  # reads have filled it
        cycles = part["stopped"]["estimated_cycles"], whole["cycles"]["elapsed"]
        assert abs(cycles[0] / cycles[1] - 1) < 0.05, cycles


main(globals())
