#!/usr/bin/env python3
"""Lines, tables, reports and traces of `subcore exec`."""
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import tempfile

from exec_harness import CUDA, FAKE, gives, read_report, run_exec
from harness import SUBCORE, main


def test_launches_are_lines_and_a_table_on_standard_error():
    result = gives(0, FAKE, "say:mine", "scan:4000", "scan:2000", "copy:0", err="3 launches of 2 kernels on")
    assert result.stdout == "mine\n"
    lines = result.stderr.splitlines()
    launch = r"subcore:    %d %s +\(256\) x \(16 x 16\) "
    assert re.fullmatch(launch % (0, "scan") + r" +4,000 cycles +2\.22 us  IPC \d+\.\d\d", lines[0]), lines
    assert re.fullmatch(launch % (2, "copy") + r"functional, [\d,]+ warp instructions", lines[2]), lines
    assert re.search(r"\nscan +2 +2 +6,000 +3,000.0 +2,000 +4,000 100.0 %\n", result.stderr), result.stderr
    assert "1 of 3 launches were only executed and have none\n" in result.stderr
    assert all(len(line) <= 120 for line in lines)


def test_lines_of_a_kernel_become_rare_and_the_table_has_all():
    err = gives(0, FAKE, *["scan:10"] * 1234, "copy:0", err="1,235 launches of 2 kernels on").stderr
    lines = [line for line in err.splitlines() if re.match(r"subcore: +\d+ (scan|copy) ", line)]
    numbers = [int(line.split()[1]) for line in lines]
    assert numbers == [*range(100), *range(109, 1000, 10), 1099, 1199, 1234], numbers
    assert err.count("every tenth launch after the first 100 has a line") == 1, err
    assert re.search(r"\nscan +1,234 +1,234 +12,340 ", err), err


NO_ROOM = "launch records cannot be written: {}; tables and reports lack launches, and TMPDIR names another place"


def test_records_that_find_no_room_are_an_error():
    def prepare():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (40000, resource.RLIM_INFINITY))
    with tempfile.TemporaryDirectory() as folder:
        run = [SUBCORE, "exec", "-q", FAKE, *["scan:10"] * 40]
        options = {"capture_output": True, "text": True, "check": False, "timeout": 100,
                   "env": {**os.environ, "TMPDIR": folder}}
        result = subprocess.run(run, **options, preexec_fn=prepare)
        assert result.returncode == 2 and result.stderr.count("\n") == 1, result
        assert result.stderr.startswith(f"subcore: {folder}: " + NO_ROOM.format("File too large")), result
        assert subprocess.run([*run, "exit:7"], **options, preexec_fn=prepare).returncode == 7
        assert subprocess.run(run, **options).stderr == "" and os.listdir(folder) == []


def test_a_full_temporary_folder_is_an_error_of_exec():
    """Where a user may mount: on a file system of 64 KiB."""
    script = "mount -t tmpfs -o size=64k tmpfs $0 || exit 99; TMPDIR=$0; export TMPDIR; exec \"$@\""
    if not shutil.which("unshare"):
        return
    with tempfile.TemporaryDirectory() as folder:
        words = ["unshare", "-rm", "sh", "-c", script, folder, SUBCORE, "exec", "-q", "-g", "a100", CUDA]
        words += ["cubin"] * 40
        result = subprocess.run(words, capture_output=True, text=True, check=False, timeout=100)
    if "unshare: " in result.stderr or result.returncode == 99:
        return
    assert result.returncode == 2 and result.stdout == 40 * "cubin: right\n", result
    child, own = result.stderr.splitlines()
    assert child.endswith("/records: launch records cannot be written: No space left on device"), child
    assert own.startswith(f"subcore: {folder}: " + NO_ROOM.format("No space left on device")), own


def test_quiet_leaves_lines_and_table_out():
    assert gives(0, "--quiet", FAKE, "say:mine", "scan:4000").stdout == "mine\n"
    gives(4, "--quiet", FAKE, "scan:4000", "exit:4")


def test_failed_launches_are_named():
    err = gives(1, FAKE, "scan:4000:700", "exit:1", err="CUDA_ERROR_OF_A_TEST (700), 256 of 256 CTAs").stderr
    assert "FAILED: 1 of 1 launches of scan, with CUDA_ERROR_OF_A_TEST (700)\n" in err, err


def test_launches_of_all_processes_count():
    err = gives(0, FAKE, "scan:4000", "fork", "scan:2000", err="2 launches of 1 kernel in 2 processes on").stderr
    assert re.search(r"\nscan +2 +2 +6,000 ", err), err


