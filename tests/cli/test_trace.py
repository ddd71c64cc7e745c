#!/usr/bin/env python3
"""`subcore trace` as a user meets it, on the trace of short_trace.py. SUBCORE is the program, SUBCORE_ROOT the
sources; `test_trace.py WORD...` runs only the tests whose names hold a word."""
import json
import lzma
import subprocess
import sys

from harness import ROOT, document, main, subcore, succeeds, without_host
from short_trace import CTAS, body, fails, info, instructions, lines, native, write_trace
from traceg import head


def check_grammar(path):
    result = subprocess.run([sys.executable, ROOT / "tools/check_traceg.py", path], capture_output=True, text=True,
                            check=False)
    assert result.returncode == 0, result
    return result.stdout


def test_a_trace_that_is_converted_there_and_back_has_the_same_lines(folder):
    trace = native(folder)
    text = succeeds("trace", "convert", trace, "--output", folder / "back")
    assert "3 kernels" in text and f"{3 * instructions()} warp instructions" in text, text
    for number in range(1, 4):
        given = (folder / f"given/kernel-{number}.traceg").read_text()
        back = (folder / f"back/kernel-{number}.traceg").read_text()
        assert given.partition("\n#BEGIN_TB")[2] == back.partition("\n#BEGIN_TB")[2], number
        assert f"-cuda stream id = {number % 2}\n" in back and f"-kernel name = kernel_{number}\n" in back, back[:600]
    assert (folder / "back/kernelslist.g").read_text() == (folder / "given/kernelslist.g").read_text()
    check_grammar(folder / "back/kernelslist.g")


def test_copies_are_joined_and_none_stands_behind_the_last_kernel(folder):
    listed = write_trace(folder / "given", 2)
    copies = "".join(f"MemcpyHtoD,0x{0x700000002000 - 4 * i:016x},4\n" for i in range(1, 101))
    listed.write_text(f"{copies}MemcpyHtoD,0x0000700000003000,8\nkernel-1.traceg\n{copies}kernel-2.traceg\n{copies}")
    succeeds("trace", "convert", listed, "--output", folder / "native.trace")
    out = succeeds("trace", "convert", folder / "native.trace", "--output", folder / "back")
    joined = "MemcpyHtoD,0x0000700000001e70,400\n"
    assert (folder / "back/kernelslist.g").read_text() == (
        f"{joined}MemcpyHtoD,0x0000700000003000,8\nkernel-1.traceg\n{joined}kernel-2.traceg\n")
    assert "Copies from the host: 301, joined to 3 ranges\n" in out, out
    assert "Copies behind the last kernel: 100, left out, since Accel-Sim aborts at them\n" in out, out
    check_grammar(folder / "back/kernelslist.g")


def test_a_copy_larger_than_any_memory_is_damage(folder):
    listed = write_trace(folder / "given", 1)
    trace = folder / "native.trace"
    for size, code in ((2**40, 0), (2**40 + 1, 2)):
        listed.write_text(f"MemcpyHtoD,0x0000700000000000,{size}\nkernel-1.traceg\n")
        succeeds("trace", "convert", listed, "--output", trace)
        result = subcore("trace", "convert", trace, "--output", folder / f"out{code}")
        assert result.returncode == code, result
        assert (f"{trace}: damaged: a copy of {size} bytes" in result.stderr) == (code == 2), result
    succeeds("trace", "convert", trace, "--output", folder / "rest", "--keep-going")
    assert (folder / "rest/kernelslist.g").read_text() == "kernel-1.traceg\n"
    assert len((folder / "out0/kernelslist.g").read_text().splitlines()) == 1024 + 1


def test_kernels_are_packed_on_request(folder):
    trace = native(folder, 1)
    succeeds("trace", "convert", trace, "--output", folder / "plain", "--quiet")
    for how in ("xz", "gz"):
        succeeds("trace", "convert", trace, "--output", folder / how, "--compress", how)
        check_grammar(folder / how / "kernelslist.g")
        succeeds("trace", "convert", folder / how / "kernelslist.g", "--output", folder / f"{how}.trace")
    packed = lzma.decompress((folder / "xz/kernel-1.traceg.xz").read_bytes()).decode()
    assert packed == (folder / "plain/kernel-1.traceg").read_text()
    fails(2, "'zip' is not none, xz, gz or tracez", "trace", "convert", trace, "--output", folder / "z", "--compress",
          "zip")
    assert not (folder / "z").exists()


