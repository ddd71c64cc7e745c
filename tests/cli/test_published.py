#!/usr/bin/env python3
"""subcore validate published: tables of kernels that others measured, here with the simulator's own numbers in the
place of measured ones. `test_published.py WORD...` runs only the tests whose names hold a word."""
import csv
import io
import os
import signal
import subprocess

from harness import ROOT, SUBCORE, document, fails, main, subcore, succeeds, without_host

CUBINS = ROOT / "examples/cubin"
ARGUMENTS = "f32:2 f32[1048576]=iota f32[1048576]=1 u32:1048576"
LONG = {"set": "s", "gpu": "rtx-a6000", "cubin": "saxpy.sm_86.cubin", "kernel": "saxpy", "grid": "4096",
        "block": "256", "arguments": ARGUMENTS, "cycles": "1000"}
SHORT = LONG | {"grid": "8 1 1", "block": "256 1 1"}
COUNTERS = ("smsp__inst_executed.sum", "sm__warps_active.avg.pct_of_peak_sustained_active",
            "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "lts__t_sectors_op_read.sum", "dram__sectors_read.sum",
            "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio")
PART = ("--set", "gpu.sms=2", "--set", "gpu.gpcs=2")


def table(folder, *rows, columns=None):
    """A table of these rows; columns that one of them lacks are empty there."""
    names = columns or list(dict.fromkeys(name for row in rows for name in row))
    path = folder / "table.csv"
    with open(path, "w", encoding="utf-8", newline="") as out:
        writer = csv.DictWriter(out, names, restval="")
        writer.writeheader()
        writer.writerows(rows)
    return path


def validate(path, *words):
    return document("validate", "published", path, "--cubins", CUBINS, *words)


def run(row, *words):
    arguments = [word for spec in row["arguments"].split() for word in ("--arg", spec)]
    return document("run", CUBINS / row["cubin"], "--gpu", row["gpu"], "--grid", row["grid"].replace(" ", ","),
                    "--block", row["block"].replace(" ", ","), *arguments, *words)["kernels"][0]


def test_a_row_runs_at_its_clock_unless_another_is_set(folder):
    row = {name: value for name, value in SHORT.items() if name != "cycles"} | {"time_us": "2", "clock_mhz": "900"}
    path = table(folder, row)
    for words, clock in (((), "900"), (("--set", "gpu.clock=1200"), "1200")):
        cycles = run(SHORT, "--set", f"gpu.clock={clock}")["metrics"]["gpc__cycles_elapsed.max"]
        assert validate(path, *words)["rows"][0]["predicted"] == cycles, clock
    assert run(SHORT, "--set", "gpu.clock=1200")["metrics"] != run(SHORT, "--set", "gpu.clock=900")["metrics"]


def test_dirty_lines_of_a_window_are_written_by_the_launch(folder):
    small = ("--set", "l2.size=1572864", "--set", "l2.slices=24")
    whole = run(LONG, *PART, *small)["metrics"]["dram__bytes_write.sum"] / 32
    row = validate(table(folder, LONG | {"dram__sectors_write.sum": "1"}), *PART, *small)["rows"][0]
    assert not row["whole"] and row["ctas_timed"] < 200, row
    written = row["counters"]["dram__sectors_write.sum"]["predicted"]
    assert 0.92 < written / whole < 1.12, (written, whole)
    kept = 1 - whole / (4 << 20) * 32
    assert 0.1 < kept < 0.3, kept


