#!/usr/bin/env python3
"""Recorded answers (tools/answers.py, validate-gpu answers) with simulated GPUs in the place of cards."""
import csv
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.append(os.path.join(os.environ["SUBCORE_ROOT"], "tests", "cli"))
from harness import ROOT, SUBCORE, main  # pylint: disable=wrong-import-position

sys.path.append(str(ROOT / "tools"))
import answers_results  # pylint: disable=wrong-import-position

PROGRAM = os.environ["VALIDATE_GPU"]
TOOL = str(ROOT / "tools" / "answers.py")
FEW = ["FADD", "IMAD", "SHFL", "VOTE", "DFMA"]


def tool(*words, code=0):
    result = subprocess.run([sys.executable, TOOL, *map(str, words)], capture_output=True, text=True, check=False,
                            env={**os.environ, "SUBCORE": SUBCORE})
    assert result.returncode == code, (words, result.returncode, result.stdout, result.stderr)
    return result.stdout + result.stderr


def record(folder, to, gpu="h200", timed=False, code=0, options=()):
    """The answers of a simulated GPU, and the program's output."""
    mode = [] if timed else ["-f"]
    words = ["answers", str(folder), "--csv", str(to), "--folder", str(ROOT / "validate"), *options]
    result = subprocess.run([SUBCORE, "exec", "-q", "-g", gpu, *mode, PROGRAM, *words], capture_output=True, text=True,
                            check=False, timeout=400)
    assert result.returncode == code, (result.returncode, result.stdout, result.stderr)
    return result.stdout + result.stderr


class Recorded:
    """A folder of kernels, and their answers in file `ours`."""

    def __init__(self, *mnemonics, arch="sm_90", gpu="h200"):
        self.keep = tempfile.TemporaryDirectory()   # pylint: disable=consider-using-with
        self.path = pathlib.Path(self.keep.name)
        self.folder, self.ours = self.path / "kernels", self.path / "ours.bin"
        self.written = tool("write", self.folder, *mnemonics, "--arch", arch, "--sweep-bits", "24")
        self.said = record(self.folder, self.ours, gpu)

    def manifest(self):
        text = (self.folder / "manifest.csv").read_text(encoding="utf-8")
        return list(csv.DictReader(line for line in text.splitlines() if not line.startswith("#")))


def changed(path, line, word):
    """The file with one bit turned over in a word of an instruction's answer, and the digest as it is then."""
    head, found = answers_results.read(path)
    answer = found[line]
    data = bytearray(answer.data)
    data[4 * word] ^= 1
    digest = 0xcbf29ce484222325
    for byte in data:
        digest = (digest ^ byte) * 0x100000001b3 % (1 << 64)
    found[line] = answer._replace(data=bytes(data), digest=f"{digest:016x}")
    out = path.parent / "changed.bin"
    with open(out, "wb") as file:
        file.write(head.encode() + b"answers\n")
        for text, one in found.items():
            file.write(f"= {one.status} {one.mask:x} {len(one.data)} {one.digest} {text}\n".encode() + one.data + b"\n")
    return out


def test_the_functional_machine_and_a_timed_run_answer_alike():
    r = Recorded(*FEW)
    timed = r.path / "timed.bin"
    record(r.folder, timed, timed=True)
    out = tool("compare", timed, r.ours)
    count = len(r.manifest())
    assert count > 90 and f"{count} kernels of {len(FEW)} mnemonics" in r.written, (count, r.written)
    assert re.search(rf"^all +{count} +0 +0 +0 +0$", out, re.M), out
    for mnemonic in FEW:
        assert re.search(rf"^{mnemonic} +[1-9]\d* +0 +0 +0 +0$", out, re.M), out


def test_words_of_an_answer_are_those_that_the_instruction_gives():
    r = Recorded("FADD", "VOTE", "DFMA")
    found = answers_results.read(r.ours)[1]
    operands = (r.folder / "f32.bin").read_bytes()
    answer = found["FADD R40, R16, R24"]
    assert answer.mask == 1 and len(answer.data) == 64 * 32 * 4      # R40, of 64 rows
    tried = 0
    for row in range(64):
        for lane in range(32):
            a, b = (struct.unpack_from("<f", operands, row * 4096 + source * 1024 + lane * 4)[0] for source in (0, 1))
            (got,) = struct.unpack_from("<f", answer.data, (row * 32 + lane) * 4)
            if abs(a + b) < 1e38:
                assert struct.pack("<f", a + b) == struct.pack("<f", got), (row, lane, a, b, got)
                tried += 1
    assert tried > 1000
    assert found["DFMA R40, R16, R24, R32"].mask == 3
    assert found["VOTE.ANY R40, P4, P1"].mask == 0x101


def test_a_planted_difference_is_found_with_its_place():
    r = Recorded("FADD", "SHFL")
    line = "FADD.RM R40, R16, R24"
    word = 5 * 32 + 7
    (right,) = struct.unpack_from("<I", answers_results.read(r.ours)[1][line].data, 4 * word)
    card = changed(r.ours, line, word)
    out = tool("compare", card, r.ours, code=1)
    assert f"{line}: 1 words of 2048 differ\n" in out
    assert f"    row 5, lane 7, R40: {right ^ 1:08x} on the card, {right:08x} here\n" in out
    assert re.search(r"^FADD +\d+ +1 +0 +0 +0$", out, re.M) and re.search(r"^SHFL +\d+ +0 +0 +0 +0$", out, re.M), out


