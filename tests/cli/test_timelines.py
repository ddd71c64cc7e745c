#!/usr/bin/env python3
"""Timelines for Perfetto and Konata: the events have the cycles of the report, do not overlap on a track, and change
nothing of the run."""
import collections
import json

from harness import document, fails, main, succeeds, without_host

DEMO = ("demo", "sgemm-tiled")


def events_of(folder, *words):
    path = folder / "t.json"
    succeeds(*words, "--quiet", "--perfetto", path)
    return json.loads(path.read_text())["traceEvents"]


def slices(events, category):
    """(track, begin, end, name, args) of slices, in cycles or nanoseconds."""
    return [(e["tid"], round(e["ts"] * 1000), round((e["ts"] + e["dur"]) * 1000), e["name"], e["args"])
            for e in events if e["ph"] == "X" and e["cat"] == category]


def none_overlap(list_):
    for track in {s[0] for s in list_}:
        own = sorted(s[1:3] for s in list_ if s[0] == track)
        assert all(a[1] <= b[0] for a, b in zip(own, own[1:])), track


def konata(path):
    """The view that a reader for the published format has of a file: for each instruction its stages by lane, with
    cycles."""
    lines = path.read_text().splitlines()
    assert lines[0] == "Kanata\t0004" and lines[1].startswith("C=\t")
    now, found, live = int(lines[1].split("\t")[1]), {}, set()
    for line in lines[2:]:
        kind, *rest = line.split("\t")
        if kind == "C":
            assert int(rest[0]) > 0
            now += int(rest[0])
            continue
        number = int(rest[0])
        if kind == "I":
            assert number not in found
            found[number] = {"slot": int(rest[2]), "stages": [], "stalls": [], "text": ""}
            live.add(number)
            continue
        assert number in live, line
        entry = found[number]
        if kind == "S":
            entry["stages" if rest[1] == "0" else "stalls"].append((now, rest[2]))
        elif kind == "L":
            entry["text"] += rest[2] + ";"
        elif kind == "R":
            entry["end"] = now
            live.remove(number)
        else:
            assert kind == "E", line
    assert not live
    return found


def test_launches_follow_each_other_with_their_cycles(folder):
    kernels = document("demo", "bfs")["kernels"]
    now = 0
    for (_, begin, end, name, args), kernel in zip(slices(events_of(folder, "demo", "bfs"), "kernel"), kernels,
                                                   strict=True):
        assert (begin, end, name) == (now, now + kernel["cycles"]["elapsed"], kernel["kernel"])
        assert args["warp_instructions"] == kernel["warp_instructions"]
        now = end


def test_every_cta_has_its_place_and_the_last_ends_before_the_kernel(folder):
    kernel = document("demo", "nbody")["kernels"][0]
    ctas = slices(events_of(folder, "demo", "nbody"), "cta")
    assert sorted(s[3] for s in ctas) == sorted(f"CTA {n}" for n in range(kernel["launch"]["ctas"]))
    none_overlap(ctas)
    end = kernel["cycles"]["elapsed"]   # when memory has acknowledged the last stores
    assert end - 1500 < max(s[2] for s in ctas) < end
    assert min(s[1] for s in ctas) == kernel["cycles"]["launch"]
    assert len({s[0] // 1000 for s in ctas}) == kernel["cycles"]["sms_used"]


def test_states_of_all_sms_add_up_to_the_stalls_of_the_kernel(folder):
    words = ("demo", "wgmma", "--gpu", "h100-sxm")   # four CTAs on as many SMs
    kernel = document(*words)["kernels"][0]
    found = collections.Counter()
    for sm in range(8):
        states = slices(events_of(folder, *words, "--warps", sm), "warp")
        none_overlap(states)
        for _, begin, end, name, _ in states:
            found[name] += end - begin
        if sum(found.values()) == kernel["counters"]["sm"]["warp_cycles"]:
            break
    assert found == {name: s["warp_cycles"] for name, s in kernel["stalls"].items() if s["warp_cycles"]}


def test_konata_has_each_issue_once_with_stages_in_order(folder):
    path = folder / "k.kanata"
    succeeds(*DEMO, "--quiet", "--kanata", path, "--warps", 3, "--perfetto", folder / "t.json")
    states = slices(json.loads((folder / "t.json").read_text())["traceEvents"], "warp")
    found = konata(path)
    issues = collections.Counter()
    for track, begin, end, name, _ in states:
        if name == "selected":
            issues[track % 100] += end - begin
    assert collections.Counter(e["slot"] for e in found.values()) == issues and len(found) > 1000
    for entry in found.values():
        names = [name for _, name in entry["stages"]]
        cycles = [cycle for cycle, _ in entry["stages"]]
        at = names.index("I")
        assert names.count("I") == 1 and set(names[:at]) <= {"F", "D"} and cycles == sorted(cycles)
        after = names[at + 1:]
        assert after == [] or (len(after) == 2 and after[0].startswith("X") and after[1] == "Wb"), names
        assert entry["end"] > cycles[at] and (not after or cycles[at + 1] == cycles[at] + 1)
    ffma = [e for e in found.values() if " FFMA " in e["text"]]
    cycles = [e["end"] - dict((name, cycle) for cycle, name in e["stages"])["I"] for e in ffma]
    assert len(ffma) > 100 and min(cycles) == 4   # the latency of FFMA


def test_a_window_cuts_and_nothing_of_the_run_changes(folder):
    states = slices(events_of(folder, *DEMO, "--warps", "3:2000-2500"), "warp")
    assert min(s[1] for s in states) >= 2000 and max(s[2] for s in states) <= 2500 and states
    succeeds(*DEMO, "--quiet", "--perfetto", folder / "t.json", "--kanata", folder / "k", "--json", folder / "a.json")
    with_timelines = without_host(json.loads((folder / "a.json").read_text()))
    with_timelines.pop("source", None)
    with_timelines.pop("samples", None)
    assert with_timelines == without_host(document(*DEMO))
    for threads in (1, 3):
        succeeds(*DEMO, "--quiet", "--perfetto", folder / f"{threads}.json", "--warps", 3, "--threads", threads)
    assert (folder / "1.json").read_bytes() == (folder / "3.json").read_bytes()


def test_a_replay_has_its_launches_on_their_streams(folder):
    succeeds("record", "demo", "bfs", "-o", folder / "bfs.trace", "--quiet")
    words = ("replay", folder / "bfs.trace", "--gpu", "rtx-a6000")
    launches = document(*words)["launches"]
    found = slices(events_of(folder, *words), "kernel")
    assert [s[3] for s in found] == [launch["name"] for launch in launches]
    assert all(abs(s[1] - launch["begin_ns"]) <= 1 and abs(s[2] - launch["end_ns"]) <= 1
               for s, launch in zip(found, launches))


def test_mistakes_are_named(folder):
    fails(2, "--warps is for --perfetto and --kanata", *DEMO, "--warps", "3")
    fails(2, "'3:5-5' is not SM or SM:FROM-TO", *DEMO, "--warps", "3:5-5", "--kanata", folder / "k")
    fails(2, "'x' is not SM", *DEMO, "--warps", "x", "--kanata", folder / "k")
    fails(2, "no instruction issues", *DEMO, "--quiet", "--warps", "83:90-91", "--kanata", folder / "k")
    fails(2, "do not go with --all", "demo", "--all", "--perfetto", folder / "t")
    assert not (folder / "k").exists()


main(globals())
