#!/usr/bin/env python3
"""Makes the corpus of instructions, tests/corpus/sm_NN.zst, from the sources in tests/corpus/source.

    corpus.py build OUT [NAME...]   compiles the sources (or those named) to OUT/NAME[-VARIANT].sm_NN.cubin
    corpus.py record OUT [SM...]    writes the corpus from the cubins in OUT, or those architectures of it

nvcc, nvdisasm and zstd are taken from the PATH, nvdisasm also from the environment variable NVDISASM. NVRTC 12
(tools/nvrtc.py) compiles sources that nvcc 13 does not know, and nvdisasm of CUDA 12 prints the code.
docs/disassembly.md describes the record, and tests/corpus/corpus.c reads it.

The head of a source lists its builds:

    // arch: 80 90a             architectures as nvcc spells them; without the line all eight
    // build fast: -use_fast_math only=80    a variant, its options, and the architectures that have it
"""
import concurrent.futures
import glob
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CORPUS = os.path.join(ROOT, "tests", "corpus")
NVRTC = os.path.join(ROOT, "tools", "nvrtc.py")
SOURCES = os.path.join(CORPUS, "source")
ARCHITECTURES = (70, 75, 80, 86, 89, 90, 100, 120)
FEATURED = {90: "90a", 100: "100a", 120: "120a"}    # as nvdisasm must be told to know every instruction
CONTROL = (1 << 17) - 1 << 105                      # all control bits but the reuse bits, which are printed
CHUNK = 8192                                        # words for one run of nvdisasm
NOP = 0x000fc000000000000000000000007918


def plan(source):
    """(variant, options, architecture as nvcc spells it) for each build that the head of a source asks for."""
    with open(source, encoding="utf-8") as file:
        head = file.read(2000)
    line = re.search(r"^// arch: (.*)$", head, re.M)
    archs = line.group(1).split() if line else [str(arch) for arch in ARCHITECTURES]
    for variant, options in re.findall(r"^// build (\w+):(.*)$", head, re.M):
        only = [option[5:].split(",") for option in options.split() if option.startswith("only=")]
        flags = [option for option in options.split() if not option.startswith("only=")]
        for arch in archs:
            if not only or arch in only[0]:
                yield variant, flags, arch


def compile_one(source, variant, flags, arch, folder):
    base = os.path.splitext(os.path.basename(source))[0]
    name = f"{base}-{variant}.sm_{arch.rstrip('a')}.cubin"
    output = os.path.join(folder, name)
    newest = max(os.path.getmtime(source), os.path.getmtime(os.path.join(SOURCES, "kernels.cuh")))
    if os.path.exists(output) and os.path.getmtime(output) > newest:
        return None
    compiler = ["nvcc"] if int(arch.rstrip("a")) >= 75 else [sys.executable, NVRTC]
    run = subprocess.run([*compiler, "-std=c++17", "-w", "-cubin", "-arch=sm_" + arch, *flags, "-o", output + ".new",
                          source], capture_output=True, text=True)
    if run.returncode:
        wrong = [line[:200] for line in (run.stdout + run.stderr).splitlines() if "error" in line or "fatal" in line]
        return f"{name}: " + "\n    ".join(wrong[:6])
    os.rename(output + ".new", output)
    return None


def build(folder, names):
    os.makedirs(folder, exist_ok=True)
    jobs = []
    for source in sorted(glob.glob(os.path.join(SOURCES, "*.cu"))):
        if not names or os.path.splitext(os.path.basename(source))[0] in names:
            jobs += [(source, *one, folder) for one in plan(source)]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for wrong in pool.map(lambda job: compile_one(*job), jobs):
            if wrong:
                failed += 1
                print(wrong, flush=True)
    print(f"{len(jobs)} builds, {failed} failed")
    return 1 if failed else 0


def sections(elf):
    """(name, type, offset, size, link, section index) of each section."""
    at = struct.unpack_from("<Q", elf, 0x28)[0]
    size, count, strings = struct.unpack_from("<HHH", elf, 0x3a)
    headers = [struct.unpack_from("<IIQQQQIIQQ", elf, at + i * size) for i in range(count)]
    for index, header in enumerate(headers):
        start = headers[strings][4] + header[0]
        yield elf[start:elf.index(b"\0", start)].decode(), header[1], header[4], header[5], header[6], index