def test_detailed_names_that_fit_nothing_are_said():
    rules = ["scna", "scan:1", "scan:2-4", "scan:3-"]
    options = [word for rule in rules for word in ("--detailed", rule)]
    out = gives(0, "-q", *options, FAKE, "scan:4000", err="subcore").stderr
    assert out.splitlines() == [f"subcore: --detailed {rule}: there was no such launch" for rule in rules], out
    gives(0, "-q", "--detailed", "sc?n:0", FAKE, "scan:4000")


def test_a_report_is_three_files_that_agree():
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "r")
        gives(6, "-q", "--report", report, FAKE, "scan:4000", "copy:0", "scan:2000", "scan:1:719", "exit:6")
        assert sorted(os.listdir(report)) == ["launches.csv", "report.json", "report.txt"]
        rows, document, text = read_report(report)
    assert [row["kernel"] for row in rows] == ["scan", "copy", "scan", "scan"]
    assert [row["kernel_launch"] for row in rows] == ["0", "0", "1", "2"]
    assert [row["gpc__cycles_elapsed.max"] for row in rows] == ["4000", "", "2000", "1"]
    assert [row["error"] for row in rows] == ["", "", "", "CUDA_ERROR_OF_A_TEST"]
    assert rows[0]["begin_ns"] == "1000.000" and rows[1]["begin_ns"] == ""
    assert (document["program"], document["exit_status"], document["schema_version"]) == (FAKE, 6, 1)
    assert [l["name"] for l in document["launches"]] == ["scan", "copy", "scan", "scan"]
    assert [l["error"] for l in document["launches"]] == [None, None, None, "CUDA_ERROR_OF_A_TEST"]
    assert [k.get("cycles", {}).get("elapsed") for k in document["kernels"]] == [4000, None, 2000, 1]
    for row, kernel in zip(rows, document["kernels"]):
        for name, value in kernel.get("metrics", {}).items():
            assert abs(float(row[name]) - value) <= 1e-9 * abs(value), name
    assert text.startswith(f"{FAKE}: exit status 6 after ")
    assert "The longest launch of scan, number 0:" in text and "The longest launch of copy, number 0:" in text
    assert "Elapsed Cycles                 4,000" in text


def test_a_report_replaces_an_older_one():
    with tempfile.TemporaryDirectory() as folder:
        gives(0, "-q", "--report", folder, FAKE, "scan:4000")
        gives(0, "-q", "--report", folder, FAKE, "scan:3000", "scan:3000")
        assert [row["gpc__cycles_elapsed.max"] for row in read_report(folder)[0]] == ["3000", "3000"]
        assert len(os.listdir(folder)) == 3


def test_programs_without_launches_have_a_report_too():
    with tempfile.TemporaryDirectory() as folder:
        gives(0, "--report", folder, "--json", os.path.join(folder, "j"), "true")
        rows, document, _ = read_report(folder)
        assert rows == [] and document["launches"] == document["kernels"] == []
        assert pathlib.Path(folder, "j").read_bytes() == pathlib.Path(folder, "report.json").read_bytes()


def test_json_on_standard_output_has_it_alone():
    result = gives(6, "--quiet", "--json", "-", FAKE, "say:hello", "scan:4000", "exit:6", err="hello\n")
    document = json.loads(result.stdout)
    assert (document["program"], document["exit_status"]) == (FAKE, 6), document
    assert [launch["name"] for launch in document["launches"]] == ["scan"] and result.stderr == "hello\n", result
    result = gives(0, "--json", "-", FAKE, "say:hello", "scan:4000", err="hello\n")
    assert json.loads(result.stdout)["exit_status"] == 0 and "1 launch of 1 kernel" in result.stderr, result


def test_records_that_end_inside_one_are_said():
    script = f"{FAKE} scan:4000; printf cut >> $SUBCORE_RECORD"
    gives(2, "sh", "-c", script, err="the records of launches end inside one")
    gives(7, "sh", "-c", script + "; exit 7", err="the records of launches end inside one")
    assert "1 launch of 1 kernel" in run_exec("sh", "-c", script).stderr


def recorded(folder, *words, code=0, out=None):
    """Standard error of a recorded run, and the files that it leaves in the folder."""
    result = run_exec("-g", "a100", "--record", os.path.join(folder, "t.trace"), *words)
    assert result.returncode == code, (words, result.returncode, result.stderr)
    assert out is None or result.stdout == out, (words, result.stdout)
    return result.stderr, sorted(os.listdir(folder))


