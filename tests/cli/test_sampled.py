#!/usr/bin/env python3
"""`--fidelity sampled`: some launches that are alike are timed, the others executed, and the sum has an interval.
SUBCORE_CUDA is a program that uses the driver API (cuda_program.c): with the word "cubin" it launches saxpy once."""
import csv
import json
import os
import re
import subprocess

from harness import SUBCORE, document, fails, main, subcore

CUDA = os.environ["SUBCORE_CUDA"]
LAUNCHES = 150
PROGRAM = [CUDA, *["cubin"] * LAUNCHES]


def execute(*words):
    return subprocess.run([SUBCORE, "exec", "-g", "rtx-a6000", *map(str, words)], capture_output=True, text=True,
                          timeout=300, check=False)


def report(*words):
    result = execute("--quiet", "--json", "-", *words, *PROGRAM)
    assert result.returncode == 0 and result.stderr.count(": right\n") == LAUNCHES, result
    return json.loads(result.stdout)


def elapsed(one):
    return [kernel["cycles"]["elapsed"] for kernel in one["kernels"] if kernel["detailed"]]


def test_the_interval_holds_what_timing_every_launch_gives(folder):
    truth = elapsed(report())
    assert len(truth) == LAUNCHES
    one = report("--fidelity", "sampled")
    sampled = one["sampled"]
    assert sampled["launches"] == LAUNCHES and sampled["kinds"] == 1 and sampled["confidence"] == 0.95
    assert sampled["timed_launches"] == len(elapsed(one)) < LAUNCHES / 3, sampled
    assert abs(sampled["cycles"] - sum(truth)) <= sampled["half_width_cycles"] <= 0.03 * sum(truth), sampled
    kernel, = sampled["kernels"]
    assert kernel["name"] == "saxpy" and {**sampled, **kernel}["cycles"] == sampled["cycles"]
    expected = [launch.get("expected_cycles") for launch in one["launches"]]
    assert expected.count(None) == sampled["timed_launches"] and min(filter(None, expected)) > 0.9 * min(truth)


def test_the_first_launch_of_a_kind_is_timed(folder):
    one = report("--fidelity", "sampled", "--error", "50")
    assert one["kernels"][0]["detailed"] and one["sampled"]["timed_launches"] < 30


def test_a_smaller_error_has_more_launches_timed(folder):
    few, many = (report("--fidelity", "sampled", "--error", error)["sampled"] for error in ("10", "0.1"))
    assert few["timed_launches"] < many["timed_launches"], (few, many)


def test_threads_change_nothing(folder):
    one, two = (report("--fidelity", "sampled", "--threads", threads) for threads in ("1", "2"))
    assert one["sampled"] == two["sampled"] and elapsed(one) == elapsed(two)


def test_tables_say_what_was_timed(folder):
    result = execute("--fidelity", "sampled", "--report", folder / "r", *PROGRAM)
    assert result.returncode == 0, result
    text = (folder / "r" / "report.txt").read_text(encoding="utf-8")
    line, = [line for line in text.splitlines() if "SAMPLED" in line]
    assert f"of {LAUNCHES} launches were timed, of 1 kinds; all together take ~" in line and "% (95 %)" in line, line
    assert line in result.stderr and "cycles (as launches like it)" in result.stderr
    row = [line.split() for line in text.splitlines() if line.startswith("saxpy ")][0]
    assert row[1] == str(LAUNCHES) and int(row[2]) < LAUNCHES and row[3].startswith("~"), row
    rows = list(csv.DictReader((folder / "r" / "launches.csv").open(encoding="utf-8")))
    assert len(rows) == LAUNCHES
    for row in rows:
        assert (row["detailed"] == "1") == (row["estimated_cycles"] == ""), row
        assert float(row["end_ns"]) > float(row["begin_ns"]), row


def test_a_program_whose_launches_differ_is_timed_whole(folder):
    result = execute("--fidelity", "sampled", "--quiet", "--json", "-", CUDA, "cubin")
    sampled = json.loads(result.stdout)["sampled"]
    assert (sampled["launches"], sampled["timed_launches"], sampled["half_width_cycles"]) == (1, 1, 0), sampled


def test_a_replay_samples_as_the_program_does(folder):
    assert execute("--record", folder / "trace", "--quiet", *PROGRAM).returncode == 0
    whole, some = document("replay", folder / "trace"), document("replay", folder / "trace", "--fidelity", "sampled")
    sampled, truth = some["sampled"], sum(elapsed(whole))
    assert sampled["launches"] == LAUNCHES and sampled["timed_launches"] < LAUNCHES / 3
    assert abs(sampled["cycles"] - truth) <= sampled["half_width_cycles"] <= 0.03 * truth, (sampled, truth)
    fails(2, "functional", "replay", folder / "trace", "--fidelity", "functional")


def test_the_progress_of_a_sampled_replay_has_the_interval_so_far(folder):
    assert execute("--record", folder / "trace", "--quiet", *PROGRAM).returncode == 0
    sampled = document("replay", folder / "trace", "--fidelity", "sampled")["sampled"]
    result = subprocess.run([SUBCORE, "replay", str(folder / "trace"), "--fidelity", "sampled"], capture_output=True,
                            text=True, timeout=300, check=True, env={**os.environ, "SUBCORE_PROGRESS": "0.000001"})
    shown = [float(part) for part in re.findall(r"subcore: saxpy: .*, \+-([\d.]+) % so far\n", result.stderr)]
    percent = 100 * sampled["half_width_cycles"] / sampled["cycles"]
    assert len(shown) >= 3 and 0.5 < shown[-1] / percent < 2, (shown, percent)


def test_the_other_fidelities_are_what_they_say(folder):
    assert elapsed(report("--fidelity", "functional")) == []
    assert len(elapsed(report("--fidelity", "detailed"))) == LAUNCHES
    assert len(elapsed(report("--fidelity", "hybrid"))) == LAUNCHES


def test_what_does_not_fit_is_refused(folder):
    fails(2, "detailed, sampled, hybrid or functional", "exec", "--fidelity", "fine", "true")
    fails(2, "--error is the error", "exec", "--error", "3", "true")
    fails(2, "no percentage", "exec", "--fidelity", "sampled", "--error", "0", "true")
    fails(2, "no percentage", "exec", "--fidelity", "sampled", "--error", "3x", "true")
    fails(2, "--functional", "exec", "--fidelity", "detailed", "--functional", "true")
    for words in (["--functional"], ["--detailed", "k"], ["--record", "t"], ["--check", "all"], ["--ctas", "1"],
                  ["--until-cycles", "9"], ["--until-insts", "9"], ["--until-stable-ipc", "2"], ["--kernels", "0"],
                  ["--fast-forward", "2"], ["--source"], ["--schedule-out", "s"]):
        fails(2, f"does not go with {words[0]}", "exec", "--fidelity", "sampled", *words, "true")
    for option in ("--range", "--bound"):
        fails(2, f"{option} runs the command many times", "exec", "--fidelity", "sampled", option, "true")
    assert subcore("run", "--fidelity", "sampled", "x").returncode == 2


main(globals())
