#!/usr/bin/env python3
"""`subcore replay` of traces with several CUDA streams; `test_streams.py WORD...` runs only the tests whose names hold
a word."""
import csv
import json

from harness import main, subcore, succeeds
from traceg import head


def write_kernel(folder, number, stream, ctas, turns):
    text = head(number, ctas, threads=32, stream=stream)
    for cta in range(ctas):
        lines = ["0000 ffffffff 1 R8 FFMA 3 R9 R9 R8 0 0", "0010 ffffffff 0 BRA 0 0 0"] * turns
        lines.append("0020 ffffffff 0 EXIT 0 0 0")
        text += f"#BEGIN_TB\n\nthread block = {cta},0,0\n\nwarp = 0\ninsts = {len(lines)}\n" + "\n".join(lines)
        text += "\n\n#END_TB\n\n"
    (folder / f"kernel-{number}.traceg").write_text(text)


def write_list(folder, kernels):
    """Of (stream, CTAs, turns); the path of a trace list for Accel-Sim."""
    folder.mkdir()
    for number, (stream, ctas, turns) in enumerate(kernels, 1):
        write_kernel(folder, number, stream, ctas, turns)
    (folder / "kernelslist.g").write_text("".join(f"kernel-{n}.traceg\n" for n in range(1, len(kernels) + 1)))
    return folder / "kernelslist.g"


def document(trace, *words, error=""):
    """Of a replay on the A100; standard error holds `error`, or is empty."""
    result = subcore("replay", trace, "--gpu", "a100", "--json", "-", "--quiet", *words)
    assert result.returncode == 0, (words, result)
    assert error in result.stderr if error else not result.stderr, (words, result)
    return json.loads(result.stdout)


def cycles(one):
    return [kernel["cycles"]["elapsed"] for kernel in one["kernels"]]


TWO = [(1, 4, 800), (2, 4, 600)]


def test_two_streams_of_a_list_for_accelsim_overlap(folder):
    one = document(write_list(folder / "two", TWO))
    both = cycles(one)
    assert one["overlaps"] == [{"first_launch": 0, "launches": 2, "cycles": max(both), "cycles_apart": sum(both)}], one
    beside = {"kernels": 1, "begin_cycle": 0, "queued_cycles": 0}
    assert [kernel["overlap"] for kernel in one["kernels"]] == [beside, beside]
    assert [launch["begin_ns"] for launch in one["launches"]] == [0, 0]
    assert [launch["stream"] for launch in one["launches"]] == [1, 2]
    alone = document(folder / "two/kernel-1.traceg")
    assert alone["overlaps"] == [] and "overlap" not in alone["kernels"][0]
    assert abs(cycles(alone)[0] - both[0]) < 0.01 * both[0]  # another kernel's code comes from the same L2


def test_serial_streams_are_the_kernels_one_by_one(folder):
    trace = write_list(folder / "two", TWO)
    one = document(trace, "--serial-streams")
    assert one["overlaps"] == [] and all("overlap" not in kernel for kernel in one["kernels"])
    assert cycles(one) == [cycles(document(folder / f"two/kernel-{n}.traceg"))[0] for n in (1, 2)]
    assert one["launches"][1]["begin_ns"] == one["launches"][0]["end_ns"]


def test_one_stream_is_the_same_in_either_way(folder):
    for number, streams in enumerate([(7, 7, 7), (0, 0, 0), (1, 0, 2)]):
        trace = write_list(folder / str(number), [(stream, 3, 50) for stream in streams])
        one, two = document(trace), document(trace, "--serial-streams")
        for kernel in one["kernels"] + two["kernels"]:
            del kernel["host"]
        assert one == two


def test_launches_are_told_in_the_order_of_the_list(folder):
    trace = write_list(folder / "list", [(1, 1, 900), (2, 1, 100), (2, 1, 100), (1, 1, 10)])
    one = document(trace)
    assert [launch["name"] for launch in one["launches"]] == [f"kernel_{n}" for n in range(1, 5)]
    assert [launch["launch"] for launch in one["launches"]] == [0, 1, 2, 3]
    begin = [launch["begin_ns"] for launch in one["launches"]]
    end = [launch["end_ns"] for launch in one["launches"]]
    assert begin[2] == end[1] < end[0] and begin[3] == end[0], one["launches"]
    assert one["overlaps"][0]["launches"] == 3 and one["overlaps"][0]["cycles"] == cycles(one)[0], one["overlaps"]


def test_text_and_table_say_what_overlapped(folder):
    trace = write_list(folder / "two", TWO)
    text = succeeds("replay", trace, "--gpu", "a100", "--report", folder / "report", "--quiet")
    assert text == ""
    rows = list(csv.DictReader((folder / "report/launches.csv").open()))
    assert [row["overlapped"] for row in rows] == ["1", "1"]
    text = (folder / "report/report.txt").read_text()
    assert "Overlap: 2 launches from number 0 on took" in text and "OVERLAPPED by 1 of other streams" in text, text


def test_what_looks_at_one_kernel_at_a_time_says_so(folder):
    trace = write_list(folder / "two", TWO)
    said = "kernels of different streams follow each other"
    for words in (["--until-stable-ipc", "1"], ["--save", folder / "run.save"]):
        assert document(trace, *words, error=said)["overlaps"] == []
        assert document(trace, *words, "--serial-streams")["overlaps"] == []
    same = write_list(folder / "same", [(1, 1, 20), (1, 1, 20), (0, 1, 20)])
    document(same, "--until-stable-ipc", "1")


def test_damage_in_one_stream_leaves_the_other_whole(folder):
    trace = write_list(folder / "two", TWO + [(1, 1, 20)])
    (folder / "two/kernel-2.traceg").write_text("not a kernel\n")
    one = document(trace, "--keep-going", error="kernel-2")
    assert [launch["name"] for launch in one["launches"]] == ["kernel_1", "kernel_3"]


main(globals())
