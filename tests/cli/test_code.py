#!/usr/bin/env python3
"""`subcore disasm`, `isa` and `asm`: code as text, and text as code."""
import itertools
import json
import os
import re
import tempfile

from harness import ROOT, document, fails, main, subcore, succeeds
from runs import SAXPY, SGEMM, source


def test_disasm():
    text = succeeds("disasm", SAXPY)
    assert text.startswith(".arch sm_86\n") and "\n.param arg0, 4    // c[0x0][0x160]\n" in text
    assert "EXIT ;" in text and "FFMA" in text
    for line in text.splitlines():
        if "BRA" in line:
            label = line.split()[-2].strip("`()")
            assert f"\n{label}:\n" in text, line
    assert "    // saxpy.cu:6\n" in text
    plain = succeeds("disasm", SAXPY, "--plain")
    assert plain.startswith("\n\t.text.saxpy:\n        /*0000*/                   MOV R1, c[0x0][0x28] ;\n")
    data = json.loads(succeeds("disasm", SAXPY, "--json", "-"))
    kernel = data["images"][0]["kernels"][0]
    assert kernel["instructions"][1]["line"] == 6 and kernel["instructions"][1]["file"] == "saxpy.cu"
    assert kernel["name"] == "saxpy" and [p["bytes"] for p in kernel["parameters"]] == [4, 8, 8, 4]
    code = kernel["instructions"]
    assert [inst["address"] for inst in code] == list(range(0, 16 * len(code), 16))
    words = "\n".join(inst["word"] for inst in code)
    assert succeeds("disasm", "--hex", "-", "--arch", "sm_86", text=words).splitlines() == [i["text"] for i in code]
    halves = "\n".join(f"0x{inst['word'][16:]} 0x{inst['word'][:16]}" for inst in code)
    assert succeeds("disasm", "--hex", "-", "--arch", "86", text=halves).splitlines() == [i["text"] for i in code]
    assert succeeds("disasm", SGEMM, "--kernel", "sgemm_tiled").count(".registers") == 1
    assert "1 image" in succeeds("disasm", SGEMM, "--list")


def test_isa():
    lines = succeeds("isa").splitlines()
    ffma = next(line for line in lines if line.startswith("FFMA "))
    assert "fma" in ffma and "sm_70-sm_120" in ffma and "executed" in ffma
    assert not any(line.startswith("UFADD ") for line in succeeds("isa", "--arch", "sm_86").splitlines())
    text = succeeds("isa", "fadd", "--arch", "sm_86")
    assert "FADD{.FTZ}{.RM|.RP|.RZ}" in text and "79:78" in text and "writes Rd" in text
    data = json.loads(succeeds("isa", "FADD", "--json", "-"))["opcodes"]
    assert data[0]["mnemonic"] == "FADD" and data[0]["pipe"] == "fma" and data[0]["way"] == "fma"
    assert "issue way alu, either;" in succeeds("isa", "SEL")
    fields = data[0]["forms"][0]["fields"]
    assert {"value": 1, "name": "RM"} in next(f for f in fields if f["name"] == "ROUND")["values"]
    fails(2, "did you mean FFMA?", "isa", "FFMB")
    fails(2, "sm_13", "isa", "FFMA", "--arch", "sm_13")


def test_disasm_errors():
    fails(2, "needs --arch", "disasm", "--hex", "-")
    fails(2, "expected sm_XY", "disasm", "--hex", "-", "--arch", "ampere")
    fails(2, "standard input:2: expected one word", "disasm", "--hex", "-", "--arch", "sm_86",
          text="0" * 32 + "\nxyz\n")
    fails(2, "sm_13", "disasm", "--hex", "-", "--arch", "sm_13")
    fails(2, "no kernel 'nope'", "disasm", SAXPY, "--kernel", "nope")
    fails(2, "no machine code for sm_90", "disasm", SAXPY, "--arch", "sm_90")
    fails(2, "not both", "disasm", SAXPY, "--hex", "-")
    fails(2, "needs FILE", "disasm")


