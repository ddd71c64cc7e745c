#!/usr/bin/env python3
"""`subcore replay` of whole, damaged and old traces. SUBCORE is the program, SUBCORE_ROOT the sources;
`test_trace_replay.py WORD...` runs only the tests whose names hold a word."""
import json
import re

from harness import main, subcore, succeeds
from short_trace import CTAS, fails, info, instructions, native, write_trace
from traceg import head


def test_a_replay_that_times_nothing_is_an_error(folder):
    trace = native(folder)
    fails(2, "there are 0 kernel_1, 1 kernel_2, 2 kernel_3", "replay", trace, "--kernels", "3-")
    fails(2, "there are 0 kernel_1", "replay", trace, "--fast-forward", "nokernel")
    result = subcore("replay", trace, "--kernels", "1-2")
    assert result.returncode == 0 and "1 launch left out" in result.stdout, result
    assert [line.split()[1:3] for line in result.stderr.splitlines()] == [["1", "kernel_2"], ["2", "kernel_3"]], result
    told = json.loads(succeeds("replay", trace, "--kernels", "2", "--quiet", "--json", "-"))
    assert [launch["launch"] for launch in told["launches"]] == [2], told


def test_a_replay_chooses_a_gpu_for_the_code(folder):
    kernels = write_trace(folder / "given", 1)
    given = folder / "given/kernel-1.traceg"
    whole = given.read_text()
    for version, gpu in ((70, "V100"), (75, "RTX 2080 Ti"), (80, "A100"), (86, "RTX A6000"), (89, "RTX 4090")):
        given.write_text(whole.replace("-binary version = 80", f"-binary version = {version}"))
        text = subcore("replay", kernels, "--quiet", "--json", folder / "r.json")
        assert text.returncode == 0, (version, text)
        (kernel,) = json.loads((folder / "r.json").read_text())["kernels"]
        assert gpu in kernel["gpu"]["name"], (version, kernel["gpu"])
    assert "chosen for the first kernel's sm_89" in subcore("replay", kernels).stdout
    assert "chosen for" not in subcore("replay", kernels, "--gpu", "a100").stdout


def test_a_header_with_wrong_launch_facts_is_replayed_with_the_architecture_of_the_gpu(folder):
    kernels = write_trace(folder / "given", 2)
    for number in (1, 2):
        given = folder / f"given/kernel-{number}.traceg"
        text = given.read_text().replace("-binary version = 80", "-binary version = 0")
        given.write_text(text.replace("-nregs = 24", "-nregs = 21955").replace("-shmem = 1024", "-shmem = 1"))
    for words in (["replay", kernels], ["trace", "convert", kernels, "--output", folder / "none"]):
        fails(2, "kernel-1.traceg: 'binary version' is 0", *words)
        fails(2, "with --gpu", *words)
    assert not (folder / "none").exists()
    result = subcore("replay", kernels, "--gpu", "a100", "--quiet", "--json", folder / "r.json")
    assert result.returncode == 0, result
    assert result.stderr.count("cuLaunchKernelEx") == 1 and "architecture of --gpu, sm_80" in result.stderr, result
    assert "2 kernels get the registers" in result.stderr, result
    assert len(json.loads((folder / "r.json").read_text())["kernels"]) == 2
    result = subcore("trace", "convert", kernels, "--gpu", "rtx-3080", "--output", folder / "native.trace")
    assert result.returncode == 0 and "sm_86" in result.stderr, result
    kernel = info(folder / "native.trace")["kernels"][0]
    assert (kernel["architecture"], kernel["registers"]) == (86, 10), kernel
    fails(2, "nosuchgpu", "trace", "convert", kernels, "--gpu", "nosuchgpu", "--output", folder / "none")


def test_a_trace_of_the_first_tracer_is_replayed(folder):
    kernels = write_trace(folder / "given", 1)
    given = folder / "given/kernel-1.traceg"
    text = given.read_text().replace("-accelsim tracer version = 5\n", "")
    given.write_text(re.sub(r"^([0-9a-f]{4} [0-9a-f]{8} )", r"0 0 0 0 \1", text, flags=re.MULTILINE))
    result = subcore("replay", kernels, "--gpu", "a100")
    assert result.returncode == 0 and f" {instructions()} " in result.stdout, result
    assert "given/kernel-1.traceg: the header has no 'accelsim tracer version'" in result.stderr, result


