#!/usr/bin/env python3
"""`--fidelity`: one switch for all commands that time launches, and the report of a launch that is sampled inside."""
from harness import ROOT, document, fails, main, succeeds

SMALL = [word for setting in ("gpu.sms=2", "l2.size=196608", "l2.slices=6", "dram.channels=2", "dram.bandwidth=64")
         for word in ("--set", setting)]
CTAS = 2600
ELEMENTS = 256 * CTAS
FEW = 250  # CTAs in fewer waves than a hybrid launch with gaps has


def vecadd(ctas):
    n = 256 * ctas
    return ["run", ROOT / "examples" / "cubin" / "vecadd.sm_86.cubin", "--grid", ctas, "--block", 256,
            "--arg", f"f32[{n}]=iota", "--arg", f"f32[{n}]=1", "--arg", f"f32[{n}]=zero", "--arg", f"u32:{n}", *SMALL]


KERNEL = vecadd(CTAS)


def test_a_sampled_run_states_an_interval_that_holds_the_detailed_cycles(folder):
    whole, some = document(*KERNEL), document(*KERNEL, "--fidelity", "sampled")
    truth, kernel = whole["kernels"][0]["cycles"]["elapsed"], some["kernels"][0]
    stopped = kernel["stopped"]
    assert stopped["by"] == "sampled" and stopped["rest_executed"] and stopped["confidence"] == 0.95
    assert abs(stopped["estimated_cycles"] - truth) <= stopped["half_width_cycles"] < 0.06 * truth, (stopped, truth)
    assert kernel["warp_instructions"] + stopped["rest_instructions"] == whole["kernels"][0]["warp_instructions"]
    assert some["memory_digest"] == whole["memory_digest"]


def test_text_says_what_was_timed(folder):
    text = succeeds(*KERNEL, "--fidelity", "sampled").splitlines()
    assert text[2].startswith("SAMPLED: ") and f"of {CTAS:,} CTAs were timed" in text[2], text[:4]
    assert text[3].startswith("ESTIMATE: ~") and "% (95 %) for the whole kernel" in text[3], text[:4]
    assert not any("STOPPED" in line for line in text)


def test_a_smaller_error_has_more_ctas_timed(folder):
    few, many = (document(*KERNEL, "--fidelity", "sampled", "--error", error)["kernels"][0]["warp_instructions"]
                 for error in ("20", "1"))
    assert few < many, (few, many)


def test_a_replay_samples_inside_launches_and_needs_no_values(folder):
    succeeds("record", *KERNEL[1:], "-o", folder / "trace", "--quiet")
    whole, some = (document("replay", folder / "trace", *SMALL, *words) for words in ([], ["--fidelity", "sampled"]))
    truth, stopped = whole["kernels"][0]["cycles"]["elapsed"], some["kernels"][0]["stopped"]
    assert stopped["by"] == "sampled" and not stopped["rest_executed"]
    assert abs(stopped["estimated_cycles"] - truth) <= stopped["half_width_cycles"] < 0.06 * truth, (stopped, truth)
    sampled = some["sampled"]
    assert sampled["cycles"] == stopped["estimated_cycles"], (sampled, stopped)
    assert abs(sampled["cycles"] - truth) <= sampled["half_width_cycles"], (sampled, truth)


def hybrid_of(*words):
    """The kernel's object of a hybrid run, and what its reuse distances say."""
    kernel = document(*words, "--fidelity", "hybrid")["kernels"][0]
    return kernel, kernel["stopped"]["hybrid"]