def test_kernels_of_hopper_are_written_as_version_6(folder):
    trace = folder / "cluster.trace"
    succeeds("record", "demo", "cluster-sum", "--gpu", "h200", "--output", trace, "--quiet")
    replayed = document("replay", trace, "--gpu", "h200")["launches"]
    for how in ("none", "tracez", "xz"):
        result = subcore("trace", "convert", trace, "--output", folder / how, "--compress", how, "--quiet")
        assert result.returncode == 0 and "since its version 2.0" in result.stderr, result
        check_grammar(folder / how / "kernelslist.g")
        back = document("replay", folder / how / "kernelslist.g", "--gpu", "h200")["launches"]
        assert without_host(back) == without_host(replayed), how
    assert "accelsim tracer version = 6" in (folder / "none/kernel-1.traceg").read_text()
    assert sorted(path.name for path in (folder / "tracez").iterdir()) == [
        "kernel-1.sass", "kernel-1.tracez", "kernelslist.g"]


def test_the_version_of_files_for_accelsim_can_be_chosen(folder):
    trace = native(folder, 1)
    convert = ["trace", "convert", trace, "--output", folder / "x"]
    fails(2, "--trace-version: 4 is not 5 or 6", *convert, "--trace-version", "4")
    fails(2, "--compress tracez is for version 6", *convert, "--trace-version", "5", "--compress", "tracez")
    result = subcore(*convert, "--trace-version", "6")
    assert result.returncode == 0 and "1 of 1 kernels are of trace version 6" in result.stderr, result
    check_grammar(folder / "x/kernelslist.g")
    succeeds("trace", "convert", folder / "x/kernelslist.g", "--output", folder / "back.trace")
    succeeds("trace", "convert", folder / "back.trace", "--output", folder / "y")
    assert (folder / "y/kernel-1.traceg").read_text().partition("#BEGIN")[2] == (
        (folder / "given/kernel-1.traceg").read_text().partition("#BEGIN")[2])
    cluster = folder / "cluster.trace"
    succeeds("record", "demo", "cluster-sum", "--gpu", "h200", "--output", cluster, "--quiet")
    fails(2, "launched in clusters, which a trace of Accel-Sim's version 5 cannot have", "trace", "convert", cluster,
          "--output", folder / "z", "--trace-version", "5", "--quiet")


def test_what_accelsim_will_not_read_is_told(folder):
    trace = native(folder, 1)
    result = subcore("trace", "convert", trace, "--output", folder / "a", "--binary-version", "89")
    assert result.returncode == 0 and "no opcode table for binary version 89" in result.stderr, result
    given = folder / "given/kernel-1.traceg"
    given.write_text(given.read_text().replace(" FFMA ", " UNHEARDOF.OF "))
    result = subcore("trace", "convert", folder / "given/kernelslist.g", "--output", folder / "odd.trace")
    assert result.returncode == 0 and "UNHEARDOF" in result.stderr, result
    result = subcore("trace", "convert", folder / "odd.trace", "--output", folder / "b", "--binary-version", "86")
    assert "1 mnemonic in 30 lines" in result.stderr and "UNHEARDOF (30)" in result.stderr, result


def test_nothing_is_written_over_and_nothing_half(folder):
    trace = native(folder, 1)
    (folder / "mine").mkdir()
    (folder / "mine/file").write_text("mine")
    fails(2, "not an empty folder", "trace", "convert", trace, "--output", folder / "mine")
    fails(2, "is a native trace already", "trace", "convert", trace, "--to", "native", "--output", folder / "x")
    fails(2, "is an Accel-Sim trace already", "trace", "convert", folder / "given/kernelslist.g", "--to", "accelsim",
          "--output", folder / "x")
    fails(2, "needs --output", "trace", "convert", trace)
    before = trace.read_bytes()
    fails(2, "it is the trace that is read", "trace", "cut", trace, "--ctas", "1", "--output", trace)
    fails(2, "it is the trace that is read", "trace", "cut", trace, "--ctas", "1", "--output",
          f"{folder}/./native.trace")
    listed = folder / "given/kernelslist.g"
    fails(2, "it is the trace that is read", "trace", "convert", listed, "--output", listed)
    assert trace.read_bytes() == before
    fails(2, "'csv' is not native or accelsim", "trace", "convert", trace, "--to", "csv", "--output", folder / "x")
    (folder / "given/kernel-1.traceg").write_text("-kernel name = broken\n")
    fails(2, "kernel-1.traceg", "trace", "convert", folder / "given/kernelslist.g", "--output", folder / "x")
    names = sorted(path.name for path in folder.iterdir())
    assert names == ["given", "mine", "native.trace"], names


