#!/usr/bin/env python3
"""Makes tests/corpus/pascal.zst, which has instructions for Pascal.

    pascal_corpus.py build OUT      compiles the CUDA sources here for sm_60 and sm_61 to cubins in OUT
    pascal_corpus.py record OUT     writes the corpus from them

The compiler is NVRTC 12 (tools/nvrtc.py). Sources that need more than Pascal has do not compile, and are passed over.
nvdisasm 12 is taken from the PATH or from the environment variable NVDISASM, zstd from the PATH.

The corpus has a line for each distinct instruction. Between tabs are the architectures that have it ("60", "61" or
"60,61"), its reuse bits and its 64 bits in hexadecimal, a byte offset, and nvdisasm's text at that offset."""
import concurrent.futures
import glob
import os
import re
import struct
import subprocess
import sys
import tempfile

import corpus

ROOT = corpus.ROOT
ARCHITECTURES = ("60", "61")
CHUNK = 6144            # instructions for one nvdisasm run
REUSE = 0xf << 17       # of the 21 control bits
STALL = 0x7e1           # control bits that name no counter and do not pair instructions
LINE = re.compile(r"/\*([0-9a-f]{4,})\*/\s+(.*?)/\* 0x([0-9a-f]{16}) \*/", re.S)


def builds():
    """Yields each build's source, cubin name and options."""
    for source in sorted(glob.glob(os.path.join(corpus.SOURCES, "*.cu"))):
        variants = {variant: flags for variant, flags, _ in corpus.plan(source)}
        for variant, flags in variants.items():
            yield source, f"{os.path.basename(source)[:-3]}-{variant}", flags
    for folder in ("examples", "validate/kernels", "tests/exec"):
        for source in sorted(glob.glob(os.path.join(ROOT, folder, "*.cu"))):
            yield source, f"{folder.replace('/', '_')}-{os.path.basename(source)[:-3]}", ["-O3"]


def compile_one(job):
    source, name, flags, arch, folder = job
    run = subprocess.run([sys.executable, corpus.NVRTC, "-std=c++17", "-w", "-cubin", "-arch=sm_" + arch, *flags, "-o",
                          os.path.join(folder, f"{name}.sm_{arch}.cubin"), source], capture_output=True, check=False)
    return run.returncode == 0


def build(folder):
    os.makedirs(folder, exist_ok=True)
    jobs = [(*job, arch, folder) for job in builds() for arch in ARCHITECTURES]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        done = list(pool.map(compile_one, jobs))
    print(f"{sum(done)} of {len(jobs)} compiled")


def sections(path):
    with open(path, "rb") as file:
        data = file.read()
    offset, (count, names) = struct.unpack_from("<Q", data, 0x28)[0], struct.unpack_from("<HH", data, 0x3c)
    heads = [struct.unpack_from("<IIQQQQIIQQ", data, offset + 64 * i) for i in range(count)]
    for head in heads:
        start = heads[names][4] + head[0]
        if data[start:data.index(b"\0", start)].startswith(b".text"):
            yield data[head[4]:head[4] + head[5]]


def instructions(path):
    """Word and reuse bits of each."""
    for code in sections(path):
        for at in range(0, len(code) - 7, 8):
            if at % 32:
                word, control = struct.unpack_from("<Q", code, at)[0], struct.unpack_from("<Q", code, at // 32 * 32)[0]
                yield word, control >> 21 * (at // 8 % 4 - 1) & REUSE


def disassemble(chunk, arch):
    """Offset and text by word and reuse bits."""
    padded = chunk + chunk[-1:] * (-len(chunk) % 3)
    with tempfile.NamedTemporaryFile() as raw:
        for i in range(0, len(padded), 3):
            control = sum((reuse | STALL) << 21 * k for k, (_, reuse) in enumerate(padded[i:i + 3]))
            raw.write(struct.pack("<QQQQ", control, *(word for word, _ in padded[i:i + 3])))
        raw.flush()
        text = subprocess.run([os.environ.get("NVDISASM", "nvdisasm"), "-b", "SM" + arch, "-hex", raw.name],
                              capture_output=True, text=True, check=True).stdout
    found = {}
    for offset, line, word in LINE.findall(text):
        at = int(offset, 16)
        index = at // 32 * 3 + at // 8 % 4 - 1
        if index < len(chunk):
            assert int(word, 16) == chunk[index][0]
            found[chunk[index]] = at, line.strip().removesuffix(";").strip()
    assert len(found) == len(chunk)
    return found


def record(folder):
    owners = {}
    for arch in ARCHITECTURES:
        for path in sorted(glob.glob(os.path.join(folder, f"*.sm_{arch}.cubin"))):
            for instruction in instructions(path):
                owners.setdefault(instruction, set()).add(arch)
    lines = []
    for group in sorted({tuple(sorted(owner)) for owner in owners.values()}):
        words = sorted(word for word, owner in owners.items() if tuple(sorted(owner)) == group)
        for i in range(0, len(words), CHUNK):
            texts = [disassemble(words[i:i + CHUNK], arch) for arch in group]
            for (word, reuse), (at, text) in texts[0].items():
                assert all(other[word, reuse][1] == text for other in texts[1:])
                lines.append(f"{','.join(group)}\t{reuse:05x}{word:016x}\t{at:x}\t{text}\n")
    text = "".join(lines).encode()
    command = ["zstd", "-19", "-q", "-f", f"--stream-size={len(text)}", "-o", os.path.join(corpus.CORPUS, "pascal.zst")]
    subprocess.run(command, input=text, check=True)
    print(f"{len(lines)} instructions")


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in ("build", "record"):
        sys.exit(__doc__)
    {"build": build, "record": record}[sys.argv[1]](sys.argv[2])