def test_a_packed_file_keeps_the_values_that_differ_and_compares_the_same():
    r = Recorded("FADD", "SHFL")
    line = "FADD R40, R16, R24"
    card, packed = changed(r.ours, line, 0), r.path / "packed.bin"
    tool("pack", card, r.ours, packed)
    head, found = answers_results.read(packed)
    assert "# packed" in head and len(found[line].data) == 64 * 32 * 4
    assert all(not one.data for text, one in found.items() if text != line)
    assert tool("compare", packed, r.ours, code=1) == tool("compare", card, r.ours, code=1)


def test_kernels_that_fail_do_not_end_the_run():
    r = Recorded("HMMA")
    found = answers_results.read(r.ours)[1]
    lines = [row["instruction"] for row in r.manifest()]
    assert list(found) == lines
    failed = [n for n, line in enumerate(lines) if found[line].status]
    assert failed
    assert any(found[line].status == 0 for line in lines[failed[0] + 1:])
    assert {found[lines[n]].status for n in failed} == {801}
    assert f"{len(lines)} kernels, {len(failed)} of them without an answer" in r.said
    later = r.path / "later"
    tool("write", later, "HMMA", "--arch", "sm_90", "--last", r.ours)
    text = (later / "manifest.csv").read_text(encoding="utf-8")
    order = [row["instruction"] for row in csv.DictReader(text.splitlines()[1:])]
    assert sorted(order) == sorted(lines) and all(found[line].status for line in order[-len(failed):])


def test_a_kernel_that_never_ends_is_ended():
    r = Recorded("SHFL")
    source = r.path / "loop.sass"
    source.write_text(".arch sm_90\n.kernel loop\n.param out, ptr\n.param in, ptr\nagain:\n    BRA again\n.end\n",
                      encoding="utf-8")
    subprocess.run([SUBCORE, "asm", str(source), "-o", str(r.folder / "loop.cubin")], check=True)
    manifest = r.folder / "manifest.csv"
    lines = manifest.read_text(encoding="utf-8").splitlines()
    lines.insert(3, 'loop,loop.cubin,int.bin,64,4096,10,"BRA again"')
    manifest.write_text("\n".join(lines) + "\n", encoding="utf-8")
    card = r.path / "card.bin"
    said = record(r.folder, card, options=["--patience", "4"])
    found = answers_results.read(card)[1]
    assert list(found)[1] == "BRA again" and found["BRA again"].status == 9999, found
    assert sum(one.status == 0 for one in found.values()) == len(found) - 1 == 4 and "5 kernels, 1 of them" in said
    assert re.search(r"^BRA +0 +0 +0 +1 +0$", tool("compare", card, r.ours), re.M)


def test_the_script_records_the_answers_of_a_folder():
    r = Recorded("VOTE")
    out = r.path / "out"
    out.mkdir()
    shutil.copy(PROGRAM, out / "validate-gpu")
    env = {**os.environ, "OUT": str(out), "ANSWERS": str(r.folder), "RUN": f"{SUBCORE} exec -q -f -g h200"}
    result = subprocess.run([str(ROOT / "validate/hw/run.sh"), "answers"], capture_output=True, text=True, check=False,
                            env=env)
    assert result.returncode == 0, (result.stdout, result.stderr)
    assert (out / "answers.bin.zst").exists() == bool(shutil.which("zstd")), result.stderr
    for name in ("answers.bin", "answers.bin.zst"):
        if (out / name).exists():
            assert re.search(r"^all +[1-9]\d* +0 +0 +0 +0$", tool("compare", out / name, r.ours), re.M)


def test_functions_are_swept_over_all_patterns():
    r = Recorded("MUFU")
    found = answers_results.read(r.ours)[1]
    answer = found["MUFU.RCP R40, R24, every 2^24-th pattern"]
    inputs = struct.unpack("<256I", (r.folder / "sweep.bin").read_bytes())
    assert [value >> 24 for value in inputs] == list(range(256))
    assert len({value & 0xffffff for value in inputs}) > 250
    results = struct.unpack("<256f", answer.data)
    for value, got in zip(inputs, results):
        x = struct.unpack("<f", struct.pack("<I", value))[0]
        if 1e-37 < abs(x) < 1e37:
            assert abs(got * x - 1) < 1e-6, (x, got)


def test_every_architecture_has_kernels_that_run():
    for arch, gpu in (("sm_70", "v100-sxm2"), ("sm_75", "t4"), ("sm_86", "rtx-3080"), ("sm_100", "b200"),
                      ("sm_120", "rtx-5080")):
        r = Recorded("FFMA", "ISETP", arch=arch, gpu=gpu)
        assert "left out" not in r.written, r.written
        assert re.search(r"^all +[1-9]\d* +0 +0 +0 +0$", tool("compare", r.ours, r.ours), re.M)


def test_a_file_that_is_cut_off_counts_as_far_as_it_goes():
    r = Recorded("SHFL")
    cut = r.path / "cut.bin"
    cut.write_bytes(r.ours.read_bytes()[:-100])
    out = tool("compare", cut, r.ours)
    assert "not an answer, or cut off; the 3 before it count" in out and re.search(r"^all +3 ", out, re.M), out
    cut.write_bytes(b"kernel,file\n")
    assert "no file of recorded answers" in tool("compare", cut, r.ours, code=1)


main(globals())