def check_sectors(hybrid, ctas, share):
    """Checks that each sector is counted once, within a share."""
    sectors = 2 * 256 * ctas * 4 // 32  # that loads read
    for name in ("l1_load_sectors", "l2_load_sectors", "memory_read_sectors"):
        assert abs(hybrid[name] - sectors) <= share * sectors, (name, hybrid)
    assert hybrid["l1_load_hit_sectors"] == hybrid["l2_load_hit_sectors"] == 0, hybrid
    assert abs(hybrid["l2_sectors"] - sectors * 3 // 2) <= share * sectors and hybrid["l2_hit_sectors"] == 0, hybrid
    lines = 196608 // 128  # of the L2: what they hold has not been written
    assert 0 <= sectors // 2 - hybrid["memory_write_sectors"] < 4 * lines + share * sectors, hybrid


def test_a_hybrid_run_times_one_sm_and_is_within_a_fifth_of_the_detailed_cycles(folder):
    kernel, hybrid = hybrid_of(*vecadd(FEW))
    whole = document(*vecadd(FEW))["kernels"][0]
    stopped, truth = kernel["stopped"], whole["cycles"]["elapsed"]
    assert stopped["by"] == "hybrid" and stopped["rest_executed"] and hybrid["sms"] == 2 and hybrid["seen"] == 1
    assert abs(stopped["estimated_cycles"] / truth - 1) < 0.2, (stopped, truth)
    assert kernel["warp_instructions"] + stopped["rest_instructions"] == whole["warp_instructions"]
    assert 0.4 < kernel["warp_instructions"] / whole["warp_instructions"] < 0.6  # one of two SMs
    check_sectors(hybrid, FEW, 0)


def test_a_long_hybrid_launch_has_gaps_and_is_within_a_fifth_of_the_detailed_cycles(folder):
    kernel, hybrid = hybrid_of(*KERNEL)
    whole = document(*KERNEL)["kernels"][0]
    stopped, truth = kernel["stopped"], whole["cycles"]["elapsed"]
    assert stopped["rest_executed"] and hybrid["seen"] < 0.3, (stopped, hybrid)
    assert abs(stopped["estimated_cycles"] / truth - 1) < 0.2, (stopped, truth)
    assert kernel["warp_instructions"] + stopped["rest_instructions"] == whole["warp_instructions"]
    assert kernel["warp_instructions"] / whole["warp_instructions"] < 0.15
    check_sectors(hybrid, CTAS, 0.02)


def test_the_papers_formulas_see_all_of_a_launch_and_add_its_overhead(folder):
    kernel, hybrid = hybrid_of(*KERNEL, "--set", "run.hybrid_formulas=paper")
    stopped, slots = kernel["stopped"], kernel["occupancy"]["ctas_per_sm"]
    assert hybrid["formulas"] == "paper" and hybrid["seen"] == 1, hybrid
    assert hybrid["l2_cycles"] == hybrid["memory_cycles"] == hybrid["atomic_cycles"] == 0, hybrid
    rounds = (stopped["estimated_cycles"] - hybrid["sm_cycles"] - 3500) / 700
    assert CTAS / 2 <= rounds * slots <= CTAS / 2 + slots, (stopped, hybrid, slots)
    assert hybrid["l1_load_hit_sectors"] == 0 and hybrid["l2_hit_sectors"] == 0, hybrid


def test_a_hybrid_run_leaves_memory_as_a_detailed_one_and_is_the_same_for_any_threads(folder):
    one, four = (document(*KERNEL, "--fidelity", "hybrid", "--threads", threads) for threads in (1, 4))
    assert one["memory_digest"] == four["memory_digest"] == document(*KERNEL)["memory_digest"]
    assert one["kernels"][0]["stopped"] == four["kernels"][0]["stopped"]
    assert one["kernels"][0]["cycles"] == four["kernels"][0]["cycles"]


def test_a_replay_is_hybrid_without_values_and_close_to_the_run(folder):
    succeeds("record", *KERNEL[1:], "-o", folder / "hybrid", "--quiet")
    run, executed = hybrid_of(*KERNEL)
    replay, replayed = hybrid_of("replay", folder / "hybrid", *SMALL)
    assert not replay["stopped"]["rest_executed"]
    assert abs(replay["stopped"]["estimated_cycles"] / run["stopped"]["estimated_cycles"] - 1) < 0.02
    for name in ("l1_load_sectors", "l2_load_sectors", "l2_sectors", "memory_read_sectors"):
        assert abs(replayed[name] - executed[name]) <= 0.01 * executed[name], name


def test_text_says_which_sm_was_timed_and_what_bounds_the_launch(folder):
    text = succeeds(*KERNEL, "--fidelity", "hybrid").splitlines()
    assert text[2].startswith("HYBRID: ") and f"of {CTAS:,} CTAs were timed, on one of 2 SMs" in text[2], text[:6]
    assert text[3] == "L1 hits 0.00 %, L2 hits 0.00 %", text[:6]
    assert text[4].startswith("ESTIMATE: ~") and "bound by" in text[4], text[:6]


def test_a_launch_with_tickets_is_hybrid_and_right(folder):
    whole, hybrid = (document("demo", "bfs", "--fidelity", fidelity) for fidelity in ("detailed", "hybrid"))
    parts = [kernel for kernel in hybrid["kernels"] if "stopped" in kernel]
    assert hybrid["check"]["ok"] and parts, hybrid["kernels"]
    for one, all_of_it in zip(hybrid["kernels"], whole["kernels"], strict=True):
        assert one["kernel"] == all_of_it["kernel"] and one["module"] == all_of_it["module"]
        if one in parts:
            assert one["stopped"]["by"] == "hybrid" and one["stopped"]["rest_executed"], one["stopped"]
            assert one["warp_instructions"] < all_of_it["warp_instructions"]
        else:  # a grid of one CTA
            assert one["cycles"] == all_of_it["cycles"]


def test_a_demo_is_right_at_every_fidelity(folder):
    for fidelity in ("detailed", "sampled", "hybrid", "functional"):
        demo = document("demo", "saxpy", "--fidelity", fidelity)
        assert demo["check"]["ok"] and demo["kernels"][0]["detailed"] == (fidelity != "functional"), demo


def test_validate_takes_every_fidelity(folder):
    rows = {}
    for fidelity in ("detailed", "sampled", "functional"):
        text = succeeds("validate", "stream", "--size", "small", "--fidelity", fidelity)
        rows[fidelity] = [line.split() for line in text.splitlines() if line.startswith("stream ")]
        assert rows[fidelity], text
    for whole, some in zip(rows["detailed"], rows["sampled"], strict=True):  # short launches are timed whole
        assert whole[:6] == some[:6] or some[5].startswith("~"), (whole, some)


def test_a_study_compares_estimates(folder):
    whole, some = (document("study", "register-file", "saxpy", "--fidelity", fidelity)
                   for fidelity in ("detailed", "sampled"))
    assert whole["kernels"] == some["kernels"]  # its launch is short


def test_what_a_command_does_not_have_is_refused_by_name(folder):
    study = ["study", "register-file"]
    for command in (["run", KERNEL[1], "--grid", "1", "--block", "32"], ["demo"], ["validate"], study):
        fails(2, "detailed, sampled, hybrid or functional is expected", *command, "--fidelity", "fine")
        fails(2, "--error is the error of --fidelity sampled", *command, "--error", "3")
    fails(2, "study does not have --fidelity functional: a study compares cycles", *study, "--fidelity", "functional")
    table = folder / "table.csv"
    table.write_text("set,gpu,cubin,kernel,grid,block,cycles\n", encoding="utf-8")
    published = ["validate", "published", table, "--cubins", folder]
    for fidelity in ("sampled", "hybrid"):
        fails(2, "--waves and --fidelity, which both choose", *published, "--waves", "3", "--fidelity", fidelity)
        fails(2, "--part and --fidelity: the whole GPU", *published, "--part", "3", "--fidelity", fidelity)
    fails(2, "--functional: cycles are compared", *published, "--fidelity", "functional")
    for words in (["--source"], ["--sample", "100"], ["--until-cycles", "9"], ["--ctas", "1"], ["--save", "s"]):
        for fidelity in ("sampled", "hybrid"):
            fails(2, f"--fidelity {fidelity} does not go with {words[0]}", *KERNEL, "--fidelity", fidelity, *words)


main(globals())
