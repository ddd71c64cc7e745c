#!/usr/bin/env python3
"""`exec --check` finds the errors of the program's kernels, with the program's lines, and `--source` of exec and replay
sums up the cost of instructions. SUBCORE is the program, SUBCORE_CUDA one that uses the driver API (cuda_program.c),
SUBCORE_ROOT the repository."""
import json
import os
import pathlib
import re
import subprocess

from harness import ROOT, SUBCORE, main

CUDA = os.environ["SUBCORE_CUDA"]
KERNELS = ROOT / "tests/check"
DIGITS = re.compile(r"\w+\.cu:(\d+)")


def execute(*words, gpu="h200", folder=None):
    env = {key: value for key, value in os.environ.items() if not key.startswith("SUBCORE_") or key == "SUBCORE_ROOT"}
    return subprocess.run([SUBCORE, "exec", "-g", gpu, *map(str, words)], capture_output=True, text=True, timeout=120,
                          check=False, env=env, cwd=folder)


def word(module, name, ctas, threads):
    return f"kernel:{KERNELS}/cubin/{module}.sm_90a.cubin:{name}:{ctas}:{threads}"


def kernel(module, name):
    """The program's word for a kernel of tests/check, its kind of finding and its marked line numbers."""
    lines = (KERNELS / f"{module}.cu").read_text(encoding="utf-8").splitlines()
    at = next(i for i, line in enumerate(lines) if f" {name}(" in line)
    launch = next(re.match(r"//: (.*)", line).group(1).split() for line in lines[at::-1] if line.startswith("//: "))
    facts = dict(zip(launch[::2], launch[1::2]))
    marks = {}
    for number, line in enumerate(lines[at:], at + 1):
        marks.update({mark: number for mark in re.findall(r" (one|two)\b", (re.search(r"//((?: one| two)+)$", line) or
                                                                           [""])[0])})
        if line == "}":
            break
    return word(module, name, facts["grid"], facts["block"]), facts.get("kind"), sorted(marks.values())


def findings(*words, checks="all", code=0):
    run = execute("--check", checks, "--json", "-", *words)
    assert run.returncode == code, (words, run.returncode, run.stderr)
    return json.loads(run.stdout)["checks"]


def lines_of(finding):
    return sorted(int(DIGITS.search(finding[side]["line"]).group(1)) for side in ("first", "second")
                  if finding.get(side) and finding[side]["line"])


def found(name, module="races", checks="all"):
    what, kind, marks = kernel(module, name)
    same = [f for f in findings(CUDA, what, checks=checks) if f["kind"] == kind]
    assert any(set(marks) <= set(lines_of(f)) for f in same), (name, kind, marks, [lines_of(f) for f in same])


def test_races_are_found_with_both_lines():
    for name in ("shared_without_barrier", "warp_without_syncwarp", "global_between_ctas", "flag_without_a_fence"):
        found(name, checks="race")


def test_barriers_of_different_counts_are_found():
    found("barriers_in_two_branches", "wrong", "sync")
    found("barrier_with_two_counts", "wrong", "sync")


def test_reads_of_what_nobody_has_written_are_found():
    found("shared_unwritten", "wrong", "init")


def test_an_access_outside_is_found_with_its_line_and_the_program_learns_of_it():
    run = execute("--check", "memory", "--json", "-", CUDA, "wild", gpu="rtx-a6000")
    fault = [f for f in json.loads(run.stdout)["checks"] if f["kind"] == "FAULT"]
    assert len(fault) == 1 and "CUDA_ERROR" in run.stderr, run
    line = (ROOT / "examples/saxpy.cu").read_text(encoding="utf-8").splitlines()[lines_of(fault[0])[0] - 1]
    assert "y[i]" in line, line


def test_memory_that_is_not_given_back_is_found_and_what_is_given_back_is_not():
    clean = word("clean", "reverse_with_barrier", 1, 128)
    assert findings(CUDA, clean, checks="leak") == []
    run = execute("--check", "leak", "--json", "-", CUDA, "cubin", gpu="rtx-a6000")
    kinds = [f["kind"] for f in json.loads(run.stdout)["checks"]]
    assert kinds and set(kinds) == {"LEAK"}, kinds


