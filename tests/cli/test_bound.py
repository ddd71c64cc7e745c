#!/usr/bin/env python3
"""`--bound`: the worst of some runs, each as --set gives it; and the two keys that it needs, run.co_load and
launch.cta_order."""
from harness import ROOT, document, fails, main, succeeds, without_host

KERNEL = ("run", ROOT / "examples/cubin/saxpy.sm_86.cubin", "--kernel", "saxpy", "--grid", "300", "--block", "256",
          "--arg", "f32:2", "--arg", "f32[76800]=seed:1", "--arg", "f32[76800]=iota", "--arg", "u32:76800")
COLD = ["launch.upload=false", "launch.preload=false", "l2.keep=false", "icache.keep=false", "tlb.keep=false"]


def sets(*assignments):
    return [word for assignment in assignments for word in ("--set", assignment)]


def run(*words):
    found = document(*KERNEL, *words)
    return found["kernels"][0]["cycles"]["elapsed"], found["memory_digest"]


def test_the_bound_is_the_worst_of_its_runs_and_each_is_as_set_gives_it():
    bound = document(*KERNEL, "--bound")["bound"]
    cycles = [one["cycles"] for one in bound["runs"]]
    assert bound["cycles"] == cycles[0] and bound["worst"] == max(cycles) > 1.5 * cycles[0]
    assert cycles == [run(*sets(*one["set"]))[0] for one in bound["runs"]]
    assert bound["runs"][1]["set"] == COLD and len(bound["runs"]) == 5
    assert "does not cover" in bound["covers"]
    text = succeeds(*KERNEL, "--bound", "--threads", "2")
    assert f"{max(cycles):,} cycles at most" in text and bound["covers"] in text


def test_cold_caches_have_nothing_that_a_launch_reads_ahead():
    runs = document("demo", "saxpy", "--gpu", "h100-pcie", "--bound")["bound"]["runs"]
    assert runs[1]["cycles"] > 1.05 * runs[0]["cycles"], runs


def test_it_does_not_go_with_what_is_of_one_run():
    fails(2, "--bound runs the command many times: it does not go with --functional", *KERNEL, "--bound",
          "--functional")
    fails(2, "--bound and --range: not both", *KERNEL, "--bound", "--range")


def test_co_runners_slow_a_kernel_down_by_their_load_and_change_no_result():
    alone = run()
    before = alone[0]
    for load in ("0.25", "0.6", "1"):
        cycles, digest = run(*sets(f"run.co_load={load}"))
        assert cycles > before and digest == alone[1], (load, cycles)
        before = cycles


def test_co_runners_are_the_same_for_all_threads_and_without_skipping():
    loaded = sets("run.co_load=0.3")
    expected = run(*loaded, "--threads", "1")
    assert run(*loaded, "--threads", "3") == expected
    assert run(*loaded, "--set", "run.skip_idle=false") == expected


def test_a_kernel_that_does_not_read_hardly_meets_them():
    alone, beside = (document("demo", "flops", *sets("run.co_load=" + load))["kernels"][0]["cycles"]["elapsed"]
                     for load in ("0", "1"))
    assert beside < 1.2 * alone, (alone, beside)


def test_every_order_of_ctas_gives_the_result_of_the_grid():
    expected = run()
    for order in ("reversed", "scattered"):
        cycles, digest = run(*sets(f"launch.cta_order={order}"))
        assert digest == expected[1] and cycles != expected[0], order
        succeeds("demo", "cluster-sum", "--gpu", "h100-sxm", "--quiet", *sets(f"launch.cta_order={order}"))
        succeeds("demo", "reduce-shared", "--quiet", *sets(f"launch.cta_order={order}"))


def test_a_saved_run_goes_on_with_the_same_co_runners_and_the_same_order(folder):
    kernel = (*KERNEL[:5], "1500", *KERNEL[6:8], "--arg", "f32:2", "--arg", "f32[384000]=seed:1", "--arg",
              "f32[384000]=iota", "--arg", "u32:384000")   # several CTAs behind each other on every SM
    for words in (["run.co_load=0.3"], ["run.co_load=1"], ["launch.cta_order=reversed"],
                  ["launch.cta_order=scattered"], ["run.co_load=0.5", "launch.cta_order=scattered"]):
        whole = without_host(document(*kernel, *sets(*words)))
        cycles = whole["kernels"][0]["cycles"]["elapsed"]
        for part in (0.5, 0.9):
            save = folder / "run.save"
            succeeds(*kernel, *sets(*words), "--quiet", "--save", f"{save}:{int(part * cycles)}")
            resumed = (*kernel, *sets(*words), "--resume", save)
            assert without_host(document(*resumed)) == whole, (words, part)
            fails(2, "another configuration", *kernel, *sets("run.co_load=0.7"), "--quiet", "--resume", save)
    assert without_host(document(*resumed, "--threads", "3")) == whole


def test_a_saved_replay_keeps_its_co_runners(folder):
    succeeds("record", "demo", "saxpy", "-o", folder / "a.trace", "--quiet")
    words = ("replay", folder / "a.trace", *sets("run.co_load=0.4", "launch.cta_order=reversed"))
    whole = without_host(document(*words))
    succeeds(*words, "--quiet", "--save", f"{folder}/a.save:4000")
    assert without_host(document(*words, "--resume", folder / "a.save")) == whole


def test_a_part_of_a_grid_in_another_order_is_refused():
    fails(2, "only in grid order", *KERNEL, "--ctas", "5", "--quiet", *sets("launch.cta_order=reversed"))


main(globals())