def test_a_fidelity_runs_the_whole_grid_and_gives_what_a_run_gives(folder):
    kernel = run(LONG, *PART)
    executed = kernel["metrics"]["smsp__inst_executed.sum"]
    path = table(folder, LONG | {"smsp__inst_executed.sum": str(executed), "dram__sectors_read.sum": "1"},
                 {name: value for name, value in LONG.items() if name != "cycles"} | {"sm_cycles_active": "1000"})
    for fidelity in ("sampled", "hybrid"):
        words = (*PART, "--fidelity", fidelity)
        stopped = run(LONG, *words)["stopped"]
        rows = {row["basis"]: row for row in validate(path, *words)["rows"]}
        elapsed, active = rows["cycles"], rows["sm_cycles_active"]
        assert elapsed["state"] == "compared" and elapsed["whole"], elapsed
        assert elapsed["predicted"] == int(stopped["estimated_cycles"]), (elapsed, stopped)
        assert elapsed["predicted"] - active["predicted"] == kernel["cycles"]["launch"], (elapsed, active)
        assert 0 < elapsed["ctas_timed"] < 4096, elapsed
        assert elapsed["counters"]["smsp__inst_executed.sum"]["predicted"] == executed, elapsed
        assert "dram__sectors_read.sum" not in elapsed["counters"], elapsed


def test_a_fidelity_leaves_a_short_row_as_it_is(folder):
    path = table(folder, SHORT)
    whole, sampled = (validate(path, *words)["rows"][0] for words in ((), ("--fidelity", "sampled")))
    assert whole["predicted"] == sampled["predicted"] and sampled["whole"], (whole, sampled)


def near(a, b):
    return abs(a - b) <= 1e-6 * max(abs(a), abs(b))


def test_a_short_grid_is_run_whole_and_gives_what_a_run_gives(folder):
    kernel = run(SHORT)
    row = validate(table(folder, SHORT | {name: "1" for name in COUNTERS if name in kernel["metrics"]} |
                         {"registers": kernel["launch"]["registers"],
                          "smsp__inst_executed.sum": kernel["metrics"]["smsp__inst_executed.sum"]}))["rows"][0]
    assert row["state"] == "compared" and row["whole"] and row["basis"] == "cycles", row
    assert row["predicted"] == kernel["metrics"]["gpc__cycles_elapsed.max"], row
    assert near(row["error_percent"], 100 * (row["predicted"] / 1000 - 1)), row
    assert len(row["counters"]) >= 3, row
    for name, counter in row["counters"].items():
        assert near(counter["predicted"], kernel["metrics"][name]), (name, counter)


def test_active_cycles_are_the_mean_over_the_sms(folder):
    row = validate(table(folder, SHORT | {"cycles": "", "sm_cycles_active": "5"}))["rows"][0]
    assert row["basis"] == "sm_cycles_active"
    assert near(row["predicted"], run(SHORT)["metrics"]["sm__cycles_active.avg"]), row


def test_a_long_grid_is_projected_from_two_runs_that_end_as_it_does(folder):
    path = table(folder, LONG | {"lts__t_sectors_op_read.sum": "1"},
                 {name: value for name, value in LONG.items() if name != "cycles"} | {"sm_cycles_active": "1000"})
    rows = {row["basis"]: row for row in validate(path, "--part", 2)["rows"]}
    row = rows["cycles"]
    resident, share = row["ctas_per_sm"], 4096 * 2 / 84
    rest = 98 % (2 * resident)   # behind the last whole wave of the part's 98 CTAs
    first, second = (run(LONG, *PART, "--ctas", count + rest) for count in (6 * resident, 10 * resident))
    assert not row["whole"] and row["ctas_timed"] == 10 * resident + rest and row["sms"] == 2, row
    assert row["gpu_sms"] == 84 and rest > 0, row
    active = [kernel["metrics"]["sm__cycles_active.sum"] for kernel in (first, second)]
    per_cta = (active[1] - active[0]) / (4 * resident)
    assert near(row["cycles_per_cta"], per_cta), row
    elapsed = second["metrics"]["gpc__cycles_elapsed.max"] + per_cta * (98 - 10 * resident - rest) / 2
    assert near(row["predicted"], elapsed), (row, elapsed)
    mean = active[1] / 2 + per_cta * (share - 10 * resident - rest) / 2
    assert near(rows["sm_cycles_active"]["predicted"], mean), (rows, mean)
    read = [kernel["counters"]["mem"]["l2_sectors_read"] for kernel in (first, second)]
    whole = (read[0] + (read[1] - read[0]) / (4 * resident) * (share - 6 * resident - rest)) * 84 / 2
    assert near(row["counters"]["lts__t_sectors_op_read.sum"]["predicted"], whole), (row, whole)


