#!/usr/bin/env python3
"""The command line as a user meets it: help, usage, exit statuses, faults. SUBCORE is the program, SUBCORE_ROOT the
sources. `test_cli.py WORD...` runs only the tests whose names hold a word."""
import json
import os
import signal
import subprocess
import tempfile
import time

from harness import ROOT, SUBCORE, fails, main, subcore, succeeds
from runs import SAXPY, SAXPY_ARGS, SAXPY_RUN, SGEMM, SPIN, source


def test_help_is_complete():
    overview = succeeds("help")
    for command in ("run", "exec", "record", "demo", "experiment", "asm", "disasm", "isa", "study", "area", "gpus",
                    "config", "help", "version"):
        assert f"  {command} " in overview
        text = succeeds("help", command)
        assert text.startswith(f"usage: subcore {command}")
        assert text == succeeds(command, "--help")
        assert command == "exec" or text == succeeds(command, "more", "-h", "--nonsense")
        assert all(len(line) <= 104 for line in text.splitlines()), command
    assert succeeds() == overview == succeeds("--help")
    assert succeeds("version") == succeeds("--version")


def test_every_option_is_documented():
    manual = source("docs/cli.md")
    for line in source("src/cli/options.def").splitlines():
        if line.strip().startswith("X("):
            name = line.split('"')[1]
            assert f"--{name}" in manual, name


def test_wrong_usage():
    fails(2, "there is no command 'rum', did you mean run?", "rum")
    fails(2, "expected a command", "--json", "-")
    fails(2, "run needs FILE", "run")
    fails(2, "takes only FILE, not 2 words", "run", "a", "b")
    fails(2, "takes no operands", "gpus", "a")
    fails(2, "no option '--gird', did you mean --grid?", "run", SAXPY, "--gird", "1")
    fails(2, "needs a value", "run", SAXPY, "--grid")
    fails(2, "run needs --grid", "run", SAXPY)
    fails(2, "--grid: '3000000000' is not X, X,Y or X,Y,Z, each a number from 1 to 2147483647", "run", SAXPY, "--grid",
          "3000000000")
    fails(2, "run needs --block", "run", SAXPY, "--grid", "1")
    fails(2, "--block: '0' is not", "run", SAXPY, "--grid", "1", "--block", "0")
    fails(2, "no GPU named 'h2'", "config", "h2")
    fails(2, "no GPU named 'h2'", *SAXPY_ARGS, "--gpu", "h2")
    fails(2, "there is no section [nope]", *SAXPY_ARGS, "--set", "nope.x=1")
    fails(2, "at most 256", *SAXPY_ARGS, "--threads", "257")
    fails(2, "did you mean vecadd?", "demo", "vecad")
    fails(2, "not both", "demo", "vecadd", "--all")
    fails(2, "'0' is not a positive number", "demo", "vecadd", "--threads", "0")
    fails(2, "--csv is for the instructions of --source", "demo", "vecadd", "--csv", "-")


def test_unusable_files():
    fails(2, "/no/such/file", "run", "/no/such/file", "--grid", "1", "--block", "1")
    fails(2, "meson.build", "run", os.path.join(ROOT, "meson.build"), "--grid", "1", "--block", "1")
    fails(2, "/no/such/file", "disasm", "/no/such/file")
    fails(2, "sm_86", "run", SAXPY, "--grid", "1", "--block", "1", "--gpu", "h200")
    fails(2, "/no/such/folder", *SAXPY_ARGS, "--json", "/no/such/folder/x.json")


def test_arguments_are_checked_against_the_parameters():
    fails(2, "saxpy has 4 parameters (4, 8, 8, 4 bytes), but 2 --arg are given", *SAXPY_RUN)
    fails(2, "'f64:2' has 8 bytes, but parameter 3 of saxpy has 4", *SAXPY_RUN, "--arg", "null", "--arg", "f64:2")
    fails(2, "'i32:1.5': '1.5' is not a value of type i32", *SAXPY_RUN, "--arg", "i32:1.5")
    fails(2, "expected TYPE:VALUE", *SAXPY_RUN, "--arg", "i33:1")
    fails(2, "is no pattern", *SAXPY_RUN, "--arg", "f32[8]=ones")
    fails(2, "the file has", *SAXPY_RUN, "--arg", f"f32[8]=file:{SAXPY}", "--arg", "u32:1")
    fails(2, "argument 3 is no array", *SAXPY_ARGS, "--out", "3:x")
    fails(2, "expected N:FILE", *SAXPY_ARGS, "--out", "x")
    fails(2, "no device memory", *SAXPY_RUN, "--arg", "u8[999999999999]=zero", "--arg", "u32:1")