def test_kernels_without_mistakes_are_silent():
    words = [kernel("clean", name)[0] for name in ("loop_with_two_barriers", "flag_with_fences", "histogram")]
    assert findings(CUDA, *words) == []


def test_the_exit_status_is_the_programs_or_that_of_the_option():
    race = kernel("races", "shared_without_barrier")[0]
    assert execute("--check", "race", CUDA, race).returncode == 0
    assert execute("--check", "race", "--error-exitcode", "7", CUDA, race).returncode == 7
    assert execute("--check", "race", "--error-exitcode", "7", CUDA, "exit:4").returncode == 4
    text = execute("--check", "race", CUDA, race).stderr
    assert "races.cu:" in text and "RAW" in text, text


# ---- cost of instructions ----------------------------------------------------------------------------------------


def test_accesses_outside_pass_with_a_warning_on_request():
    program = (CUDA, word("clean", "own_elements", 20, 64))
    assert "CUDA_ERROR_ILLEGAL_ADDRESS" in execute(*program).stderr
    run = execute("--pass-outside", *program)
    assert run.stdout == "own_elements: CUDA_SUCCESS\n", run
    told = re.findall(r"subcore: kernel own_elements makes \d+ accesses outside of all allocations", run.stderr)
    assert len(told) == 1, run.stderr
    assert " cycles " in run.stderr


def sources(run):
    document = json.loads(run.stdout)
    return document, {part["kernel"]: part for part in document["sources"]}


def test_the_source_of_a_program_sums_up_all_launches_of_a_kernel():
    once, one = sources(execute("--source", "--json", "-", CUDA, "cubin", gpu="rtx-a6000"))
    document, both = sources(execute("--source", "--json", "-", CUDA, "cubin", "cubin", gpu="rtx-a6000"))
    part = both["saxpy"]
    assert part["launches"] == 2 and one["saxpy"]["launches"] == 1
    counted = sum(row["inst_issued"] for row in part["source"]["instructions"])
    assert counted == sum(k["warp_instructions"] for k in document["kernels"])
    assert counted == 2 * sum(k["warp_instructions"] for k in once["kernels"])
    files = {row["file"] for row in part["source"]["instructions"] if row.get("file")}
    assert files == {"saxpy.cu"}, files
    # The compiler found the source in a folder that is elsewhere here, so that it is looked for where exec runs.
    text = execute("--source", CUDA, "cubin", gpu="rtx-a6000", folder=ROOT / "examples").stderr
    assert "saxpy, 1 launch" in text and "y[i] = " in text, text[-2000:]


def test_the_source_of_a_trace_has_the_instructions_and_says_where_lines_are(folder):
    trace = folder / "a.trace"
    assert execute("--record", trace, "--quiet", CUDA, "cubin", "cubin", gpu="rtx-a6000").returncode == 0
    run = subprocess.run([SUBCORE, "replay", trace, "--source", "--json", "-"], capture_output=True, text=True,
                         timeout=120, check=False)
    assert run.returncode == 0, run.stderr
    document, parts = sources(run)
    assert parts["saxpy"]["launches"] == 2
    assert sum(row["inst_issued"] for row in parts["saxpy"]["source"]["instructions"]) == \
        sum(k["warp_instructions"] for k in document["kernels"])
    text = subprocess.run([SUBCORE, "replay", trace, "--source"], capture_output=True, text=True, timeout=120,
                          check=True).stdout
    assert "saxpy, 2 launches" in text and "Traces have no lines of the program" in text, text[-1500:]


def page_of(path):
    text = path.read_text(encoding="utf-8")
    assert "Sums of" in text
    block = json.loads(re.search(r'<script type="application/json" id="data">\n(.*?)</script>', text, re.S)[1])
    return json.dumps(block)