def test_a_grid_of_four_waves_is_run_whole(folder):
    resident = run(SHORT)["occupancy"]["ctas_per_sm"]
    limit = 4 * resident * 84
    for ctas, timed, whole in ((limit, 4 * resident, True), (limit + 1, 4 * resident + 1, False)):
        row = validate(table(folder, SHORT | {"grid": str(ctas)}), "--part", "1")["rows"][0]
        assert row["whole"] == whole and row["ctas_timed"] == timed, row


def test_the_simulators_own_numbers_have_no_error(folder):
    def by_line(found):
        return sorted(found["rows"], key=lambda row: row["line"])

    rows = [SHORT, LONG, LONG | {"grid": "64 64"}]
    measured = [{"cycles": repr(result["predicted"])}
                for result in by_line(validate(table(folder, *rows), "--part", 2))]
    ones = {name: "1" for name in COUNTERS[1:]}   # a wrong number of instructions would set the rows apart
    found = by_line(validate(table(folder, *(row | ones for row in rows)), "--part", 2))
    for own, result in zip(measured, found):
        own.update((name, repr(counter["predicted"])) for name, counter in result["counters"].items())
    found = validate(table(folder, *(row | own for row, own in zip(rows, measured))), "--part", 2)
    group = found["groups"][0]
    assert group["compared"] == 3 and abs(group["cycles"]["worst"]) < 1e-5, group
    assert group["cycles"]["within_12"] == 1 and group["regret_percent"] == 0, group
    assert set(group["counters"]) == set(COUNTERS[1:]), group
    for counter in group["counters"].values():
        assert counter["rows"] == 3 and abs(counter["worst"]) < 1e-5, counter


def test_rows_of_other_code_are_set_apart(folder):
    registers = run(SHORT)["launch"]["registers"]
    instructions = run(SHORT)["metrics"]["smsp__inst_executed.sum"]
    rows = [SHORT | {"registers": registers + 4}, SHORT | {"registers": registers + 5},
            SHORT | {"registers": registers, "smsp__inst_executed.sum": round(instructions / 1.02)},
            SHORT | {"smsp__inst_executed.sum": round(instructions / 1.04)}]
    path = table(folder, *rows)
    found = validate(path)
    states = {row["line"]: (row["state"], row["why"]) for row in found["rows"]}
    assert states[2] == states[4] == ("compared", None), states
    assert states[3] == ("other code", f"the cubin's kernel has {registers} registers, the row {registers + 5}"), states
    assert states[5] == ("other code", "the cubin's kernel executes 4.0 % more instructions than the row"), states
    assert found["groups"][0]["compared"] == found["groups"][0]["other_code"] == 2
    text = succeeds("validate", "published", path, "--cubins", CUBINS)
    assert text.count("set apart:") == 1 and "s, rtx-a6000: 2 rows compared, 2 other code, 0 failed" in text, text


def test_registers_that_change_the_occupancy_are_other_code(folder):
    registers = run(SHORT)["launch"]["registers"]
    least = ("--set", "sm.registers=16384")
    row = validate(table(folder, SHORT | {"registers": registers - 4}), *least)["rows"][0]
    assert row["state"] == "other code" and "CTAs of the cubin's kernel" in row["why"], row


def test_a_row_that_cannot_run_fails_alone(folder):
    path = table(folder, SHORT, SHORT | {"cubin": "none.cubin"}, SHORT | {"arguments": "f32:2"},
                 SHORT | {"block": "2048"})
    result = subcore("validate", "published", path, "--cubins", CUBINS)
    assert result.returncode == 1 and result.stderr == "subcore: 3 of 4 rows failed\n", result.stderr
    for why in ("none.cubin: No such file", "has 4 parameters", "2048 threads", "1 rows compared, 0 other code"):
        assert why in result.stdout, (why, result.stdout)


