"""The findings of --check, and the places without any: the kernels of races.cu, wrong.cu, clean.cu and
patterns.cu, and the demos. Prints TAP. SUBCORE is the program, SUBCORE_ROOT the repository."""
import json
import os
import re
import subprocess
import sys

SUBCORE = os.environ["SUBCORE"]
HERE = os.path.join(os.environ["SUBCORE_ROOT"], "tests", "check")
CHECKS = "memory,race,init,sync"


def kernels(module):
    """The kernels of a source with their launches and the numbers of their marked lines."""
    found = []
    with open(os.path.join(HERE, module + ".cu")) as source:
        for number, line in enumerate(source, 1):
            launch = re.match(r"//: (.*)", line)
            if launch:
                words = launch.group(1).split()
                found.append({**dict(zip(words[::2], words[1::2])), "marks": {}})
            name = re.search(r"__global__ void (?:__cluster_dims__\([^)]*\) )?(\w+)\(", line)
            if name and found:
                found[-1]["name"] = name.group(1)
            marks = re.search(r"//((?: one| two)+)$", line)
            if marks and found:
                found[-1]["marks"].update({mark: number for mark in marks.group(1).split()})
    return found


def subcore(*words):
    return subprocess.run([SUBCORE, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)


def launch(module, kernel, *more):
    return subcore("run", os.path.join(HERE, "cubin", module + ".sm_90a.cubin"), "-g", "h200", "--kernel",
                   kernel["name"], "--grid", kernel["grid"], "--block", kernel["block"], "--arg", "i32[1024]=iota",
                   "--arg", "i32[1024]=zero", *more)


def line_of(finding, which):
    """The number of the line in the kernel's own source; 0 where there is no such thread."""
    place = finding.get(which)
    return int(re.match(r"[^ ]*?\w+\.cu:(\d+)", place["line"]).group(1)) if place else 0


def is_found(kernel, run):
    """Whether the kind is found with both lines, whichever of them came first in this run."""
    marks = sorted(kernel["marks"].get(mark, 0) for mark in ("one", "two"))
    findings = json.loads(run.stdout)["checks"]
    right = [f for f in findings
             if f["kind"] == kernel["kind"] and sorted((line_of(f, "first"), line_of(f, "second"))) == marks]
    return run.returncode in (1, 3) and len(right) > 0


def test_every_wrong_kernel_is_found_with_its_lines():
    count = 0
    for module in ("races", "wrong"):
        for kernel in kernels(module):
            run = launch(module, kernel, "--check", CHECKS, "--json", "-")
            assert is_found(kernel, run), (kernel, run.stdout[-3000:], run.stderr)
            count += module == "races"
    assert count >= 36, count


def demo_names():
    return [line.split()[0] for line in subcore("demo", "--list").stdout.splitlines() if line.strip()]


def checks_of_demo(name):
    gpu = "b200" if name.startswith("umma") else "h200"
    run = subcore("demo", name, "-g", gpu, "--check", "all", "--json", "-")
    return run, json.loads(run.stdout)["checks"]


def test_nothing_is_found_in_ninety_clean_programs():
    """Kernels for each way of ordering, patterns from real kernels, and the demos."""
    silent = 0
    for module in ("clean", "patterns"):
        for kernel in kernels(module):
            run = launch(module, kernel, "--check", CHECKS, "--json", "-")
            assert run.returncode == 0 and json.loads(run.stdout)["checks"] == [], (kernel, run.stdout, run.stderr)
            silent += 1
    assert silent >= 62, silent
    for name in demo_names():
        if name == "bfs":
            continue
        run, checks = checks_of_demo(name)
        assert run.returncode == 0 and checks == [], (name, checks, run.stderr)
        silent += 1
    assert silent >= 90, silent


def test_the_demo_that_races_is_found():
    """It reads levels that other threads may be setting by an atomic at the same time."""
    run, checks = checks_of_demo("bfs")
    assert run.returncode == 3 and checks, run.stderr
    assert {f["kind"] for f in checks} <= {"RAW", "WAR"}, checks
    assert {line_of(f, "second") for f in checks} <= {16, 17}, checks


def test_exit_status_and_text_name_what_was_found():
    kernel = next(k for k in kernels("races") if k["name"] == "shared_without_barrier")
    run = launch("races", kernel, "--check", "race")
    assert run.returncode == 3, run
    one, two = kernel["marks"]["one"], kernel["marks"]["two"]
    assert re.search(r"RAW shared memory 0x[0-9a-f]+: the second thread reads a value that the first writes, and "
                     r"nothing orders them, \d+ times\n"
                     r"  0x[0-9a-f]{4}  STS \[R\d+\], R\d+  \S*races\.cu:%d  CTA \(0,0,0\), warp [01], "
                     r"lane \d+\n  0x[0-9a-f]{4}  LDS R\d+, \[R\d+\]  \S*races\.cu:%d  CTA \(0,0,0\), warp [01], lane "
                     r"\d+\n" % (one, two), run.stdout), run.stdout
    assert launch("races", kernel, "--check", "race", "--error-exitcode", "9").returncode == 9
    assert launch("races", kernel, "--check", "init,sync,memory").returncode == 0
    assert launch("clean", kernels("clean")[0], "--check", "all", "--error-exitcode", "9").returncode == 0


def test_options_that_do_not_fit_are_refused():
    kernel = kernels("clean")[0]
    for words, text in ((("--check", "races"), "--check races: memory, race, init, sync and leak are expected"),
                        (("--error-exitcode", "4"), "--error-exitcode is for --check"),
                        (("--check", "race", "--pass-outside"), "--pass-outside goes with --check memory, or"),
                        (("--check", "race", "--source"), "executes without time: it does not go with --source"),
                        (("--check", "race", "--error-exitcode", "256"), "at most 255")):
        run = launch("clean", kernel, *words)
        assert run.returncode == 2 and text in run.stderr, (words, run.stderr)


def test_an_access_outside_is_a_fault_or_passes_with_a_finding():
    kernel = {"name": "own_elements", "grid": "20", "block": "64"}
    run = launch("clean", kernel, "--check", "memory", "--json", "-")
    assert run.returncode in (1, 3), run
    (finding,) = json.loads(run.stdout)["checks"]
    assert finding["kind"] == "FAULT" and line_of(finding, "second") == 12, finding
    assert "0 bytes past the end of the allocation" in finding["detail"], finding
    run = launch("clean", kernel, "--check", "memory", "--pass-outside", "--json", "-")
    document = json.loads(run.stdout)
    assert run.returncode == 3 and {f["kind"] for f in document["checks"]} == {"OUTSIDE"}, run
    assert document["kernels"][0]["complete"], document


def test_a_run_with_or_without_time_tells_of_the_first_access_outside_of_each_launch():
    kernel = {"name": "own_elements", "grid": "20", "block": "64"}
    assert launch("clean", kernel).returncode not in (0, 3)
    heard = set()
    for words in ((), ("--threads", "1"), ("--threads", "3"), ("--functional",)):
        run = launch("clean", kernel, "--pass-outside", *words)
        assert run.returncode == 0, (words, run.stderr)
        heard |= {line for line in run.stderr.splitlines() if "own_elements" in line}
    (line,) = heard
    assert re.match(r"subcore: kernel own_elements makes \d+ accesses outside of all allocations, in mapped pages, as "
                    r"hardware allows; the first: pc 0x[0-9a-f]+ \(LDG\.E \S+ \S+; \S*clean\.cu:12\), CTA "
                    r"\(16,0,0\), warp 0, lane 0: 4 bytes at 0x[0-9a-f]+, 0 bytes past the end", line), line
    assert launch("clean", {**kernel, "grid": "2"}, "--pass-outside").stderr.count("makes") == 0


def main():
    tests = [(name, test) for name, test in globals().items() if name.startswith("test_")]
    print(f"1..{len(tests)}")
    failed = 0
    for number, (name, test) in enumerate(tests, 1):
        try:
            test()
            print(f"ok {number} - {name[5:]}", flush=True)
        except AssertionError as error:
            failed += 1
            print(f"not ok {number} - {name[5:]}\n# {str(error)[:4000]}", flush=True)
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