def test_the_kernel_must_be_named_when_there_are_several():
    fails(2, "choose with --kernel", "run", SGEMM, "--grid", "1", "--block", "1")
    fails(2, "sgemm_tiled", "run", SGEMM, "--grid", "1", "--block", "1", "--kernel", "nope")


def test_a_run_computes():
    with tempfile.TemporaryDirectory() as folder:
        x, y, z = (os.path.join(folder, name) for name in "xyz")
        succeeds(*SAXPY_RUN, "--arg", f"f32[2048]=1>{y}", "--arg", "u32:2048", "--out", f"1:{x}", "--quiet")
        with open(y, "rb") as file:
            result = memoryview(file.read()).cast("f")
        assert list(result) == [2.0 * i + 1 for i in range(2048)]
        text = succeeds(*SAXPY_RUN, "--arg", f"f32[2048]=file:{x}>{z}", "--arg", "u32:2048", "--functional")
        with open(z, "rb") as file:
            assert list(memoryview(file.read()).cast("f")) == [3.0 * i for i in range(2048)]
        assert "Functional run" in text
        assert "Argument 1, f32[2048], unchanged" in text and "Argument 2, f32[2048], changed" in text


def test_a_fault_is_reported_with_what_is_known():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "out")
        words = SAXPY_RUN + ["--arg", f"f32[64]=1>{path}", "--arg", "u32:2048"]
        for functional in ([], ["--functional"]):
            result = subcore(*words, *functional, "--json", "-", "--quiet")
            assert result.returncode == 1, result.stderr
            assert result.stderr.startswith("subcore: ") and "past the end" in result.stderr, result.stderr
            data = json.loads(result.stdout)
            assert data["error"] in result.stderr and not data["kernels"][0]["complete"]
        assert os.listdir(folder) == []


def test_demo_list_and_all():
    names = [line.split()[0] for line in succeeds("demo", "--list").splitlines()]
    assert "sgemm-register" in names and len(names) > 15
    text = succeeds("demo", "--all", "--functional")
    later = [name for name in names if name.startswith(("wgmma", "cluster", "umma"))]
    assert len(later) == 6 and names[-6:] == later
    assert [line.split()[0] for line in text.splitlines()[1:-1]] == names[:-6]
    assert text.splitlines()[-1].startswith("Total: ")


def test_ctrl_c_ends_a_run_with_a_report():
    process = subprocess.Popen([SUBCORE, *SPIN], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(2)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, (process.returncode, err)
    assert "INCOMPLETE" in out and "Elapsed Cycles" in out
    assert err.startswith("subcore: ")


def test_hazards_are_reported_with_an_exit_status_of_their_own():
    kernel = """.arch sm_86
.kernel k
.param out, ptr
.registers 16
    [B------:R-:W-:-:S06] MOV R2, c[0x0][out]
    [B------:R-:W-:-:S06] MOV R3, c[0x0][out+4]
    [B------:R-:W-:-:S11] MOV R1, 0x3f800000
    [B------:R-:W-:-:S01] FADD R1, R1, R1
    [B------:R-:W-:-:S06] FADD R4, R1, R1
    [B------:R-:W-:-:S05] STG.E [R2.64], R4
    [B------:R-:W-:-:S05] EXIT
.end
"""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "k.sass")
        with open(path, "w", encoding="utf-8") as file:
            file.write(kernel)
        run = ["run", path, "--grid", "1", "--block", "32", "--arg", "f32[32]=zero"]
        fails(3, "1 hazard", *run, "--check-hazards", "--quiet")
        text = subcore(*run, "--check-hazards", "--functional").stdout
        assert "RAW R1" in text and "a stall count of 4 at 0x0030" in text, text
        json_path = os.path.join(folder, "k.json")
        assert subcore(*run, "--check-hazards", "--json", json_path).returncode == 3
        with open(json_path, encoding="utf-8") as file:
            (hazard,) = json.load(file)["hazards"]
        assert (hazard["kind"], hazard["cause"], hazard["register"]) == ("RAW", "distance", "R1"), hazard
        assert (hazard["first"]["pc"], hazard["second"]["pc"], hazard["right_stall"]) == (0x30, 0x40, 4), hazard
        assert hazard["happened"] == hazard["count"] == 1, hazard
        assert " 4 0 0" in succeeds(*run) and " 2 0 0" in succeeds(*run, "--strict-hazards")
        fails(2, "--strict-hazards", *run, "--strict-hazards", "--functional")
    assert "Hazards: none" in succeeds(*SAXPY_ARGS, "--check-hazards")


def test_no_progress_in_a_pipe():
    assert subcore("demo", "sgemm-tiled").stderr == ""


main(globals())
