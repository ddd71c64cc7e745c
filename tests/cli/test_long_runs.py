#!/usr/bin/env python3
"""Runs that are timed in part, saved and resumed, as a user meets them; with the helpers of test_cli.py."""
import os
import re
import signal
import subprocess
import tempfile
import time

from test_cli import SAXPY, SAXPY_ARGS, SPIN, SUBCORE, document, fails, main, subcore, succeeds, without_host


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


main(globals())