def test_info_tells_kernels_and_sizes(folder):
    trace = native(folder)
    text = succeeds("trace", "info", trace)
    assert "3 kernels" in text and "kernel_2" in text and "no control bits" in text and "stream 1" in text, text
    told = info(trace)
    assert told["warp_instructions"] == 3 * instructions() and told["bytes"] == trace.stat().st_size, told
    assert [kernel["name"] for kernel in told["kernels"]] == ["kernel_1", "kernel_2", "kernel_3"]
    kernel = told["kernels"][0]
    assert (kernel["ctas"], kernel["warps"], kernel["warp_instructions"]) == (CTAS, 2 * CTAS, instructions()), kernel
    assert (kernel["grid"], kernel["block"], kernel["stream"]) == ([CTAS, 1, 1], [48, 1, 1], 1), kernel
    assert kernel["complete"] and kernel["damage"] is None and not kernel["control_bits"], kernel
    assert [command["kind"] for command in told["commands"]] == ["copy", "launch", "launch", "launch"], told
    fails(2, "absent", "trace", "info", folder / "absent")
    for given in ("kernelslist.g", "kernel-1.traceg"):
        fails(2, "convert it first with subcore trace convert", "trace", "info", folder / "given" / given)
        fails(2, "convert it first with subcore trace convert", "trace", "verify", folder / "given" / given)
        fails(2, "convert it first with subcore trace convert", "trace", "cut", folder / "given" / given, "--ctas", "1",
              "--output", folder / "none")


def test_verify_names_the_damaged_warp(folder):
    trace = native(folder, 2)
    assert "all of it is whole" in succeeds("trace", "verify", trace)
    whole, named = trace.read_bytes(), 0
    for at in range(0, len(whole), 29):
        trace.write_bytes(whole[:at] + bytes([whole[at] ^ 4]) + whole[at + 1:])
        result = subcore("trace", "verify", trace, "--json", folder / "v.json")
        assert result.returncode in (1, 2), (at, result)
        if result.returncode == 1:
            told = json.loads((folder / "v.json").read_text())
            assert told["damaged"] == len(told["damages"]) > 0, told
            named += ", CTA " in result.stdout and "warp" in result.stdout
    assert named > 0
    trace.write_bytes(whole)
    assert json.loads(succeeds("trace", "verify", trace, "--json", "-", "--quiet"))["damages"] == []


def test_a_damaged_trace_is_converted_as_far_as_it_is_whole(folder):
    trace = native(folder, 1)
    whole = trace.read_bytes()
    converted = 0
    for at in range(0, len(whole), 29):
        trace.write_bytes(whole[:at] + bytes([whole[at] ^ 4]) + whole[at + 1:])
        if subcore("trace", "verify", trace).returncode != 1:
            continue
        out = folder / f"out{at}"
        assert subcore("trace", "convert", trace, "--output", out).returncode == 2 and not out.exists()
        result = subcore("trace", "convert", trace, "--output", out, "--keep-going")
        if result.returncode == 0 and (out / "kernel-1.traceg").exists():
            assert "were given one" in result.stderr or "the undamaged part" in result.stderr, result
            check_grammar(out / "kernelslist.g")
            converted += 1
    assert converted > 0


def test_a_trace_without_its_end_is_read_as_far_as_it_is_whole(folder):
    trace = native(folder)
    trace.write_bytes(trace.read_bytes()[:-40])
    lost = "no index at its end"
    result = subcore("trace", "info", trace, "--json", "-", "--quiet")
    told = json.loads(result.stdout)
    assert result.returncode == 0 and lost in result.stderr and lost in told["damage"], result
    assert [kernel["name"] for kernel in told["kernels"]] == ["kernel_1", "kernel_2", "kernel_3"], told
    result = subcore("trace", "verify", trace, "--json", folder / "v.json")
    told = json.loads((folder / "v.json").read_text())
    assert result.returncode == 1 and lost in result.stdout and told["damaged"] == len(told["damages"]) == 1, result
    fails(2, lost, "trace", "convert", trace, "--output", folder / "out")
    fails(0, lost, "trace", "convert", trace, "--output", folder / "out", "--keep-going")
    assert (folder / "out/kernel-3.traceg").exists()
    fails(2, lost, "replay", trace)
    result = subcore("replay", trace, "--keep-going")
    assert result.returncode == 0 and lost in result.stderr and "3 launches" in result.stdout, result


