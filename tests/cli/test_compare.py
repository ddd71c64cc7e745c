#!/usr/bin/env python3
"""`subcore compare`, and --gpu with several names: sums are those of the documents, and the exit status that of the
threshold."""
import json
import re

from harness import fails, main, subcore, succeeds

DEMO = ("demo", "sgemm-tiled")


def run(path, *words):
    succeeds(*words, "--quiet", "--json", path)
    return json.loads(path.read_text())


def compared(*words):
    return json.loads(succeeds("compare", *words, "--json", "-", "--quiet"))["comparisons"]


def events(document):
    return {(name, event): cycles for kernel in document["kernels"] for name, part in kernel["schedulers"].items()
            for event, cycles in part["events"].items()}


def test_a_comparison_has_the_sums_of_both_documents(folder):
    a = run(folder / "a.json", *DEMO)
    b = run(folder / "b.json", *DEMO, "--set", "core.rfc=false", "--set", "l2.size=3MiB")
    found = compared(folder / "a.json", folder / "b.json")[0]
    before, after = a["kernels"][0], b["kernels"][0]
    assert (found["cycles_before"], found["cycles_after"]) == (before["cycles"]["elapsed"], after["cycles"]["elapsed"])
    assert abs(found["percent"] - 100 * (after["cycles"]["elapsed"] / before["cycles"]["elapsed"] - 1)) < 1e-6
    assert found["ns_after"] == after["metrics"]["gpu__time_duration.sum"]
    assert not found["same_configuration"] and found["missing"] == 0
    assert {(c["class"], c["event"]): (c["before"], c["after"]) for c in found["causes"]} == \
        {key: (cycles, events(b)[key]) for key, cycles in events(a).items() if cycles != events(b)[key]}
    changes = [abs(c["after"] - c["before"]) for c in found["causes"]]
    assert changes == sorted(changes, reverse=True)
    counts = {c["name"]: (c["before"], c["after"]) for c in found["counts"]}
    assert counts["instructions"] == (before["warp_instructions"], after["warp_instructions"])
    assert counts["dram_read"] == tuple(k["counters"]["mem"]["dram_bytes_read"] for k in (before, after))
    text = succeeds("compare", folder / "a.json", folder / "b.json")
    assert f"{before['cycles']['elapsed']:,}" in text and f"{found['percent']:+.2f} %" in text


def test_launches_of_a_kernel_are_summed_and_kernels_that_only_one_has_are_missing(folder):
    bfs = run(folder / "bfs.json", "demo", "bfs")
    total = sum(kernel["cycles"]["elapsed"] for kernel in bfs["kernels"])
    same = compared(folder / "bfs.json", folder / "bfs.json")[0]
    assert same["cycles_before"] == same["cycles_after"] == total and same["launches_before"] == 9
    assert same["causes"] == [] and same["same_configuration"] and same["percent"] == 0
    scan = run(folder / "scan.json", "demo", "scan")
    scan["kernels"].append(bfs["kernels"][0])
    (folder / "both.json").write_text(json.dumps(scan))
    found = compared(folder / "bfs.json", folder / "both.json")[0]
    names = {kernel["kernel"] for kernel in scan["kernels"]}
    assert found["missing"] == len(names) - 1 and found["launches_after"] == 1
    assert found["cycles_before"] == total


def test_single_kernels_of_other_names_stand_for_each_other(folder):
    run(folder / "a.json", "demo", "transpose-naive")
    run(folder / "b.json", "demo", "transpose-padded")
    found = compared(folder / "a.json", folder / "b.json")[0]
    assert found["missing"] == 0 and len(found["compared"]) == 1


def test_the_exit_status_is_that_of_the_threshold(folder):
    a = run(folder / "a.json", *DEMO)
    b = json.loads(json.dumps(a))
    b["kernels"][0]["cycles"]["elapsed"] = 2 * a["kernels"][0]["cycles"]["elapsed"]
    (folder / "b.json").write_text(json.dumps(b))
    words = ("compare", folder / "a.json", folder / "b.json", "--quiet", "--threshold")
    assert subcore(*words, "100").returncode == 0
    fails(1, "b.json: 100.00 % more cycles, above the 99.9 % of --threshold", *words, "99.9")
    assert subcore("compare", folder / "b.json", folder / "a.json", "--quiet", "--threshold", "0").returncode == 0
    b["kernels"][0]["kernel"] = "another"
    b["kernels"].append(a["kernels"][0])
    (folder / "b.json").write_text(json.dumps(b))
    fails(1, "1 kernels are in one of the runs only", *words, "1")


def test_several_gpus_are_compared_with_the_first(folder):
    succeeds("demo", "saxpy", "--gpu", "rtx-a6000,a100", "--quiet", "--json", folder / "c.json", "--html",
             folder / "page.html")
    found = json.loads((folder / "c.json").read_text())["comparisons"]
    a, b = (run(folder / "x.json", "demo", "saxpy", "--gpu", gpu)["kernels"][0] for gpu in ("rtx-a6000", "a100"))
    assert [(c["before"], c["after"], c["cycles_before"], c["cycles_after"]) for c in found] == \
        [("rtx-a6000", "a100", a["cycles"]["elapsed"], b["cycles"]["elapsed"])]
    assert '"name":"a100"' in (folder / "page.html").read_text().replace(" ", "").replace("\n", "")


def test_other_commands_take_several_gpus_in_turn():
    gpus = ("a100", "h200")
    for words in (["area"], ["experiment", "listing-1"], ["study", "prefetcher", "saxpy"],
                  ["measure", "latency", "--quick"]):
        each = [subcore(*words, "--gpu", gpu).stdout for gpu in gpus]
        both = subcore(*words, "--gpu", "a100,h200")
        assert both.returncode == 0, both.stderr
        assert both.stdout == "".join(f"---- {gpu} ----\n\n{text}\n" for gpu, text in zip(gpus, each)), words


def test_a_result_out_of_tolerance_names_its_gpu_and_the_others_have_their_turn():
    words = ("experiment", "listing-1", "--set", "core.read_window=2", "--gpu")
    assert subcore(*words, "a100").returncode == 1 and subcore(*words, "h200").returncode == 0
    both = subcore(*words, "a100,h200,a100")
    assert both.returncode == 1 and both.stdout.count("----\n\n") == 3, both
    assert re.fullmatch(r"subcore: a100: \d+ rows? .*; a100: \d+ rows? .*\n", both.stderr), both.stderr
    fails(2, "no GPU named 'nope'", "area", "--gpu", "nope,a100")


def test_mistakes_are_named(folder):
    fails(2, "--json is of one GPU", "measure", "chase", "--gpu", "a100,t4", "--json", folder / "x")
    fails(2, "--beside is of one GPU", "measure", "chase", "--gpu", "a100,t4", "--beside", "h200")
    run(folder / "a.json", "demo", "saxpy")
    run(folder / "f.json", "demo", "saxpy", "--functional")
    fails(2, "compare needs A B", "compare", folder / "a.json")
    fails(2, "have no kernel in common that was timed", "compare", folder / "a.json", folder / "f.json")
    fails(2, "'x' is no number of percent", "compare", folder / "a.json", folder / "a.json", "--threshold", "x")
    fails(2, "--functional is of one GPU", "demo", "saxpy", "--gpu", "a100,t4", "--functional")
    fails(2, "expected up to 32 names", "demo", "saxpy", "--gpu", "a100,")
    fails(2, "no GPU named 'nope'", "demo", "saxpy", "--gpu", "a100,nope")


main(globals())