def test_shapes_of_real_traces_are_replayed(folder):
    """A lane goes on behind an EXIT of all lanes; blocks of 8 threads; a destination among the sources; no lanes."""
    (folder / "given").mkdir()
    warp = ["0000 000000ff 0 SHFL.DOWN 3 R5 R2 R3 0 31", "b870 00000000 1 R4 LDG.E 1 R6 4 1 0x0 0 0",
            "b880 000000ff 0 EXIT 0 0 0", "b890 00000001 1 R4 LDG.E 1 R6 4 2 0x7f1000000000 0",
            "b8a0 00000001 0 STG.E 2 R6 R4 4 2 0x7f1000000000 0", "b8b0 00000001 0 EXIT 0 0 0"]
    text = head(1, 3, 8, stream=0)
    for cta in range(3):
        text += f"#BEGIN_TB\n\nthread block = {cta},0,0\n\nwarp = 0\ninsts = {len(warp)}\n"
        text += "\n".join(warp) + "\n\n#END_TB\n\n"
    (folder / "given/kernel-1.traceg").write_text(text)
    told = json.loads(succeeds("replay", folder / "given/kernel-1.traceg", "--gpu", "a100", "--quiet", "--json", "-"))
    metrics = told["kernels"][0]["metrics"]
    assert metrics["smsp__inst_executed.sum"] == 3 * len(warp), metrics
    assert metrics["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"] == 3, metrics
    assert metrics["l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"] == 3, metrics


def test_a_replay_counts_a_damaged_kernel_once(folder):
    kernels = write_trace(folder / "given", 1)
    given = folder / "given/kernel-1.traceg"
    whole = given.read_text()
    given.write_text(whole[:whole.rindex("0050 ")] + "0050 nonsense\n")
    result = subcore("replay", kernels, "--keep-going")
    assert result.returncode == 0 and "DAMAGED: 1 kernel of" in result.stdout, result
    given.write_text("-kernel name = broken\n")
    fails(2, "nothing of it could be replayed", "replay", kernels, "--keep-going")


def test_a_launch_has_the_number_of_its_place_in_the_list(folder):
    kernels, told = write_trace(folder / "given", 5), folder / "r.json"
    for lost in (1, 2, 4):
        (folder / f"given/kernel-{lost}.traceg").write_text("-kernel name = broken\n")
    for words, numbers in (([], [2, 4]), (["--kernels", "4"], [4]), (["--kernels", "0-3"], [2]),
                           (["--fast-forward", "3"], [4])):
        result = subcore("replay", kernels, "--keep-going", "--json", told, *words)
        assert result.returncode == 0, result
        launches = json.loads(told.read_text())["launches"]
        assert [launch["launch"] for launch in launches] == numbers, (words, launches)
        assert [launch["name"] for launch in launches] == [f"kernel_{n + 1}" for n in numbers], (words, launches)
    fails(2, "there are 2 kernel_3, 4 kernel_5", "replay", kernels, "--keep-going", "--kernels", "0-1,3")


def test_a_replay_reports_no_kernel_that_did_not_run(folder):
    trace = native(folder, 1)
    whole, tried = trace.read_bytes(), 0
    for at in range(16 + 32, len(whole), 7):
        trace.write_bytes(whole[:at] + bytes([whole[at] ^ 4]) + whole[at + 1:])
        result = subcore("trace", "verify", trace)
        if f"damaged in {2 * CTAS} places" not in result.stderr:
            continue
        result = subcore("replay", trace)
        assert result.returncode == 2 and result.stdout == "" and "(3)" not in result.stderr, result
        result = subcore("replay", trace, "--keep-going")
        assert result.returncode == 2 and "nothing of it could be replayed" in result.stderr, result
        assert "DAMAGED: 1 kernel of" in result.stdout and "Elapsed" not in result.stdout, result
        tried += 1
        if tried == 3:
            return
    assert tried > 0


main(globals())
