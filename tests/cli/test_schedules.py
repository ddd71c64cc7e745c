#!/usr/bin/env python3
"""`--schedule` and `--schedule-out`: CTAs run where a file says. SUBCORE_CUDA is a program that uses the driver API
(cuda_program.c)."""
import json
import os
import subprocess

from harness import SUBCORE, document, fails, main, subcore

CUDA = os.environ["SUBCORE_CUDA"]


def cycles(one):
    return [kernel["cycles"]["elapsed"] for kernel in one["kernels"]]


def execute(*words):
    return subprocess.run([SUBCORE, "exec", "-g", "rtx-a6000", *map(str, words)], capture_output=True, text=True,
                          timeout=120, check=False)


def launches(path):
    """Of a schedule: (number, CTAs, kernel, {SM: its CTAs})."""
    found = []
    for line in path.read_text(encoding="utf-8").splitlines():
        words = line.split()
        if words[0] == "launch":
            found.append((int(words[1]), int(words[2]), words[3], {}))
        elif words[0] == "sm":
            found[-1][3][int(words[1])] = [int(word) for word in words[2:]]
    return found


def test_a_demo_follows_its_own_schedule_to_the_cycle(folder):
    first = document("demo", "transpose-naive", "--gpu", "t4", "--schedule-out", folder / "s")
    again = document("demo", "transpose-naive", "--gpu", "t4", "--schedule", folder / "s", "--schedule-out",
                     folder / "t")
    assert cycles(first) == cycles(again)
    assert (folder / "s").read_text() == (folder / "t").read_text()
    (number, ctas, kernel, sms), = launches(folder / "s")
    assert (number, kernel) == (1, "transpose_naive") and sorted(sum(sms.values(), [])) == list(range(ctas)), sms


def test_a_schedule_on_few_sms_takes_longer_and_uses_these(folder):
    usual = document("demo", "vecadd", "--gpu", "t4", "--schedule-out", folder / "s")
    ctas = launches(folder / "s")[0][1]
    rows = [f"sm {sm} " + " ".join(str(c) for c in range(ctas) if c % 3 == i) for i, sm in enumerate((0, 17, 39))]
    (folder / "few").write_text("\n".join([f"launch 1 {ctas} vecadd", *rows]) + "\n")
    few = document("demo", "vecadd", "--gpu", "t4", "--schedule", folder / "few")
    assert cycles(few)[0] > 2 * cycles(usual)[0], (cycles(few), cycles(usual))


def test_a_program_and_a_replay_follow_the_same_schedule(folder):
    first = execute("--schedule-out", folder / "s", "--json", "-", CUDA, "cubin", "stream")
    assert first.returncode == 0, first
    again = execute("--schedule", folder / "s", "--json", "-", CUDA, "cubin", "stream")
    assert again.returncode == 0 and cycles(json.loads(again.stdout)) == cycles(json.loads(first.stdout)), again
    assert [launch[:3:2] for launch in launches(folder / "s")] == [(1, "saxpy"), (2, "saxpy")]
    assert execute("--record", folder / "trace", "--quiet", CUDA, "cubin", "cubin").returncode == 0
    document("replay", folder / "trace", "--gpu", "rtx-a6000", "--schedule", folder / "s")


def test_a_program_whose_schedule_does_not_fit_ends_with_an_error(folder):
    (folder / "s").write_text("launch 1 1 other\nsm 0 0\n")
    for words in (["cubin"], ["stream"]):  # alone, and where launches may overlap
        run = execute("--schedule", folder / "s", CUDA, *words)
        assert "launch 1 of the schedule is of kernel other, not saxpy" in run.stderr, run
    run = execute("--schedule", folder / "none", CUDA, "cubin")
    assert run.returncode == 2 and "none" in run.stderr, run


def test_a_schedule_is_of_whole_timed_grids(folder):
    (folder / "s").write_text("launch 1 1 other\nsm 0 0\n")
    for words in (["--functional"], ["--ctas", "1"], ["--until-stable-ipc", "3"], ["--save", folder / "a"]):
        fails(2, "--schedule", "demo", "vecadd", "--schedule", folder / "s", *words)
    fails(2, "of one GPU", "demo", "vecadd", "--gpu", "a100,t4", "--schedule-out", folder / "t")
    fails(2, "one demo", "demo", "--all", "--schedule-out", folder / "t")
    result = subcore("demo", "cluster-sum", "--gpu", "h200", "--schedule", folder / "s")
    assert result.returncode != 0 and "where clusters run" in result.stderr, result


main(globals())
