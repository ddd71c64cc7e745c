#!/usr/bin/env python3
"""Runs that are interrupted, that spin, that take long, and that find no room on the disk; `test_stops.py WORD...` runs
only the tests whose names hold a word."""
import gzip
import os
import re
import resource
import shutil
import signal
import subprocess
import time

from harness import SUBCORE, main, subcore, succeeds
from runs import SAXPY, SPIN as LONG
from traceg import head

SPIN = """.arch sm_86
.kernel spin
.param flag, ptr
    ULDC.64 UR4, c[0x0][0x118]
    MOV R2, c[0x0][flag]
    MOV R3, c[0x0][flag+4]
again:
    LDG.E.STRONG.GPU R4, [R2.64]
    ISETP.EQ.U32.AND P0, PT, R4, RZ, PT
    @P0 BRA again
    EXIT
.end
"""


def spin(folder):
    (folder / "spin.sass").write_text(SPIN)
    return ["run", str(folder / "spin.sass"), "--grid", "3", "--block", "64", "--arg", "u32[1]=zero"]


def begin(words, **variables):
    return subprocess.Popen([SUBCORE, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            env={**os.environ, **variables},
                            preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL))


PROGRESS = re.compile(r"subcore: [\w-]+: [\d,]+ of [\d,]+ (CTAs|bytes)")


def rest_of(process):
    """The lines behind those that were read, when the process has ended."""
    err, out = process.stderr.read(), process.stdout.read()
    process.wait(timeout=100)
    return out, err


def interrupted(words, *numbers, sign="inst/s", **variables):
    """Standard output and error, without progress lines, of a run that gets these signals one after the other when a
    line of progress has shown `sign`."""
    process = begin(words, SUBCORE_PROGRESS="0.1", **variables)
    shown = ""
    while sign not in shown:
        shown = process.stderr.readline()
        assert PROGRESS.match(shown), (words, shown)
    for number in numbers:
        process.send_signal(number)
    out, err = rest_of(process)
    assert process.returncode == 130, (words, process.returncode, err)
    return out, "".join(line for line in err.splitlines(keepends=True) if not PROGRESS.match(line))


# ---- signals -------------------------------------------------------------------------------------------------------

TIMED = r"subcore: kernel (\w+): stopped at cycle [1-9]\d* with (\d+) of (\d+) CTAs completed, after [1-9]\d* warp ins"
EXECUTED = r"subcore: kernel (\w+): stopped with (\d+) of (\d+) CTAs completed, after [1-9]\d* warp instructions\n"


def test_an_interrupted_run_names_its_kernel_and_how_far_it_came(folder):
    _, err = interrupted(LONG, signal.SIGINT)
    found = re.match(TIMED, err)
    assert found and found[1] == "saxpy" and 0 < int(found[2]) < int(found[3]) == 20000000, err
    _, err = interrupted([*LONG, "-f"], signal.SIGTERM)
    found = re.fullmatch(EXECUTED, err)
    assert found and found[1] == "saxpy" and 0 < int(found[2]) < int(found[3]) == 20000000, err
    _, err = interrupted(["record", *LONG[1:], "-o", folder / "t"], signal.SIGINT)
    assert re.fullmatch(EXECUTED, err), err


def test_an_interrupted_demo_and_replay_do_so_too(folder):
    succeeds("record", "demo", "sgemm-naive", "-o", folder / "t")
    for words in (["demo", "sgemm-naive"], ["replay", folder / "t"]):
        save = folder / "save"
        process = begin([*words, "-q", "--threads", "1", "--save", f"{save}:2000"])
        while not save.exists() and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(signal.SIGHUP)
        _, err = process.communicate(timeout=100)
        found = re.match(TIMED.replace("subcore: ", "subcore: (?:sgemm-naive: )?"), err)
        assert process.returncode == 130 and found and found[1] == "sgemm_naive", (words, err)
        save.unlink()


def test_two_signals_at_once_do_not_lose_the_save(folder):
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        save = folder / f"save-{number}"
        out, err = interrupted([*LONG, "--save", save], number, number)
        assert "INCOMPLETE" in out and err.endswith(f"; go on with --resume {save}\n"), (number, err)
        assert save.exists()
    if shutil.which("timeout"):
        save = folder / "save"
        result = subprocess.run(["timeout", "-s", "HUP", "2", SUBCORE, *LONG, "-q", "--save", save],
                                capture_output=True, text=True, check=False, timeout=100)
        assert "go on with --resume" in result.stderr and save.exists(), result


