#!/usr/bin/env python3
"""Experiments of the program for real GPUs, as files: words of memory, verdicts, faults."""
import os
import pathlib
import re
import sys
import tempfile

sys.path.append(os.path.join(os.environ["SUBCORE_ROOT"], "tests", "cli"))
from harness import SUBCORE, main  # pylint: disable=wrong-import-position
from hw_harness import execute, experiment, on_gpu, table, table_of  # pylint: disable=wrong-import-position


def written(folder, *names, gpu="a100"):
    """A folder with the code of all experiments, and the words that these gave."""
    code, words = os.path.join(folder, "code"), os.path.join(folder, "words.csv")
    experiment("--write", code, "--gpu", gpu)
    on_gpu("experiments", code, *names, "--repeat", "3", "--csv", words, gpu=gpu, timed=True)
    return code, words


def changed(path, experiment_row, change):
    """The words of a row's runs, each put through `change(run, words)`."""
    lines = pathlib.Path(path).read_text(encoding="utf-8").split("\n")
    for number, line in enumerate(lines):
        fields = line.split(",")
        if ",".join(fields[:2]) == experiment_row:
            values = [int(word) for word in fields[3].split()]
            lines[number] = ",".join(fields[:3] + [" ".join(map(str, change(int(fields[2]), values)))])
    pathlib.Path(path).write_text("\n".join(lines), encoding="utf-8")


def test_experiments_as_files_give_what_they_give_here():
    names = ["listing-1", "bank-conflicts", "chase", "lds-queue", "barrier", "scheduler-a100"]
    for gpu in ("a100", "h200", "rtx-5080"):
        with tempfile.TemporaryDirectory() as folder:
            code, words = written(folder, *names, gpu=gpu)
            manifest = table_of(os.path.join(code, "manifest.csv"))
            found = table_of(words)
            assert len(found) == 3 * len([row for row in manifest if row["experiment"] in names]) > 60, gpu
            out = experiment("--words", words, "--gpu", gpu, "--all").stdout
            assert re.search(rf"\n\d+ runs, {len(found) // 3} rows within tolerance, 0 missed, 0 open\n", out), out


def test_words_of_hardware_are_what_is_expected():
    with tempfile.TemporaryDirectory() as folder:
        words = written(folder, "listing-1")[1]
        lines = experiment("listing-1", "--words", words, "--gpu", "a100").stdout.splitlines()
        heading = next(line for line in lines if "verdict" in line)
        assert heading.split() == ["first", "second", "window", "hardware", "verdict"], heading
        # Two of three runs for row 2 take a cycle more: these count.
        changed(words, "listing-1,2", lambda run, values: [values[0], values[1] + (run > 0)])
        lines = experiment("listing-1", "--words", words, "--gpu", "a100", code=1).stdout.splitlines()
        rows = lines[lines.index(heading) + 1:]
        assert rows[0].split()[-3:] == ["6", "6", "ok"] and rows[1].split()[-3:] == ["6", "7", "MISS"], rows
        # One of three: it does not.
        words = written(folder, "listing-1")[1]
        changed(words, "listing-1,2", lambda run, values: [values[0], values[1] + (run == 1)])
        experiment("listing-1", "--words", words, "--gpu", "a100")


FAULT = """.arch sm_80
.kernel row_1
.param out, ptr
.param data, ptr
    ULDC.64 UR4, c[0x0][0x118]
    LDG.E R0, [RZ.64]
    MOV R2, c[0x0][out]
    MOV R3, c[0x0][out+4]
    STG.E [R2.64], R0
    EXIT
.end
"""


def test_a_kernel_that_faults_does_not_end_the_rest():
    with tempfile.TemporaryDirectory() as folder:
        code = pathlib.Path(folder, "code")
        experiment("chase", "--write", str(code), "--gpu", "a100")
        source = pathlib.Path(folder, "fault.sass")
        source.write_text(FAULT, encoding="utf-8")
        assembled = execute([SUBCORE, "asm", str(source), "-o", str(code / "fault.cubin")])
        assert assembled.returncode == 0, assembled.stderr
        (code / "broken.cubin").write_bytes(b"no code")
        heading, *rows = [line for line in (code / "manifest.csv").read_text(encoding="utf-8").splitlines()
                          if not line.startswith("#")]
        bad = ["broken,1,broken.cubin,row_1,1,1", "fault,1,fault.cubin,row_1,1,1", "gone,1,gone.cubin,row_1,1,1"]
        (code / "manifest.csv").write_text("\n".join([heading, rows[0], *bad, rows[1]]) + "\n", encoding="utf-8")
        result = on_gpu("experiments", str(code), "--repeat", "1", code=1)
        assert [row["experiment"] + row["row"] for row in table(result.stdout)] == ["chase1", "chase2"], result.stdout
        for text in ("experiment broken, row 1: ", "experiment fault, row 1: row_1: error 700, an illegal memory",
                     "experiment gone, row 1: ", "gone.cubin: cannot be read"):
            assert text in result.stderr, (text, result.stderr)


def test_what_words_cannot_tell_has_no_verdict():
    with tempfile.TemporaryDirectory() as folder:
        words = written(folder, "listing-4", gpu="rtx-a6000")[1]
        out = experiment("--words", words, "--gpu", "rtx-a6000").stdout   # hits in the register-file cache
        assert "8 without words recorded on this GPU" in out and "hardware" not in out, out


def test_experiments_without_code_for_a_gpu_are_left_out():
    with tempfile.TemporaryDirectory() as folder:
        out = experiment("--write", folder, "--gpu", "h200").stdout
        manifest = pathlib.Path(folder, "manifest.csv").read_text(encoding="utf-8")
        assert "# left out: experiment figure-2 has no code for sm_90, only for sm_80 sm_86 sm_89\n" in manifest
        assert f"{manifest.count('# left out')} left out" in out
        files = {row["file"] for row in table_of(os.path.join(folder, "manifest.csv"))}
        assert files == {name for name in os.listdir(folder) if name.endswith(".sm_90.cubin")}


def test_mistakes_with_words_are_named():
    def refused(code, message, *words):
        assert message in experiment(*words, code=code).stderr, words

    refused(2, "--write needs --gpu", "--write", "x")
    refused(2, "x: No such file", "--words", "x")
    refused(2, "--words needs --gpu", "--words", __file__)
    refused(2, "do not go together", "--words", __file__, "--write", "y", "--gpu", "a100")
    refused(2, "--write /no/such/folder: No such file", "--write", "/no/such/folder", "--gpu", "a100")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "words.csv")
        heading = "experiment,row,run,words\n"
        for text, message in ((heading, "it holds no words"), ("a,b\n", "line 1 is not one of"),
                              (heading + "listing-1,0,0,1 2\n", "line 2 is not one of"),
                              (heading + "listing-1,1,0,1 -2\n", "line 2 is not one of"),
                              (heading + "listing-1,1,0,1 4294967296\n", "line 2 is not one of"),
                              (heading + "listing-1,1,0,1  2\n", "line 2 is not one of"),
                              (heading + "listing-1,1,0,1 2 3\n", "stores 2 words, but 3 were recorded")):
            pathlib.Path(path).write_text(text, encoding="utf-8")
            refused(2, message, "--words", path, "--gpu", "a100")


main(globals())