def test_columns_without_a_number_are_said_once(folder):
    path = table(folder, SHORT | {"author": "x", "sm__nothing.sum": "5"}, SHORT | {"gpu__time_duration.sum": "5"})
    text = succeeds("validate", "published", path, "--cubins", CUBINS)
    assert text.count("author") == 1 and text.count("sm__nothing.sum") == 1, text
    found = validate(path)
    assert found["ignored_columns"] == ["author"]
    assert found["unknown_counters"] == ["sm__nothing.sum", "gpu__time_duration.sum"], found


def test_rows_are_chosen_by_text_and_spread(folder):
    path = table(folder, *(SHORT | {"set": f"set-{i % 2}", "cycles": 1000 + i} for i in range(10)))
    lines = [row["line"] for row in validate(path, "--rows", 2)["rows"]]
    assert sorted(lines) == [2, 3, 6, 7], lines   # places 0 and 2 of the five in each set
    lines = [row["line"] for row in validate(path, "--only", "set-1", "--rows", 3)["rows"]]
    assert sorted(lines) == [3, 5, 9], lines
    fails(2, "no row that --only asks for", "validate", "published", path, "--cubins", CUBINS, "--only", "none")


def test_rows_before_an_interrupt_are_reported(folder):
    path = table(folder, SHORT, LONG | {"grid": "20000000"})
    with subprocess.Popen([SUBCORE, "validate", "published", path, "--cubins", CUBINS, "--waves", "100000"],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env=os.environ | {"SUBCORE_PROGRESS": "0.1"}) as program:
        while "1 of 2 rows" not in program.stderr.readline():
            assert program.poll() is None
        program.send_signal(signal.SIGINT)
        text, errors = program.communicate(timeout=60)
    assert program.returncode == 130, program.returncode
    assert errors.endswith("subcore: interrupted at line 3 of the table\n"), errors
    assert "s, rtx-a6000: 1 rows compared, 0 other code, 0 failed" in text, text


def test_csv_and_picture_have_every_row(folder):
    path = table(folder, SHORT | {"parameters": "X=1, Y=2", "smsp__inst_executed.sum": ""}, LONG,
                 SHORT | {"registers": "200"})
    words = ("validate", "published", path, "--cubins", CUBINS, "--part", "2")
    rows = list(csv.DictReader(io.StringIO(succeeds(*words, "--csv", "-", "--quiet"))))
    assert [row["state"] for row in rows] == ["compared", "compared", "other code"], rows
    assert {row["parameters"] for row in rows} == {"X=1, Y=2", ""}
    for row in rows[:2]:
        assert near(float(row["error"]), 100 * (float(row["predicted"]) / float(row["measured"]) - 1)), row
    assert rows[2]["predicted"] == rows[2]["error"] == "" and "registers" in rows[2]["why"], rows
    succeeds(*words, "--plot", folder / "plot.svg", "--quiet")
    assert (folder / "plot.svg").read_text(encoding="utf-8").count("<circle") == 4   # two rows, two diagrams


def test_the_result_does_not_depend_on_host_threads(folder):
    path = table(folder, LONG, SHORT)
    one, four = (without_host(validate(path, "--part", 4, "--threads", threads)) for threads in (1, 4))
    assert one == four


def test_mistakes_are_answered_before_anything_runs(folder):
    path = table(folder, SHORT, SHORT | {"gpu": "rtx-a6001"})
    words = ("validate", "published", path)
    fails(2, "needs --cubins DIR", *words)
    fails(2, f"{path}: line 3, column 'gpu'", *words, "--cubins", CUBINS)
    fails(2, "--gpu: the table names the GPU", *words, "--cubins", CUBINS, "--gpu", "a100")
    fails(2, "needs one table", "validate", "published", "--cubins", CUBINS)
    fails(2, "No such file", "validate", "published", folder / "none.csv")
    fails(2, "are for 'subcore validate published TABLE'", "validate", "kernels", "--part", 2)
    path = table(folder, SHORT | {"grid": "8x1"})
    fails(2, f"{path}: line 2, column 'grid': '8x1' is not", "validate", "published", path, "--cubins", CUBINS)


if __name__ == "__main__":
    main(globals())
