#!/usr/bin/env python3
"""`--range`: each assumed value at its plausible ends, as --set gives it, and no change where a kernel cannot depend on
a value."""
import json
import os

from harness import ROOT, fails, main, subcore, succeeds

GPUS = {"rtx-a6000": "sm_86", "h100-pcie": "sm_90", "b200": "sm_100"}


def kernel(gpu="rtx-a6000"):
    """A few warps that multiply and add."""
    return ("run", ROOT / f"examples/cubin/saxpy.{GPUS[gpu]}.cubin", "--gpu", gpu, "--kernel", "saxpy", "--grid", "2",
            "--block", "64", "--arg", "f32:2", "--arg", "f32[128]=seed:1", "--arg", "f32[128]=iota", "--arg", "u32:128")


KERNEL = kernel()


def ranges(*words):
    return json.loads(succeeds(*words, "--range", "--quiet", "--json", "-"))["range"]


def cycles(*words):
    return json.loads(succeeds(*words, "--quiet", "--json", "-"))["kernels"][0]["cycles"]["elapsed"]


def name(key):
    return f"{key['section']}.{key['key']}"


def check_gpu(gpu):
    found, base = ranges(*kernel(gpu)), cycles(*kernel(gpu))
    assert found["cycles"] == base and found["gpu"] == gpu
    assumed = json.loads(succeeds("config", gpu, "--assumed", "--json", "-"))["gpus"][0]["assumed"]
    keys = {name(key): key for key in found["keys"]}
    assert sorted(keys) == sorted(name(value) for value in assumed)
    for value in assumed:
        assert [end["value"] for end in keys[name(value)]["ends"]] == value["plausible"]
    ends = [(key, end) for key in found["keys"] for end in key["ends"]]
    assert found["runs"] == len(ends) + 3
    assert found["one"]["least"] == min([base] + [end["cycles"] for _, end in ends])
    assert found["one"]["most"] == max([base] + [end["cycles"] for _, end in ends])
    for key in found["keys"]:
        assert key["effect"] == max([0] + [abs(end["cycles"] - base) for end in key["ends"]])
    effects = [key["effect"] for key in found["keys"]]
    assert effects == sorted(effects, reverse=True) and effects[0] > 0
    return base, ends, found


def test_each_end_takes_the_cycles_that_the_same_assignments_take():
    base, ends, found = check_gpu("rtx-a6000")
    for key, end in [(k, e) for k, e in ends if k["effect"] > 0][:8]:
        sets = [word for item in end["set"] for word in ("--set", item)]
        assert cycles(*KERNEL, *sets) == end["cycles"], (key, end)
        assert abs(end["percent"] - 100 * (end["cycles"] / base - 1)) < 1e-3
    assert found["together"]["least"] <= base <= found["together"]["most"]


def test_a_kernel_does_not_depend_on_what_it_does_not_use():
    for gpu in ["h100-pcie", "b200"] if os.environ.get("SUBCORE_FULL") else ["b200"]:
        base, ends, _ = check_gpu(gpu)
        unused = [(key, end) for key, end in ends if key["section"] in ("tma", "mbarrier", "tmem", "tcgen05", "host") or
                  any(word in key["key"] for word in ("tensor", "wgmma", "atomic", "fence", "cluster", "match"))]
        assert len(unused) > 40
        for key, end in unused:
            assert end["cycles"] == base and key["effect"] == 0, (key, end)


def test_a_value_that_was_set_is_not_varied():
    keys = {name(key) for key in ranges(*KERNEL, "--set", "launch.upload=false")["keys"]}
    assert "launch.upload" not in keys and "launch.cta_latency" in keys


def test_the_text_names_the_values_that_matter():
    text = succeeds(*KERNEL, "--range", "--threads", "2")
    assert "cycles with the values as they are" in text and "one value at an end:" in text
    assert "launch.upload" in text and "copies may go past the L2" in text and "tma." not in text


def test_it_does_not_go_with_what_is_of_one_run(folder):
    fails(2, "--range runs the command many times: it does not go with --html", *KERNEL, "--range", "--html",
          folder / "a.html")
    fails(2, "does not go with --functional", *KERNEL, "--range", "--functional")
    fails(2, "does not go with --gpu A,B", *KERNEL, "--range", "--gpu", "a100,l40")


def test_a_run_that_fails_is_named_with_its_message():
    result = subcore(*KERNEL, "--range", "--kernel", "nobody")
    assert result.returncode == 1
    assert "the run with the values as they are failed: " in result.stderr and "nobody" in result.stderr


main(globals())
