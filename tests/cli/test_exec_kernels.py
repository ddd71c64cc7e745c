#!/usr/bin/env python3
"""Programs of `subcore exec` that use the driver: results, limits, errors, endless kernels."""
import os
import pathlib
import re
import signal
import subprocess
import tempfile

from exec_harness import CUDA, gives, read_report, run_exec, usual_action
from harness import SUBCORE, main


def test_kernels_of_cubins_and_of_ptx_compute_what_they_should():
    for gpu in ("a100", "rtx-a6000", "h200", "rtx-5080"):
        out = gives(0, "-g", gpu, CUDA, "cubin", err="1 launch of 1 kernel on").stdout
        assert out == "cubin: right\n", (gpu, out)
        out = gives(0, "-g", gpu, "-f", "-q", CUDA, "cubin").stdout
        assert out == "cubin: right\n", (gpu, out)
    result = run_exec("-g", "h200", CUDA, "ptx")
    if "CUDA_ERROR_JIT_COMPILER_NOT_FOUND" not in result.stdout:
        assert result.stdout == "ptx: right\n", (result.stdout, result.stderr)


def test_only_the_launches_that_are_named_are_timed():
    with tempfile.TemporaryDirectory() as folder:
        gives(0, "-q", "--detailed", "saxpy:1", "--report", folder, CUDA, "cubin", "cubin", "cubin")
        rows, document, text = read_report(folder)
    assert [row["detailed"] for row in rows] == ["0", "1", "0"]
    assert [kernel["detailed"] for kernel in document["kernels"]] == [False, True, False]
    assert "The longest launch of saxpy, number 1:" in text
    assert 1000 < document["kernels"][1]["cycles"]["elapsed"] < 100000


def test_a_program_ends_at_a_limit_with_its_report_where_that_is_asked_for():
    with tempfile.TemporaryDirectory() as folder:
        gives(0, "--end", "--until-cycles", "3000", "--report", folder, CUDA, "cubin", "exit:4", out="",
              err="subcore: the program ends here, as --end asks: --until-cycles has been reached\n")
        assert ", timed in part\n" in read_report(folder)[2]
        (kernel,) = read_report(folder)[1]["kernels"]
    assert kernel["stopped"]["at_cycle"] == 3000
    assert kernel["cycles"]["elapsed"] == 3000
    gives(4, "-q", "--end", "--until-cycles", "300000", CUDA, "cubin", "exit:4", out="cubin: right\n")
    gives(4, "-q", "--until-cycles", "3000", CUDA, "cubin", "exit:4", out="cubin: right\n")
    gives(2, "--end", CUDA, "cubin", err="--end ends the program at --until-cycles or --until-insts")


def test_reports_of_equal_runs_are_alike():
    def report(*options):
        with tempfile.TemporaryDirectory() as folder:
            gives(0, "-q", *options, "--report", folder, CUDA, "cubin", "cubin")
            document = read_report(folder)[1]
        for kernel in document["kernels"]:
            del kernel["host"]
        return document

    assert report() == report("-j", "1") == report("-j", "2")


def test_a_wild_pointer_is_an_error_that_the_program_survives():
    result = gives(4, CUDA, "cubin", "wild", "exit:4", err="FAILED: 1 of 2 launches of saxpy, with CUDA_ERROR_ILLEGAL")
    assert result.stdout == "cubin: right\nwild: CUDA_ERROR_ILLEGAL_ADDRESS\n", result.stdout
    (line,) = [line for line in result.stderr.splitlines() if line.startswith("subcore: error 700 ")]
    for part in ("kernel saxpy, pc 0x", "LDG.E", "CTA (0, 0, 0), warp 0, lane 0", "address 0x40 "):
        assert part in line, (part, line)


def test_a_program_inside_a_kernel_can_be_interrupted():
    for mode in ["-f"], []:
        process = subprocess.Popen([SUBCORE, "exec", "-g", "a100", *mode, CUDA, "cubin", "long"], text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env={**os.environ, "SUBCORE_PROGRESS": "0.1"},
                                   preexec_fn=usual_action(signal.SIGINT))
        while "inst/s" not in process.stderr.readline():
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        err = process.stderr.read()
        process.wait(timeout=60)
        lines = [line for line in err.splitlines() if "inst/s" not in line]
        assert process.returncode == 130 and lines[0] == f"subcore: {CUDA} was ended by signal 2 (Interrupt)", err
        cycle = "" if mode else r"cycle [1-9][\d,]*, "
        assert re.fullmatch(r"subcore: process \d+ was inside of kernel saxpy: [\d,]+ of 2,000,000,000 CTAs "
                            rf"completed, {cycle}[1-9][\d,]* warp instructions", lines[1]), err
        assert "1 launch of 1 kernel" in err, err


SPIN = """.arch sm_86
.kernel saxpy
.param a, f32
.param x, ptr
.param y, ptr
.param n, u32
    ULDC.64 UR4, c[0x0][0x118]
    MOV R2, c[0x0][y]
    MOV R3, c[0x0][y+4]
again:
    LDG.E.STRONG.SYS R4, [R2.64]
    ISETP.EQ.U32.AND P0, PT, R4, RZ, PT
    @P0 BRA again
    EXIT
.end
"""


def test_a_program_whose_kernel_spins_says_where():
    with tempfile.TemporaryDirectory() as folder:
        source, cubin = os.path.join(folder, "spin.sass"), os.path.join(folder, "spin.cubin")
        pathlib.Path(source).write_text(SPIN, encoding="utf-8")
        subprocess.run([SUBCORE, "asm", source, "-o", cubin], check=True, capture_output=True)
        process = subprocess.Popen([SUBCORE, "exec", "-f", CUDA, f"load:{cubin}"], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        line = process.stderr.readline()
        assert re.match(r"subcore: kernel saxpy spins: no CTA has begun or ended for \d+ warp instructions", line), line
        where = "; 32 warps at pc 0x30 to 0x50 (0x30: LDG.E.STRONG.SYS R4, [R2.64]), the first of CTA (0,0,0)"
        assert where in line, line
        process.send_signal(signal.SIGTERM)
        err = process.stderr.read()
        assert process.wait(timeout=60) == 143, err
        assert re.search("was inside of kernel saxpy: 0 of 8 CTAs completed, .*; its warps went round without a "
                         "change, see above\n", err), err


main(globals())