def test_a_trace_whose_origin_is_damaged_keeps_its_kernels_and_copies(folder):
    trace = native(folder)
    whole = bytearray(trace.read_bytes())
    whole[16 + 32 + 8] ^= 1  # behind the file's head and the block's
    trace.write_bytes(whole)
    fails(2, "its origin", "trace", "cut", trace, "--ctas", "1", "--output", folder / "out")
    fails(1, "damaged in 1 place", "trace", "verify", trace)
    told = json.loads(subcore("trace", "info", trace, "--json", "-", "--quiet").stdout)
    assert [command["kind"] for command in told["commands"]] == ["copy", "launch", "launch", "launch"], told


def test_a_part_has_the_kernels_and_ctas_that_were_asked_for(folder):
    trace = native(folder)
    out = succeeds("trace", "cut", trace, "--kernels", "1-2", "--output", folder / "two.trace")
    assert out.startswith(f"{folder}/two.trace: 2 launches, {2 * instructions()} warp instructions, "), out
    assert out.count("\n") == 1
    assert [kernel["name"] for kernel in info(folder / "two.trace")["kernels"]] == ["kernel_2", "kernel_3"]
    assert succeeds("trace", "cut", trace, "--kernels", "0", "--ctas", "2", "--output", folder / "part.trace",
                    "--quiet") == ""
    (kernel,) = info(folder / "part.trace")["kernels"]
    assert kernel["warp_instructions"] == instructions(2), kernel
    succeeds("trace", "verify", folder / "part.trace")
    succeeds("trace", "convert", folder / "part.trace", "--output", folder / "part")
    text = (folder / "part/kernel-1.traceg").read_text()
    assert "-grid dim = (2,1,1)\n" in text and text.endswith("\n\n" + body(2)), text
    fails(2, "only 0 to 2", "trace", "cut", trace, "--kernels", "7", "--output", folder / "none")
    fails(2, "--kernels or --ctas", "trace", "cut", trace, "--output", folder / "none")
    assert not (folder / "none").exists()


def test_no_trace_goes_to_standard_output(folder):
    trace = native(folder, 1)
    listed = folder / "given/kernelslist.g"
    for words in (["convert", trace], ["convert", listed], ["cut", trace, "--ctas", "1"]):
        fails(2, "cannot be written to standard output", "trace", *words, "--output", "-")
    fails(2, "cannot be written to standard output: name a file", "record", "--output", "-", "--", "true")
    for command in ("trace", "record"):
        assert "standard output" not in succeeds("help", command).split("--json")[0]
    assert "-o - is standard output" in succeeds("help", "asm")


def test_machine_code_is_asked_for_or_not(folder):
    write_trace(folder / "given", 1)
    listed = folder / "given/kernelslist.g"
    for words in (["replay", listed], ["trace", "convert", listed, "--output", folder / "x"]):
        fails(2, "--code and --no-code do not go together", *words, "--code", listed, "--no-code")
    native_trace = folder / "native.trace"
    succeeds("trace", "convert", listed, "--output", native_trace)
    for words in (["--code", listed], ["--no-code"], ["--gpu", "a100"]):
        fails(2, "this one has its code", "trace", "convert", native_trace, "--output", folder / "x", *words)
    assert not (folder / "x").exists()


def test_options_of_another_action_are_refused(folder):
    trace = native(folder, 1)
    fails(2, "trace info has no option '--output'", "trace", "info", trace, "--output", folder / "x")
    fails(2, "trace cut has no option '--compress'", "trace", "cut", trace, "--ctas", "1", "--compress", "xz",
          "--output", folder / "x")
    fails(2, "trace verify has no option '--compress'", "trace", "verify", trace, "--compress", "xz")
    fails(2, "trace does not know 'tell'", "trace", "tell", trace)
    fails(2, "trace needs", "trace", "info")


main(globals())