# ---- warps that spin -----------------------------------------------------------------------------------------------

SPINS = (r"subcore: kernel spin spins: no CTA has begun or ended for (\d+) {}, and its warps go round without a "
         r"change of their registers; 6 warps at pc 0x30 to 0x50 \(0x30: LDG\.E\.STRONG\.GPU R4, \[R2\.64\]\), "
         r"the first of CTA \(0,0,0\) warp 0, which waits for a change of global memory 0x[0-9a-f]+, now 0x0\n")


def test_a_timed_kernel_that_spins_says_where_and_goes_on_to_its_limit(folder):
    results = []
    for threads in (1, 3):
        words = [*spin(folder), "--until-cycles", "2500000", "--json", "-", "-j", str(threads)]
        results.append(subcore(*words, "-q"))
    first = results[0]
    found = re.fullmatch(SPINS.format("cycles"), first.stderr)
    assert first.returncode == 0 and found and 1 << 21 <= int(found[1]) < 2500000, first
    assert results[1].stderr == first.stderr
    words = [*spin(folder), "--until-cycles", "2000000"]
    assert subcore(*words, "-q").stderr == ""


def test_an_executed_kernel_that_spins_says_where_and_again_when_it_is_interrupted(folder):
    process = begin([*spin(folder), "-q", "--functional"])
    line = process.stderr.readline()
    found = re.fullmatch(SPINS.format("warp instructions"), line)
    assert found and 1 << 24 <= int(found[1]) < (1 << 24) + (1 << 20), line
    process.send_signal(signal.SIGINT)
    _, err = rest_of(process)
    again, stopped = err.splitlines(keepends=True)
    assert process.returncode == 130 and again == line and re.fullmatch(EXECUTED, stopped), err


# ---- progress ------------------------------------------------------------------------------------------------------


def shown_until(sign, words):
    """The lines of a run up to the one that holds `sign`."""
    process = begin(words, SUBCORE_PROGRESS="0.1")
    lines = [process.stderr.readline()]
    while sign not in lines[-1]:
        lines.append(process.stderr.readline())
    process.send_signal(signal.SIGINT)
    rest_of(process)
    return lines


def test_off_a_terminal_lines_say_how_far_a_run_is():
    lines = shown_until(" left\n", LONG)
    assert all(re.match(r"subcore: saxpy: [\d,]+ of 20,000,000 CTAs, cycle [\d,]+", line) for line in lines), lines
    assert re.search(r", [\d.]+ [KM]? ?inst/s, \d+:\d\d left\n$", lines[-1]), lines
    line = shown_until("inst/s", [*LONG, "--functional"])[-1]
    assert re.match(r"subcore: saxpy: [\d,]+ of 20,000,000 CTAs, [\d.]+ [KM]? ?inst/s", line), line
    process = begin([*LONG, "--quiet"], SUBCORE_PROGRESS="0.1")
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    assert rest_of(process)[1].count("\n") == 1


# ---- conversion ----------------------------------------------------------------------------------------------------


def long_list(folder):
    """A trace for Accel-Sim with one long warp, of many packed parts."""
    count, parts = 100000, 400
    lines = "0000 ffffffff 1 R8 FFMA 3 R9 R9 R8 0 0\n" * count
    begins = head(1, 1, threads=32, stream=0) + "#BEGIN_TB\n\nthread block = 0,0,0\n\nwarp = 0\n"
    with open(folder / "kernel-1.traceg.gz", "wb") as file:
        file.write(gzip.compress(f"{begins}insts = {count * parts + 1}\n".encode()))
        part = gzip.compress(lines.encode(), 1)
        for _ in range(parts):
            file.write(part)
        file.write(gzip.compress(b"0020 ffffffff 0 EXIT 0 0 0\n\n#END_TB\n"))
    (folder / "kernelslist.g").write_text("kernel-1.traceg.gz\n")
    return folder / "kernelslist.g"


def test_a_conversion_ends_at_a_signal_and_leaves_nothing(folder):
    trace, temporary = long_list(folder), folder / "temporary"
    temporary.mkdir()
    before = sorted(os.listdir(folder))
    for words in (["replay", trace], ["replay", trace, "--keep-going"],
                  ["trace", "convert", trace, "--output", folder / "native"]):
        for number in (signal.SIGINT, signal.SIGHUP):
            _, err = interrupted(words, number, number, sign="bytes", TMPDIR=str(temporary))
            assert re.fullmatch(r"subcore: \S+-1.traceg.gz: its conversion was stopped in line [1-9]\d+\n", err), err
            assert sorted(os.listdir(folder)) == before and not os.listdir(temporary), (words, os.listdir(folder))


