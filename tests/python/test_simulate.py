#!/usr/bin/env python3
"""subcore.simulate in programs under `subcore exec`, and in those without it."""
import json
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
from harness import ROOT, SUBCORE, main, without_host  # pylint: disable=wrong-import-position

if os.environ.get("SUBCORE_SANITIZED"):
    print("1..0 # SKIP the sanitizers' runtime has to be the first library of a process")
    sys.exit(0)

PROGRAM, CUBIN = ROOT / "tests/python/simulate_program.py", ROOT / "examples/cubin/vecadd.sm_86.cubin"


def environment(**more):
    variables = {key: value for key, value in os.environ.items() if not key.startswith(("SUBCORE_", "LD_"))}
    return variables | {"PYTHONPATH": str(ROOT / "python"), "SUBCORE": SUBCORE, "SUBCORE_PROGRESS": "0"} | more


def run_exec(case, *options, words=(sys.executable,), **more):
    """The process of a case under exec, which succeeds."""
    done = subprocess.run([SUBCORE, "exec", *map(str, options), *words, PROGRAM, case, CUBIN], capture_output=True,
                          text=True, timeout=120, check=False, env=environment(**more))
    assert done.returncode == 0, done.stderr
    return done


def found(case, *options, **more):
    return json.loads(run_exec(case, "--quiet", *options, **more).stdout)


def document(folder, case, *options):
    """The findings of the case, and the JSON of exec."""
    answer = found(case, "--json", folder / "d.json", *options)
    return answer, json.loads((folder / "d.json").read_text(encoding="utf-8"))


# ---- results --------------------------------------------------------------------------------------------------------


def test_a_report_has_the_launches_of_its_block_as_exec_reports_them(folder):
    answer, whole = document(folder, "whole", "--gpu", "rtx-a6000")
    assert answer["shapes"] == [2, 3] and answer["text"] == "<subcore.Report of 2 launches>", answer["text"]
    assert [launch["grid"][0] for launch in (kernel["launch"] for kernel in whole["kernels"])] == [1, 2, 3, 4]
    assert without_host(answer["kernels"]) == without_host(whole["kernels"][1:3])
    for launch in whole["launches"]:
        del launch["ranges"]
    assert answer["launches"] == whole["launches"][1:3]


def test_a_block_is_a_range_in_the_reports_of_exec(folder):
    _, whole = document(folder, "whole")
    assert [(one["domain"], one["name"], one["launches"]) for one in whole["ranges"]] == [("subcore", "simulate", 2)]
    _, whole = document(folder, "decorated")
    assert [(one["name"], one["ranges"], one["launches"]) for one in whole["ranges"]] == [("launch", 2, 2)]


def test_only_blocks_are_timed_in_a_functional_run(folder):
    answer, whole = document(folder, "whole", "--functional")
    assert [kernel["detailed"] for kernel in whole["kernels"]] == [False, True, True, False]
    timed, _ = document(folder, "whole")
    assert without_host(answer["kernels"]) == without_host(timed["kernels"])


def test_nvtx_can_choose_the_blocks(folder):
    for rule in ("subcore@*", "no such range"):
        answer, whole = document(folder, "whole", "--nvtx", rule)
        assert answer["shapes"] == [2, 3] and [one["launch"] for one in whole["launches"]] == [1, 2], rule


def test_the_options_of_exec_hold_in_blocks():
    assert found("whole", "--nvtx", "subcore@*", "--until-cycles", "100")["kernels"][0]["stopped"]["by"] == "cycles"
    assert found("whole", "--detailed", "another")["shapes"] == [2, 3]
    slow = found("whole", "--set", "dram.latency=2000")["kernels"][0]["cycles"]["elapsed"]
    assert slow > found("whole")["kernels"][0]["cycles"]["elapsed"] + 500


def test_the_innermost_block_decides_what_is_timed():
    inner = [[-3, -4], [-4]]
    assert found("choices") == [[2, -3, -4, 5], *inner, [6]]
    assert found("choices", "--functional") == [[2, -3, -4, 5], *inner, [-6]]
    assert found("choices", "--nvtx", "none") == [[2, -3, -4, 5], *inner, [-6]]


def test_blocks_without_launches_have_empty_reports():
    assert found("empty") == [[], [], [], []]


def test_an_exception_ends_the_block_and_goes_on():
    assert found("exception") == {"message": "KeyError: \"the program's own\"", "shapes": [2]}


