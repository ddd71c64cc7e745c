#!/usr/bin/env python3
"""Code of Pascal on the command line: its listing, and the checks of its control bits."""
import json
import os
import tempfile

from harness import ROOT, document, fails, main, subcore, succeeds


def test_disasm_of_pascal():
    saxpy = os.path.join(ROOT, "tests", "cli", "cubin", "saxpy.sm_61.cubin")
    text = succeeds("disasm", saxpy)
    assert ".arch sm_61\n" in text and "\n.kernel saxpy\n.param arg0, 4    // c[0x0][0x140]\n" in text
    assert "\n.registers 10\n" in text
    assert "    /*0008*/  [B------:R-:W-:-:S06]  MOV R1, c[0x0][0x20] ;\n" in text and "/*0020*/" not in text
    plain = succeeds("disasm", saxpy, "--plain")
    assert plain.startswith("\n\t.text.saxpy:\n        /*0008*/                   MOV R1, c[0x0][0x20] ;\n")
    kernel = json.loads(succeeds("disasm", saxpy, "--json", "-"))["images"][0]["kernels"][0]
    code = kernel["instructions"]
    assert kernel["registers"] == 10 and code[0]["writes"] == "R1"
    assert [inst["address"] for inst in code[:4]] == [8, 16, 24, 40]
    assert code[0]["word"] == "4c98078000870001" and code[0]["control"] == "[B------:R-:W-:-:S06]"
    words = "001c7c00fe0007f6\n0x4c98078000870001\n\nf0c8000002570000\n"
    texts = ["MOV R1, c[0x0][0x20]", "S2R R0, SR_CTAID.X"]
    assert succeeds("disasm", "--hex", "-", "--arch", "sm_61", text=words).splitlines() == texts
    fails(2, "standard input:2: expected one word of 16", "disasm", "--hex", "-", "--arch", "sm_60",
          text="0" * 16 + "\n" + "0" * 32 + "\n")
    fails(2, "no machine code that runs on sm_70; the file has sm_61", "run", saxpy, "--gpu", "v100-sxm2",
          "--grid", "1", "--block", "32")


def test_hazards_of_pascal_are_reported_and_executed():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "pascal.sass")
        for stall, hazards, first in ((5, "1", "2"), (6, "none", "4")):
            with open(path, "w", encoding="utf-8") as file:
                file.write(".arch sm_61\n.kernel k\n.param out, ptr\n"
                           "[B------:R-:W-:-:S01] MOV R2, c[0x0][out]\n[B------:R-:W-:-:S01] MOV R3, c[0x0][out+4]\n"
                           "[B------:R-:W-:-:S15] MOV32I R1, 0x3f800000\n[B------:R-:W-:-:S15] NOP\n"
                           f"[B------:R-:W-:-:S{stall:02}] FADD R1, R1, R1\n"
                           "[B------:R-:W-:-:S06] FADD R4, R1, R1\n[B------:R-:W-:-:S02] STG.E [R2], R4\n"
                           "[B------:R-:W-:-:S15] EXIT\n.end\n")
            run = ["run", path, "--gpu", "gtx-1080", "--grid", "1", "--block", "32", "--arg", "f32[2]=zero"]
            text = subcore(*run, "--check-hazards").stdout
            assert f"Hazards: {hazards}\n" in text, text
            assert "with a stall count of 6 at 0x0040 it is right" in text or stall == 6
            arguments = document(*run, "--strict-hazards")["arguments"]
            assert arguments[0]["first"][0] == first and document(*run)["arguments"][0]["first"][0] == "4"


main(globals())