# ---- a full disk ---------------------------------------------------------------------------------------------------


def limited(limit, *words, **variables):
    """The run of a user whose files can have `limit` bytes."""
    def prepare():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
    return subprocess.run([SUBCORE, *map(str, words)], capture_output=True, text=True, check=False, timeout=100,
                          env={**os.environ, **variables}, preexec_fn=prepare)


def test_a_replay_whose_records_find_no_room_is_an_error(folder):
    succeeds("record", "demo", "scan", "-o", folder / "t")
    temporary = folder / "temporary"
    temporary.mkdir()
    for words in ([], ["--keep-going"], ["--serial-streams"]):
        result = limited(2000, "replay", folder / "t", "-q", *words, TMPDIR=str(temporary))
        assert result.returncode == 2 and result.stderr == (
            f"subcore: {temporary}: launch records cannot be written: File too large; tables and reports lack "
            "launches, and TMPDIR names another place for temporary files\n"), (words, result)
        assert not os.listdir(temporary)
    assert limited(1000000, "replay", folder / "t", "-q", TMPDIR=str(temporary)).returncode == 0


def test_what_finds_no_room_is_an_error_with_its_reason_and_leaves_nothing(folder):
    succeeds("record", "demo", "scan", "-o", folder / "t")
    (folder / "new").mkdir()
    out = folder / "new" / "out"
    saxpy = ["run", SAXPY, "--grid", "8", "--block", "256", "--arg", "f32:2", "--arg", "f32[2048]=iota", "--arg",
             f"f32[2048]=1>{out}", "--arg", "u32:2048", "-q"]
    cases = {
        "array": saxpy,
        "JSON": ["demo", "scan", "-q", "--json", out],
        "table": ["run", SAXPY, *saxpy[2:-4], "f32[2048]=1", *saxpy[-3:], "--source", "--csv", out],
        "save": ["demo", "scan", "-q", "--save", f"{out}:1000"],
        "trace": ["record", "demo", "scan", "-q", "-o", out],
        "conversion": ["trace", "convert", folder / "t", "-q", "--output", out],
        "part": ["trace", "cut", folder / "t", "-q", "--kernels", "0-1", "--output", out],
    }
    for what, words in cases.items():
        result = limited(700, *words)
        assert result.returncode == 2 and result.stderr.endswith(": File too large\n"), (what, result)
        left = [name for name in os.listdir(folder / "new") if name != "out" or what != "conversion"]
        assert left == [], (what, left)
        shutil.rmtree(out, ignore_errors=True)


def test_a_full_disk_is_called_full(folder):
    """Where a user may mount: on a file system that is full after 64 KiB."""
    script = ("mount -t tmpfs -o size=64k tmpfs $0 || exit 99; head -c 60000 /dev/zero >$0/rest; TMPDIR=$0; "
              'export TMPDIR; exec "$@"')
    succeeds("record", "demo", "scan", "-o", folder / "t")
    (folder / "full").mkdir()
    words = ["unshare", "-rm", "sh", "-c", script, folder / "full", SUBCORE, "replay", folder / "t", "-q"]
    if not shutil.which("unshare"):
        return
    result = subprocess.run(list(map(str, words)), capture_output=True, text=True, check=False, timeout=100)
    if "unshare: " in result.stderr or result.returncode == 99:
        return
    assert result.returncode == 2 and "records cannot be written: No space left on device" in result.stderr, result
    words = words[:-3] + ["demo", "scan", "-q", "--json", str(folder / "full" / "out")]
    result = subprocess.run(list(map(str, words)), capture_output=True, text=True, check=False, timeout=100)
    assert result.returncode == 2 and result.stderr.endswith("/out: No space left on device\n"), result


def test_standard_output_that_is_full_is_an_error_with_its_reason():
    if not os.path.exists("/dev/full"):
        return
    with open("/dev/full", "w", encoding="utf-8") as full:
        for words in (["gpus"], ["demo", "scan"], ["demo", "scan", "-q", "--json", "-"], ["config", "a100"]):
            result = subprocess.run([SUBCORE, *words], stdout=full, stderr=subprocess.PIPE, text=True, check=False,
                                    timeout=100)
            assert result.returncode == 2 and result.stderr.endswith(": No space left on device\n"), (words, result)


main(globals())
