#!/usr/bin/env python3
"""`run --repeat`: launches that find the caches of the launch before."""
import json

from harness import ROOT, document, fails, main, succeeds

KERNEL = ("run", ROOT / "examples/cubin/saxpy.sm_86.cubin", "--kernel", "saxpy", "--grid", "100", "--block", "256",
          "--arg", "f32:2", "--arg", "f32[25600]=seed:1", "--arg", "f32[25600]=iota", "--arg", "u32:25600")
COLD = ("--set", "l2.keep=false", "--set", "icache.keep=false", "--set", "tlb.keep=false")


def cycles(*words):
    return [kernel["cycles"]["elapsed"] for kernel in document(*KERNEL, *words)["kernels"]]


def counters(*words):
    return [kernel["counters"]["mem"] for kernel in document(*KERNEL, *words)["kernels"]]


def test_the_first_launch_is_that_of_a_run_and_later_ones_are_warm():
    once = cycles()
    repeated = cycles("--repeat", "4")
    assert len(repeated) == 4 and repeated[0] == once[0]
    assert repeated[1] < 0.8 * once[0] and repeated[2] == repeated[3] <= repeated[1], repeated
    assert cycles("--repeat", "4") == repeated and cycles("--repeat", "4", "--threads", "1") == repeated


def test_what_a_launch_has_read_is_not_read_from_dram_again():
    first, second = counters("--repeat", "2")
    assert first["dram_bytes_read"] >= 2 * 4 * 25600 and second["dram_bytes_read"] == 0
    assert first["tlb_l2_misses"] > 0 and second["tlb_l2_misses"] == 0


def test_each_kind_of_state_stays_by_its_own_key():
    cold = cycles("--repeat", "2", *COLD)
    assert cold[0] == cold[1] == cycles()[0]
    kept, before = [], cold[1]
    for key in ("l2.keep", "icache.keep", "tlb.keep"):
        kept += ["--set", f"{key}=true"]
        first, second = cycles("--repeat", "2", *COLD, *kept)
        assert first == cold[0] and second < before, key
        before = second
    assert before == cycles("--repeat", "2")[1]


def test_the_kernel_runs_each_time(folder):
    out = folder / "y.bin"
    words = [f"f32[25600]=1>{out}" if word == "f32[25600]=iota" else word for word in KERNEL]
    succeeds(*words, "--repeat", "3", "--quiet")
    once = folder / "once.bin"
    succeeds(*[f"f32[25600]=1>{once}" if word == "f32[25600]=iota" else word for word in KERNEL], "--quiet")
    assert out.read_bytes() != once.read_bytes() and out.stat().st_size == once.stat().st_size


def test_text_page_and_comparison_have_all_launches(folder):
    text = succeeds(*KERNEL, "--repeat", "3", "--html", folder / "page.html", "--json", folder / "run.json")
    assert "\n    2  saxpy " in text and "\n    3  saxpy " not in text and "The last launch:" in text
    found = json.loads(succeeds("compare", folder / "run.json", folder / "run.json", "--json", "-", "--quiet"))
    assert found["comparisons"][0]["launches_after"] == 3
    assert (folder / "page.html").stat().st_size > 10000


def test_limits_hold_over_all_launches():
    assert len(cycles("--repeat", "5", "--until-cycles", "9000")) < 5
    fails(2, "--repeat 20000: at most 10000", *KERNEL, "--repeat", "20000")


main(globals())
