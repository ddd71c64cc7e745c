#!/usr/bin/env python3
"""First mistakes and the messages that answer them: files that are missing or cannot be written, and launches that no
GPU can have; and the exit statuses of comparisons with hardware. `test_usage.py WORD...` runs only the tests whose
names hold a word."""
import os

from harness import ROOT, fails, main, succeeds

SAXPY = os.path.join(ROOT, "examples/cubin/saxpy.sm_86.cubin")
SAXPY_RUN = ["run", SAXPY, "--grid", "8", "--block", "256", "--arg", "f32:2", "--arg", "f32[2048]=iota"]
SAXPY_ARGS = SAXPY_RUN + ["--arg", "f32[2048]=1", "--arg", "u32:2048"]


def test_a_missing_file_is_named_before_anything_else_is_missing():
    missing = "no-such-file: No such file or directory"
    for words in (["run"], ["record"], ["asm"], ["disasm"], ["disasm", "--arch", "sm_13"], ["replay", "--code", SAXPY],
                  ["trace", "convert"], ["trace", "cut"], ["experiment", "--words"], ["disasm", "--hex"],
                  ["validate", "nothing", "--against"], ["run", SAXPY, "--resume"]):
        assert fails(2, missing, *words, "no-such-file").stdout == "", words


def test_a_launch_that_no_gpu_can_have_is_refused_with_the_limit():
    most = "saxpy: block 2048 x 1 x 1 has 2048 threads; a block can have at most 1024"
    fails(2, most, *SAXPY_ARGS, "--block", "2048")
    fails(2, "grid 1 x 65536 x 1 is too large; a grid can have at most 2147483647 x 65535 x 65535 CTAs", *SAXPY_ARGS,
          "--grid", "1,65536")
    fails(2, "block 1 x 1 x 65 is too large in z; a block can have at most 1024 x 1024 x 64 threads", *SAXPY_ARGS,
          "--block", "1,1,65")


def test_open_rows_count_only_when_strict():
    """An experiment, a measurement and a validation with an open row and no missed one."""
    for words, opened, strict in (
            (["experiment", "figure-4"], "0 missed, 1 open", "1 row is not within tolerance"),
            (["measure", "launch", "--gpu", "t4", "--quick"], "0 missed, 1 open",
             "1 number is not within tolerance"),
            (["validate", "launch", "--gpu", "t4", "--quick"], " open\n", "1 row is not within tolerance"),
            (["validate", "figure-4"], " 1\n", "1 row is not within tolerance")):
        assert opened in succeeds(*words), words
        fails(1, strict, *words, "--strict")


def test_missed_rows_count_for_all_that_compare():
    for command in ("experiment", "validate"):
        fails(1, "3 rows are not within tolerance", command, "listing-1", "--set", "core.read_ports=2")
    slow = ["barrier", "--gpu", "b200", "--quick", "--set", "core.barrier_base=60"]
    fails(1, "3 numbers are not within tolerance", "measure", *slow)
    fails(1, "3 rows are not within tolerance", "validate", *slow)
    fails(1, "4 rows are not within tolerance", "validate", "figure-4", "listing-1", "--set", "core.read_ports=2",
          "--strict")


def test_output_files_are_checked_before_the_run_and_not_changed_by_it(folder):
    def refused(reason, path):
        for words in (["--arg", f"f32[2048]=1>{path}", "--arg", "u32:2048"],
                      ["--arg", "f32[2048]=1", "--arg", "u32:2048", "--out", f"2:{path}"],
                      ["--arg", "f32[2048]=1", "--arg", "u32:2048", "--source", "--csv", path]):
            assert fails(2, f"{path}: {reason}", *SAXPY_RUN, *words).stdout == "", (path, words)

    refused("No such file or directory", os.path.join(folder, "no", "y"))
    refused("Is a directory", folder)
    refused("File name too long", os.path.join(folder, 250 * "y"))
    closed = os.path.join(folder, "closed")
    os.mkdir(closed, 0o500)
    if os.geteuid() != 0:   # root may write everywhere
        refused("Permission denied", os.path.join(closed, "y"))
    os.rmdir(closed)
    path = os.path.join(folder, "y")
    with open(path, "w", encoding="utf-8") as file:
        file.write("old")
    fails(1, "past the end", *SAXPY_RUN, "--arg", f"f32[64]=1>{path}", "--arg", "u32:2048", "--quiet")
    with open(path, encoding="utf-8") as file:
        assert file.read() == "old" and os.listdir(folder) == ["y"]
    succeeds(*SAXPY_RUN, "--arg", f"f32[2048]=1>{path}", "--arg", "u32:2048", "--quiet")
    assert os.path.getsize(path) == 8192 and os.listdir(folder) == ["y"]
    fails(2, "Is a directory", "validate", "--plot", folder)


if __name__ == "__main__":
    main(globals())
