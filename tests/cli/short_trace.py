"""A short trace in Accel-Sim's form, as the tests of `subcore trace` and `subcore replay` write it."""
import json

from harness import subcore, succeeds
from traceg import head

CTAS = 5
FULL, HALF = 0xffffffff, 0x0000ffff


def lines(cta, warp):
    """The work of a warp in the test's kernel: every kind of address, a loop, a barrier, two EXITs."""
    mask = HALF if warp else FULL
    address = 0x7f1000000000 + 256 * (2 * cta + warp)
    yield f"0000 {mask:08x} 1 R1 MOV 0 0 0"
    yield f"0010 {mask:08x} 1 R8 LDG.E.SYS 1 R6 4 1 0x{address:x} 4 0"
    yield f"0020 {mask & 0x55555555:08x} 0 STS 2 R4 R8 4 2 0x0" + " 8" * (bin(mask & 0x55555555).count("1") - 1) + " 0"
    yield f"0030 {mask:08x} 0 BAR.SYNC 0 0 0"
    for _ in range(cta + 1):
        yield f"0040 {mask:08x} 1 R9 FFMA 3 R8 R9 R9 0 0"
        yield f"0050 {mask:08x} 0 BRA 0 0 64"
    yield f"0060 00000000 1 R8 LDG.E.64 1 R6 8 1 0x0 0 0"
    yield f"0070 00000004 0 STG.E.SYS 2 R6 R9 4 2 0x{address:x} 0"
    yield f"0080 {mask & 0xff:08x} 0 EXIT 0 0 0"
    yield f"0090 {mask & ~0xff:08x} 0 EXIT 0 0 0"


def instructions(ctas=CTAS):
    return sum(len(list(lines(cta, warp))) for cta in range(ctas) for warp in range(2))


def body(ctas=CTAS):
    text = ""
    for cta in range(ctas):
        text += f"#BEGIN_TB\n\nthread block = {cta},0,0\n\n"
        for warp in range(2):
            each = list(lines(cta, warp))
            text += f"warp = {warp}\ninsts = {len(each)}\n" + "\n".join(each) + "\n\n"
        text += "#END_TB\n\n"
    return text


def write_trace(folder, kernels=3):
    """An Accel-Sim trace; the path of its list."""
    folder.mkdir()
    commands = "MemcpyHtoD,0x00007f1000000000,4096\n"
    for number in range(1, kernels + 1):
        first = head(number, CTAS, threads=48, stream=number % 2, shared=1024)
        (folder / f"kernel-{number}.traceg").write_text(first + body())
        commands += f"kernel-{number}.traceg\n"
    (folder / "kernelslist.g").write_text(commands)
    return folder / "kernelslist.g"


def fails(code, part, *words):
    """Unlike the harness's, also where warnings stand before the error."""
    result = subcore(*words)
    assert result.returncode == code, (words, result)
    assert part in result.stderr and result.stderr.startswith("subcore: "), (words, part, result.stderr)


def native(folder, kernels=3):
    path = folder / "native.trace"
    succeeds("trace", "convert", write_trace(folder / "given", kernels), "--output", path)
    return path


def info(path):
    return json.loads(succeeds("trace", "info", path, "--json", "-", "--quiet"))