def runtime_ranges(elf, found):
    """(section index, first byte, size) of the subroutines that the compiler adds from its own libraries."""
    starts = {index: start for _, _, start, _, _, index in found}
    for _, kind, start, size, link, _ in found:
        if kind != 2:   # a symbol table
            continue
        for at in range(start, start + size, 24):
            name, _, _, section, value, length = struct.unpack_from("<IBBHQQ", elf, at)
            first = starts[link] + name
            text = elf[first:elf.index(b"\0", first)]
            if b"__internal_" in text or b"__cuda_" in text:
                yield section, value, length


def code(path):
    """The instruction words of our own functions in a cubin."""
    with open(path, "rb") as file:
        elf = file.read()
    found = list(sections(elf))
    excluded = list(runtime_ranges(elf, found))
    for name, _, start, size, _, index in found:
        if not name.startswith(".text."):
            continue
        skipped = [(value, value + length) for section, value, length in excluded if section == index]
        for at in range(0, size // 16 * 16, 16):
            if not any(low <= at < high for low, high in skipped):
                yield int.from_bytes(elf[start + at:start + at + 16], "little")


def disassemble(nvdisasm, arch, words):
    """nvdisasm's text for up to CHUNK words, of which word i stands at 16 * i; None where it refuses one."""
    words = list(words)
    refused = set()
    while True:
        with tempfile.NamedTemporaryFile(suffix=".bin") as file:
            file.write(b"".join(word.to_bytes(16, "little") for word in words))
            file.flush()
            run = subprocess.run([nvdisasm, "-b", "SM" + arch, file.name], capture_output=True, text=True)
        errors = {int(at, 16) // 16 for at in re.findall(r"error\s+: .* at address 0x([0-9a-f]+)", run.stderr)}
        if not errors - refused:
            break
        refused |= errors
        for index in errors:
            words[index] = NOP
    texts = [None] * len(words)
    for at, text in re.findall(r"/\*([0-9a-f]{4,})\*/\s+(.*?)\s*;", run.stdout):
        texts[int(at, 16) // 16] = re.sub(r"\s+", " ", text).strip()
    return [None if index in refused else text for index, text in enumerate(texts)]


def record(folder, nvdisasm, sm):
    total = 0
    seen = {}
    for path in sorted(glob.glob(os.path.join(folder, f"*.sm_{sm}.cubin"))):
        for word in code(path):
            total += 1
            seen.setdefault(word & ~CONTROL, word)
    words = sorted(seen.values(), key=lambda word: (word & 0xfff, word >> 91 & 1, word >> 64 & (1 << 41) - 1, word))
    texts = []
    for first in range(0, len(words), CHUNK):
        texts += disassemble(nvdisasm, FEATURED.get(sm, str(sm)), words[first:first + CHUNK])
    refused = texts.count(None)
    texts = [text or "" for text in texts]
    body = struct.pack("<I", len(words))
    body += b"".join(bytes(word >> 8 * plane & 0xff for word in words) for plane in range(16))
    body += "".join(text + "\n" for text in texts).encode()
    output = os.path.join(CORPUS, f"sm_{sm}.zst")
    subprocess.run(["zstd", "-q", "-f", "-19", f"--stream-size={len(body)}", "-o", output], input=body, check=True)
    mnemonics = {re.sub(r"^@\S+ ", "", text).split(" ")[0].split(".")[0] for text in texts if text}
    print(f"| {sm} | {total} | {len(words)} | {len(mnemonics)} | {os.path.getsize(output)} | {refused} |", flush=True)
    return mnemonics


def main():
    if len(sys.argv) < 3 or sys.argv[1] not in ("build", "record"):
        sys.exit(__doc__)
    if sys.argv[1] == "build":
        return build(sys.argv[2], sys.argv[3:])
    nvdisasm = os.environ.get("NVDISASM") or shutil.which("nvdisasm")
    if not nvdisasm:
        sys.exit("nvdisasm was not found")
    print("| sm | instructions | distinct | mnemonics | bytes | refused by nvdisasm |\n|--|--|--|--|--|--|")
    mnemonics = set()
    for sm in ARCHITECTURES if len(sys.argv) == 3 else map(int, sys.argv[3:]):
        mnemonics |= record(sys.argv[2], nvdisasm, sm)
    print(f"{len(mnemonics)} mnemonics:", " ".join(sorted(mnemonics)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