def test_launches_are_recorded():
    with tempfile.TemporaryDirectory() as folder:
        err, files = recorded(folder, CUDA, "cubin", "cubin", out="cubin: right\ncubin: right\n")
        assert files == ["t.trace"], files
        assert re.search(r"subcore: trace \S+/t.trace: 2 launches, [\d,]+ warp instructions, [\d.]+ KB ", err), err
        err, files = recorded(folder, "-q", CUDA, "cubin")
        assert (err, files) == ("", ["t.trace"]), err


def test_the_default_stream_has_the_number_0_in_a_trace():
    with tempfile.TemporaryDirectory() as folder:
        recorded(folder, "-q", CUDA, "cubin", "stream", "stream", "cubin")
        trace = os.path.join(folder, "t.trace")
        words = [SUBCORE, "trace", "info", trace, "--json", "-", "--quiet"]
        info = json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout)
        streams = [kernel["stream"] for kernel in info["kernels"]]
        assert streams[0] == streams[3] == 0 and len(set(streams)) == 3, streams
        assert {command["stream"] for command in info["commands"] if command["kind"] == "copy"} == {0}, info["commands"]


def test_a_trace_has_the_launches_that_are_named():
    with tempfile.TemporaryDirectory() as folder:
        err, _ = recorded(folder, "--only", "saxpy:1-2", CUDA, "cubin", "cubin", "cubin", "cubin")
        assert "t.trace: 2 launches, " in err, err
        err, _ = recorded(folder, "--detailed", "saxpy:0", CUDA, "cubin", "cubin")
        assert "t.trace: 1 launch, " in err and " cycles" in err, err
        err, _ = recorded(folder, "--only", "saxpi", CUDA, "cubin", code=2)
        assert "subcore: --only saxpi: there was no such launch\n" in err and "no trace" in err, err
    gives(2, "--only", "saxpy", "true", err="--only chooses the launches that --record records")


def test_programs_without_a_trace_say_so_and_keep_their_exit_status():
    with tempfile.TemporaryDirectory() as folder:
        err, files = recorded(folder, "true", code=2)
        assert "no trace: the program recorded no launch" in err and files == [], (err, files)
        err, files = recorded(folder, CUDA, "cubin", "abort", code=128 + 6)
        assert "no trace: the program recorded no launch, or it ended by a signal" in err and files == [], (err, files)
        gives(2, "--record", "/no/such/folder/t", "true", err="--record /no/such/folder/t: /no/such/folder/: No such")


def test_a_launch_that_fails_is_incomplete_in_the_trace():
    with tempfile.TemporaryDirectory() as folder:
        err, files = recorded(folder, CUDA, "cubin", "wild", "exit:4", code=4)
        assert re.search(r"t.trace: 2 launches, .*; 1 of them incomplete\n", err) and files == ["t.trace"], err


def test_a_program_that_leaves_while_a_kernel_runs_has_a_trace():
    with tempfile.TemporaryDirectory() as folder:
        err, files = recorded(folder, CUDA, "cubin", "leave", out="cubin: right\nwaiting\n")
        assert files == ["t.trace"] and "error" not in err, (err, files)
        assert re.search(r"t.trace: [12] launch", err), err


def test_a_child_of_the_program_leaves_its_trace_alone():
    with tempfile.TemporaryDirectory() as folder:
        err, files = recorded(folder, CUDA, "cubin", "fork", "cubin", out="cubin: right\ncubin: right\n")
        assert files == ["t.trace"] and "2 launches" in err and "incomplete" not in err, (err, files)


def test_each_process_has_a_trace():
    script = f"{CUDA} cubin; {CUDA} cubin cubin; {CUDA} cubin abort; {CUDA} cubin cubin cubin"
    with tempfile.TemporaryDirectory() as folder:
        err, files = recorded(folder, "sh", "-c", script)
        assert files == ["t.trace", "t.trace.2", "t.trace.3"], files
        found = re.findall(r"trace \S+/(t\.trace\S*): (\d) launch", err)
        assert found == [("t.trace", "1"), ("t.trace.2", "2"), ("t.trace.3", "3")], err
    with tempfile.TemporaryDirectory() as folder:
        run_exec("--record", os.path.join(folder, "a-%p.trace"), "sh", "-c", f"{CUDA} cubin; {CUDA} cubin")
        files = os.listdir(folder)
        assert len(files) == 2 and all(re.fullmatch(r"a-\d+\.trace", name) for name in files), files


main(globals())