def test_a_decorated_function_has_the_report_of_its_latest_call():
    assert found("decorated") == {"before": None, "name": "launch", "doc": "Launches once.", "answer": 3,
                                  "first": [2], "error": "KeyError: 3", "second": [3]}


def test_misuse_is_told():
    answer = found("misuse")
    assert answer["early"].startswith("RuntimeError: ") and "has ended" in answer["early"], answer
    assert answer["text"] == "<subcore.Report of a block that goes on>"
    assert answer["twice"].startswith("RuntimeError: ") and "simulate()" in answer["twice"], answer
    assert answer["host"].startswith("RuntimeError: ") and "host function" in answer["host"], answer
    assert answer["again"] == [2, 3], answer
    assert answer["detailed"].startswith("TypeError: ") and "'yes'" in answer["detailed"], answer
    assert answer["parentheses"].startswith("TypeError: ") and "@subcore.simulate()" in answer["parentheses"], answer
    assert answer["generator"].startswith("TypeError: ") and "use 'with'" in answer["generator"], answer


def test_frames_have_a_row_for_each_launch_or_pandas_is_named():
    answer = found("frame")
    if "missing" in answer:
        assert "pandas" in answer["missing"], answer
    else:
        assert answer["cycles"] == answer["expected"] and answer["kernels"] == ["vecadd", "vecadd"], answer


# ---- threads and processes ------------------------------------------------------------------------------------------


def test_a_block_holds_the_launches_of_all_threads():
    assert found("threads") == [[2, 3, -4, 5], [-4]]


def test_a_spawned_child_has_blocks_of_its_own():
    assert found("spawned", "--functional") == [[2], [7]]


def test_a_block_that_begins_before_a_fork_goes_on_in_both_processes():
    assert found("forked_before") == [[7], [2]]


def test_a_child_that_was_forked_after_the_start_has_no_launches_and_is_told_why():
    refused, launches, shapes = found("forked_after")
    assert refused.startswith("RuntimeError: ") and "'spawn'" in refused, refused
    assert launches == [] and shapes == [2]


# ---- the right start ------------------------------------------------------------------------------------------------


def refused(*words, expected="RuntimeError", **more):
    """The message of a case that fails; its last line is the command that would be right."""
    done = subprocess.run([*map(str, words), PROGRAM, "gpu", CUBIN], capture_output=True, text=True, timeout=60,
                          check=False, env=environment(**more))
    lines = done.stderr.strip().splitlines()
    told = next(i for i, line in enumerate(lines) if line.startswith(f"{expected}: subcore.simulate: "))
    assert done.returncode == 1 and len(lines) == told + 2, done.stderr
    return lines[told], lines[told + 1].strip()


def test_a_process_without_a_simulated_gpu_is_told_how_to_start():
    message, command = refused(sys.executable, ASKED="h200")
    assert "no simulated GPU" in message, message
    assert f" exec --functional --gpu h200 {sys.executable}" in command and command.endswith(
        f"{PROGRAM} gpu {CUBIN}"), command


def test_in_a_notebook_the_command_starts_jupyter():
    code = "import sys; sys.modules['ipykernel'] = sys; import subcore; subcore.simulate(gpu='a100').__enter__()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False,
                          env=environment())
    assert done.returncode == 1 and done.stderr.rstrip().endswith("exec --functional --gpu a100 jupyter lab"), done


def test_the_command_that_a_message_tells_works():
    _, command = refused(sys.executable, "-B", ASKED="rtx-a6000")
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=60, check=False,
                          env=environment(ASKED="rtx-a6000"))
    assert done.returncode == 0 and json.loads(done.stdout) == [2], done.stderr
    assert " -B " in command, command


def test_another_gpu_is_a_value_error_with_both_names():
    message, command = refused(SUBCORE, "exec", "--quiet", "--gpu", "rtx-a6000", sys.executable, ASKED="h200",
                               expected="ValueError")
    assert "rtx-a6000" in message and "h200" in message and "--gpu h200" in command, message + command


def test_the_gpu_may_be_a_file():
    path = ROOT / "configs/rtx-a6000.toml"
    assert found("gpu", "--gpu", path, ASKED=str(path)) == [2]
    assert found("gpu", "--gpu", path, ASKED=os.path.relpath(path)) == [2]
    assert found("gpu", ASKED="rtx-a6000") == [2]  # that of exec without --gpu
    assert found("gpu", SUBCORE_GPU="rtx-a6000", ASKED="rtx-a6000") == [2]


if __name__ == "__main__":
    main(globals())