def check_samples(document):
    """The longest launch has samples, which add up to its counts."""
    samples, kernels = document["samples"], document["kernels"]
    longest = kernels[samples["kernel"]]
    assert longest["cycles"]["elapsed"] == max(k["cycles"]["elapsed"] for k in kernels)
    assert samples["cycle"][-1] == longest["cycles"]["elapsed"] and len(samples["cycle"]) > 10
    assert sum(samples["sm"]["inst_issued"]) == longest["counters"]["sm"]["inst_issued"]


def test_pages_of_programs_and_traces_have_source_and_samples(folder):
    trace, page = folder / "a.trace", folder / "page.html"
    plain = json.loads(execute("--json", "-", CUDA, "cubin", "cubin", gpu="rtx-a6000").stdout)
    run = execute("--source", "--html", page, "--json", "-", CUDA, "cubin", "cubin", gpu="rtx-a6000")
    document, _ = sources(run)
    check_samples(document)
    assert "inst_issued" in page_of(page) and "LDG.E" in page_of(page)
    assert [k["cycles"] for k in document["kernels"]] == [k["cycles"] for k in plain["kernels"]]
    assert execute("--record", trace, "--quiet", CUDA, "cubin", "cubin", gpu="rtx-a6000").returncode == 0
    run = subprocess.run([SUBCORE, "replay", trace, "--source", "--html", page, "--json", "-"], capture_output=True,
                         text=True, timeout=120, check=True)
    check_samples(json.loads(run.stdout))
    assert "LDG.E" in page_of(page)


def test_a_program_without_line_numbers_gets_the_hint(folder):
    source, cubin = folder / "bare.sass", folder / "bare.cubin"
    source.write_text(".arch sm_86\n.kernel bare\n.param x, ptr\n.param y, ptr\n    MOV R2, 0x1\n    EXIT\n.end\n",
                      encoding="utf-8")
    assembled = subprocess.run([SUBCORE, "asm", source, "-o", cubin], capture_output=True, text=True, check=False)
    assert assembled.returncode == 0, assembled.stderr
    run = execute("--source", CUDA, f"kernel:{cubin}:bare:1:32", gpu="rtx-a6000")
    assert run.returncode == 0 and "-lineinfo" in run.stderr, run.stderr


# ---- timelines -----------------------------------------------------------------------------------------------------


def slices(events, category):
    return [(e["tid"], round(e["ts"] * 1000), round((e["ts"] + e["dur"]) * 1000), e["name"], e["args"])
            for e in events if e["ph"] == "X" and e["cat"] == category]


def test_the_timeline_of_a_program_has_its_copies_and_graphs(folder):
    path = folder / "t.json"
    run = execute("--quiet", "--perfetto", path, CUDA, "cubin", "graph", gpu="rtx-a6000")
    assert run.returncode == 0 and "graph: CUDA_SUCCESS" in run.stdout, run
    events = json.loads(path.read_text(encoding="utf-8"))["traceEvents"]
    kernels, copies, graphs = (slices(events, kind) for kind in ("kernel", "copy", "graph"))
    assert len(kernels) == 3 and [g[4]["nodes"] for g in graphs] == [2, 2]
    assert [c[3] for c in copies] == 2 * ["copy from the host"] + ["copy to the host"] + \
        2 * ["copy from the host"] + 2 * ["set"], copies
    assert all(c[4]["bytes"] == 4000 and c[2] > c[1] for c in copies)
    for graph, kernel, one in zip(graphs, kernels[1:], copies[-2:]):   # the set, then the kernel, and nothing else
        assert graph[1] == one[1] and one[2] <= kernel[1] and abs(kernel[2] - graph[2]) <= 1
    for track in {s[0] for s in kernels + copies + graphs}:
        own = sorted(s[1:3] for s in kernels + copies + graphs if s[0] == track)
        assert all(a[1] <= b[0] for a, b in zip(own, own[1:])), (track, own)
    named = {e["tid"]: e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
    assert all(s[0] in named for s in kernels + copies + graphs)


if __name__ == "__main__":
    assert pathlib.Path(CUDA).exists(), CUDA
    main(globals())