def test_asm():
    with tempfile.TemporaryDirectory() as folder:
        again = os.path.join(folder, "again.cubin")
        for cubin in (SAXPY, SGEMM, os.path.join(ROOT, "tests/cli/cubin/saxpy.sm_61.cubin"),
                      os.path.join(ROOT, "examples", "cubin", "sgemm.sm_60.cubin")):
            text = succeeds("disasm", cubin)
            assert succeeds("asm", "-", "-o", again, text=text) == ""
            assert succeeds("disasm", again) == "\n".join(
                line for line in text.split("\n") if not line.startswith("    // "))
        source_path = os.path.join(folder, "two.sass")
        with open(source_path, "w", encoding="utf-8") as file:
            file.write(".arch sm_86\n.kernel k\nFADD R0, R1\n.endd\nEXIT\n.end\n")
        result = subcore("asm", source_path)
        assert result.returncode == 2 and not os.path.exists(os.path.join(folder, "two.cubin"))
        lines = result.stderr.splitlines()
        assert lines[0].startswith(f"{source_path}:3:") and lines[1:3] == ["    FADD R0, R1", "               ^"], lines
        assert f"{source_path}:4:1: error: unknown directive '.endd'" in lines
        assert lines[-1] == f"subcore: {source_path}: 2 errors"
        with open(source_path, "w", encoding="utf-8") as file:
            file.write(".kernel k\nEXIT\n.end\n")
        assert succeeds("asm", source_path, "--arch", "sm_90") == ""
        assert succeeds("disasm", os.path.join(folder, "two.cubin")).startswith(".arch sm_90\n")
        assert "no architecture" in subcore("asm", source_path).stderr
        succeeds("run", source_path, "--grid", "1", "--block", "32", "--gpu", "a100")
    fails(2, "needs -o", "asm", SAXPY)
    fails(2, "/no/such/x.sass", "asm", "/no/such/x.sass")


def test_filled_control_bits_give_the_same_results():
    arrays = ["--grid", "2", "--block", "256", "--arg"]
    sums = arrays + ["u32[2000]=seed:1", "--arg", "u32[2]=0", "--arg", "u32:2000"]
    runs = [
        ("saxpy", arrays + ["f32:2", "--arg", "f32[500]=seed:1", "--arg", "f32[500]=seed:2", "--arg", "u32:500"]),
        ("reduce", ["--kernel", "reduce_shuffle"] + sums),
        ("reduce", ["--kernel", "reduce_shared"] + sums),
        ("histogram", ["--kernel", "histogram_shared"] + arrays +
         ["u32[999]=seed:1%256", "--arg", "u32[256]=0", "--arg", "u32:999"]),
        ("softmax", ["--grid", "4", "--block", "128", "--arg", "f32[1200]=seed:1", "--arg", "f32[1200]=0", "--arg",
                     "u32:300", "--arg", "u32:4"]),
    ]
    for (name, words), (arch, gpu) in itertools.product(runs, (("86", "rtx-a6000"), ("60", "p100"))):
        cubin = os.path.join(ROOT, f"examples/cubin/{name}.sm_{arch}.cubin")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "filled.sass")
            with open(path, "w", encoding="utf-8") as file:
                file.write(re.sub(r"\[B[^]]*\]", "", succeeds("disasm", cubin)))
            compiled, filled = (document("run", code, *words, "--gpu", gpu) for code in (cubin, path))
            assert compiled["arguments"] == filled["arguments"], (name, arch)


def test_assembler_examples():
    def values(name, argument, *words):
        path = os.path.join(ROOT, "examples/sass", name)
        arguments = document("run", path, *words)["arguments"]
        return next(entry["first"] for entry in arguments if entry["index"] == argument)

    grid = ["--grid", "4", "--block", "256"]
    assert values("saxpy.sass", 2, *grid, "--arg", "f32:2", "--arg", "f32[1000]=iota", "--arg", "f32[1000]=1", "--arg",
                  "u32:1000") == ["1", "3", "5", "7"]
    assert values("reduce.sass", 1, *grid, "--arg", "u32[10000]=iota", "--arg", "u32[1]=zero", "--arg",
                  "u32:10000") == ["49995000"]
    assert values("polynomial.sass", 1, "--kernel", "evaluate", "--gpu", "a100", "--grid", "1", "--block", "64",
                  "--arg", "f32[64]=iota", "--arg", "f32[64]=0") == ["1", "1.375", "2", "3.625"]
    manual = source("docs/assembler.md")
    assert source("examples/sass/saxpy.sass").split("\n\n", 1)[1].rstrip() in manual


main(globals())
