#!/usr/bin/env python3
"""`subcore exec` as a user meets it. SUBCORE is the program, SUBCORE_FAKE a program that writes launch records without
CUDA (fake_program.c), SUBCORE_CUDA one that uses the driver API (cuda_program.c), SUBCORE_FOREIGN a library with a
runtime of its own (foreign_user.c), SUBCORE_ASKER, SUBCORE_CLOSED and SUBCORE_COMPILER libraries that ask for
undocumented functions (table_asker.c); `test_exec.py WORD...` runs only the tests whose names hold a word."""
import csv
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time

from harness import SUBCORE, main

FAKE = os.environ["SUBCORE_FAKE"]
CUDA = os.environ.get("SUBCORE_CUDA")
FOREIGN = os.environ["SUBCORE_FOREIGN"]
FOREIGN_TWELVE = os.environ["SUBCORE_FOREIGN_TWELVE"]
RUNTIME_VERSION = f"call:{FOREIGN}:runtime_version"
LIBRARIES = ["libcuda.so.1", "libcudart.so.13", "libcudart.so.12", "libcublas.so.13", "libcublas.so.12",
             "libcudnn.so.9", "libcufft.so.12", "libcufft.so.11", "libnccl.so.2",
             "libcupti.so.13"]
ASKER, CLOSED, COMPILER = (os.environ["SUBCORE_" + kind] for kind in ("ASKER", "CLOSED", "COMPILER"))
SANITIZED = os.environ["SUBCORE_SANITIZED"]  # such libraries do not load into every program


def run_exec(*words, env=None, cwd=None):
    variables = {key: value for key, value in os.environ.items()
                 if not key.startswith("SUBCORE_") or key in ("SUBCORE_ROOT", "SUBCORE_PROGRESS")}
    variables.update(env or {})
    return subprocess.run([SUBCORE, "exec", *words], capture_output=True, text=True, timeout=120, check=False,
                          env=variables, cwd=cwd)


def gives(code, *words, out=None, err=None, **options):
    """Standard output is `out`, and standard error holds `err`, or is empty."""
    result = run_exec(*words, **options)
    assert result.returncode == code, (words, result.returncode, result.stderr)
    assert out is None or result.stdout == out, (words, result.stdout)
    assert (err in result.stderr) if err else result.stderr == "", (words, result.stderr)
    return result


# ---- options, exit codes -------------------------------------------------------------------------------------------


def test_exit_statuses_are_those_of_the_program():
    gives(0, "/bin/true", out="")
    gives(1, "/bin/false", out="")
    gives(3, "sh", "-c", "echo a b; exit 3", out="a b\n")
    gives(255, "sh", "-c", "exit 255")
    gives(128 + 11, "sh", "-c", "kill -SEGV $$", err="subcore: sh was ended by signal 11 (Segmentation fault)\n")
    gives(128 + 9, "sh", "-c", "kill -KILL $$", err="ended by signal 9")


def test_words_behind_the_program_are_its_own():
    gives(0, "echo", "--gpu", "-h", "--help", "--", "x", out="--gpu -h --help -- x\n")
    gives(0, "--", "echo", "--gpu", out="--gpu\n")
    gives(0, "-g", "h200", "--", "echo", "--quiet", out="--quiet\n")
    gives(0, "-qf", "echo", "-q", out="-q\n")


def test_help_stands_before_the_program():
    for words in (["--help"], ["-h"], ["--gpu", "h200", "--help"], ["--help", "echo"]):
        assert run_exec(*words).stdout.startswith("usage: subcore exec [OPTION]... PROGRAM [WORD]...\n"), words


def test_wrong_usage():
    gives(2, err="exec needs PROGRAM [WORD]...; see 'subcore help exec'")
    gives(2, "--gpu", "h2", "true", err="no GPU named 'h2'")
    gives(2, "--set", "core.nothing=1", "true", err="core.nothing")
    gives(2, "--grid", "1", "true", err="exec has no option '--grid'")
    gives(2, "--threads", "257", "true", err="at most 256")
    gives(2, "--json", "/no/such/folder/x", "sh", "-c", "echo ran", out="", err="/no/such/folder/x: No such file")
    gives(2, "--detailed", "k:x", "true", err="'k:x' is not KERNEL, KERNEL:N, KERNEL:N-M or KERNEL:N-")
    gives(2, "--report", "/dev/null", "true", err="--report /dev/null: no folder")
    gives(2, "--report", "/no/such/folder/x", "true", err="--report /no/such/folder/x: No such file or directory")


def test_programs_that_cannot_be_started():
    gives(127, "./no-such-program", err="subcore: ./no-such-program: No such file or directory\n")
    gives(127, "no-such-program", err="subcore: no-such-program: no such program on PATH\n")
    gives(126, "/", err="subcore: /: not a program\n")
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "a-script")
        path.write_text("echo hello $1\n", encoding="utf-8")
        gives(126, str(path), err="it may not be executed (chmod +x)")
        path.chmod(0o755)
        gives(0, str(path), "you", out="hello you\n")
        path.write_text("#!/no/such/interpreter\n", encoding="utf-8")
        gives(127, str(path), err="it cannot be started: No such file or directory")
        gives(127, "a-script", cwd=folder, err="a-script: no such program on PATH; did you mean ./a-script?")


def test_programs_with_rights_of_their_own_are_refused():
    if os.geteuid() != 0:
        return
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "true")
        with open("/bin/true", "rb") as file:
            pathlib.Path(path).write_bytes(file.read())
        os.chown(path, 1, 1)
        os.chmod(path, 0o755 | stat.S_ISUID)
        gives(2, path, err="it runs with rights of its own (set-user-ID")
        os.chmod(path, 0o755)
        gives(0, path)


# ---- the program's surroundings ------------------------------------------------------------------------------------


def variables(*options, env=None):
    names = ("GPU", "SET", "MODE", "DETAILED", "THREADS", "QUIET", "TRACE", "TRACE_ONLY")
    words = [word for name in names for word in ("env:SUBCORE_" + name,)]
    out = run_exec(*options, FAKE, *words, env=env).stdout
    found = dict(re.findall(r"SUBCORE_(\w+)=(.*(?:\n(?!SUBCORE_).+)*)", out))
    assert sorted(found) == sorted(names), out
    return {key: value.strip() for key, value in found.items() if value.strip() != "(none)"}


def test_options_become_variables():
    assert variables() == {"GPU": "rtx-a6000"}
    assert variables("-g", "h200", "-f", "-j", "3", "-q") == {
        "GPU": "h200", "MODE": "functional", "THREADS": "3", "QUIET": "1"}
    assert variables("--set", "core.rfc=false", "--set", "gpu.clock=1000")["SET"] == "core.rfc=false\ngpu.clock=1000"
    detailed = variables("--detailed", "a:0", "--detailed", "b*")
    assert detailed == {"GPU": "rtx-a6000", "MODE": "functional", "DETAILED": "a:0\nb*"}


def test_a_trace_does_not_go_to_standard_output():
    gives(2, "--record", "-", FAKE, err="cannot be written to standard output: name a file")


def test_a_trace_is_asked_for_by_an_absolute_path():
    with tempfile.TemporaryDirectory() as folder:
        words = ["--record", "x.trace", "--only", "a:0", "--only", "b", FAKE]
        out = run_exec(*words, "env:SUBCORE_TRACE", "env:SUBCORE_MODE", "env:SUBCORE_TRACE_ONLY", cwd=folder).stdout
        path = os.path.realpath(folder) + "/x.trace.%p"
        assert out.rstrip() == f"SUBCORE_TRACE={path}\nSUBCORE_MODE=functional\nSUBCORE_TRACE_ONLY=a:0\nb", out


def test_variables_of_the_caller_hold_where_no_option_does():
    env = {"SUBCORE_GPU": "a100", "SUBCORE_MODE": "functional", "SUBCORE_THREADS": "2"}
    assert variables(env=env) == {"GPU": "a100", "MODE": "functional", "THREADS": "2"}
    assert variables("-g", "h200", env=env)["GPU"] == "h200"
    gives(2, "true", env={"SUBCORE_GPU": "nothing"}, err="no GPU named 'nothing'")


def test_gpu_files_are_found_from_any_folder():
    with tempfile.TemporaryDirectory() as folder:
        text = subprocess.run([SUBCORE, "config", "h200"], capture_output=True, text=True, check=True).stdout
        pathlib.Path(folder, "my.toml").write_text(text, encoding="utf-8")
        out = run_exec("-g", "./my.toml", FAKE, "env:SUBCORE_GPU", cwd=folder).stdout
        assert out == f"SUBCORE_GPU={os.path.realpath(folder)}/my.toml\n", out


def test_our_libraries_come_first():
    lib = os.path.join(os.path.dirname(os.path.realpath(SUBCORE)), "lib")
    assert gives(0, FAKE, "env:LD_LIBRARY_PATH", env={"LD_LIBRARY_PATH": ""}).stdout == f"LD_LIBRARY_PATH={lib}\n"
    out = gives(0, FAKE, "env:LD_LIBRARY_PATH", env={"LD_LIBRARY_PATH": "/a:/b"}).stdout
    assert out == f"LD_LIBRARY_PATH={lib}:/a:/b\n"


def preloaded(env=None):
    return gives(0, FAKE, "env:LD_PRELOAD", env=env).stdout.removeprefix("LD_PRELOAD=").strip()


def test_our_libraries_are_loaded_before_those_of_the_caller():
    lib = os.path.join(os.path.dirname(os.path.realpath(SUBCORE)), "lib")
    ours = ":".join(f"{lib}/{name}" for name in LIBRARIES)
    if not SANITIZED:
        assert preloaded(env={"LD_PRELOAD": ""}) == ours
        assert preloaded(env={"LD_PRELOAD": "libm.so.6"}) == ours + ":libm.so.6"


def test_our_runtime_wins_over_that_of_a_library_with_a_path_of_its_own():
    elf = subprocess.run(["readelf", "-d", FOREIGN], capture_output=True, text=True, check=False).stdout
    assert not elf or ("(RPATH)" in elf and "(RUNPATH)" not in elf), elf
    env = {**os.environ, "LD_LIBRARY_PATH": os.path.join(os.path.dirname(SUBCORE), "lib")}
    alone = subprocess.run([FAKE, RUNTIME_VERSION], capture_output=True, text=True, check=True, env=env)
    assert alone.stdout == "runtime_version 1\n", alone  # LD_LIBRARY_PATH alone does not help
    if not SANITIZED:
        gives(0, FAKE, RUNTIME_VERSION, out="runtime_version 13000\n")
        gives(0, "sh", "-c", f"{FAKE} {RUNTIME_VERSION}", out="runtime_version 13000\n")


def test_the_runtime_of_cuda_12_wins_in_the_same_way():
    call = f"call:{FOREIGN_TWELVE}:runtime_version"
    env = {**os.environ, "LD_LIBRARY_PATH": os.path.join(os.path.dirname(SUBCORE), "lib")}
    alone = subprocess.run([FAKE, call], capture_output=True, text=True, check=True, env=env)
    assert alone.stdout == "runtime_version 1\n", alone
    if not SANITIZED:
        gives(0, FAKE, call, RUNTIME_VERSION, out="runtime_version 12090\nruntime_version 13000\n")


WORKERS = """
import ctypes, multiprocessing, sys
def version():
    return ctypes.CDLL(sys.argv[1]).runtime_version()
if __name__ == "__main__":
    for way in ("fork", "spawn", "forkserver"):
        with multiprocessing.get_context(way).Pool(1) as pool:
            print(way, version(), pool.apply(version))
"""


def test_our_runtime_wins_in_the_workers_of_a_python_program_too():
    if SANITIZED:
        return
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "workers.py").write_text(WORKERS, encoding="utf-8")
        out = "".join(f"{way} 13000 13000\n" for way in ("fork", "spawn", "forkserver"))
        gives(0, sys.executable, "-m", "workers", FOREIGN, out=out, cwd=folder)


def test_a_profiler_gets_an_error_where_nvidias_library_would_end_the_program():
    env = {**os.environ, "LD_LIBRARY_PATH": os.path.join(os.path.dirname(SUBCORE), "lib")}
    alone = subprocess.run([FAKE, f"call:{FOREIGN}:cupti"], capture_output=True, text=True, check=False, env=env)
    assert alone.returncode == -signal.SIGABRT, alone
    if not SANITIZED:
        words = [f"call:{FOREIGN}:cupti"] * 2
        err = gives(0, FAKE, *words, out="cupti 27\ncupti 27\n", err="subcore: CUPTI").stderr
        assert err.count("\n") == 1 and "subcore exec --report DIR" in err, err


def test_our_libraries_are_silent_in_programs_that_do_not_call_them():
    wrong = {"SUBCORE_MODE": "neither"}  # the start of the driver complains
    gives(9, CUDA, env=wrong, err="SUBCORE_MODE", out="cuInit: CUDA_ERROR_NO_DEVICE\n")
    script = "cat /proc/self/maps | grep -q libcuda.so.1 && echo loaded; ls /proc/self/task | wc -l"
    gives(0, "sh", "-c", script, env=wrong, out="1\n" if SANITIZED else "loaded\n1\n")


def test_a_library_with_the_runtime_inside_is_named_once_with_what_to_do():
    words = [f"call:{library}:ask" for library in (ASKER, COMPILER, ASKER, CLOSED)]
    err = gives(0, "-q", FAKE, *words, out=4 * "ask 500\n", err="subcore: ").stderr.splitlines()
    asks = "it asks NVIDIA's own driver for functions that no document describes, and there are none here: "
    assert len(err) == 2, err
    assert err[0].startswith(f"subcore: {ASKER}: {asks}its calls will fail if the CUDA runtime is linked into it"), err
    assert "-cudart shared" in err[0], err
    assert err[1].startswith(f"subcore: {CLOSED}: {asks}it is one of NVIDIA's closed libraries"), err


def test_libraries_are_found_where_they_are_installed():
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(os.path.realpath(folder), "bin", "subcore")
        place = os.path.normpath(os.path.join(os.path.dirname(program), os.environ["SUBCORE_LIBRARIES"]))
        os.mkdir(os.path.dirname(program))
        shutil.copy(SUBCORE, program)
        run = [program, "exec", "-q", FAKE, "env:LD_LIBRARY_PATH"]
        variables_here = {key: value for key, value in os.environ.items() if key != "LD_LIBRARY_PATH"}
        result = subprocess.run(run, capture_output=True, text=True, check=False, env=variables_here)
        missing = "the libraries of CUDA programs are neither in"
        assert result.returncode == 2 and missing in result.stderr, result
        os.makedirs(place)
        for name in LIBRARIES:
            os.symlink(os.path.join(os.path.dirname(os.path.realpath(SUBCORE)), "lib", name), os.path.join(place, name))
        result = subprocess.run(run, capture_output=True, text=True, check=False, env=variables_here)
        found = result.stdout.removeprefix("LD_LIBRARY_PATH=").strip()
        assert os.path.realpath(found) == place, (result, place)


def test_a_folder_with_spaces_does_not_keep_our_libraries_from_being_loaded():
    with tempfile.TemporaryDirectory(prefix="with spaces ") as folder:
        program = os.path.join(folder, "subcore")
        shutil.copy(SUBCORE, program)
        os.symlink(os.path.join(os.path.dirname(os.path.realpath(SUBCORE)), "lib"), os.path.join(folder, "lib"))
        result = subprocess.run([program, "exec", "-q", FAKE, RUNTIME_VERSION], capture_output=True, text=True,
                                check=False, env={"SUBCORE_ROOT": os.environ["SUBCORE_ROOT"]})
        assert result.stderr == "" and (SANITIZED or result.stdout == "runtime_version 13000\n"), result


def test_nothing_is_left_behind():
    with tempfile.TemporaryDirectory() as folder:
        gives(0, "-q", FAKE, "k:5", env={"TMPDIR": folder})
        gives(139, "-q", "sh", "-c", "kill -SEGV $$", env={"TMPDIR": folder}, err="signal 11")
        assert os.listdir(folder) == []


def test_nothing_is_left_behind_when_the_output_closes():
    for words in (["exec", "--record", "t.trace", CUDA, "cubin"], ["record", "-o", "t.trace", "--", CUDA, "cubin"]):
        with tempfile.TemporaryDirectory() as folder:
            reader, writer = os.pipe()
            os.close(reader)
            subprocess.run([SUBCORE, *words], stdout=writer, stderr=writer, timeout=60, check=False, cwd=folder,
                           env={**os.environ, "TMPDIR": folder})
            os.close(writer)
            assert os.listdir(folder) in ([], ["t.trace"]), (words, os.listdir(folder))


def test_the_program_gets_the_usual_action_of_a_closed_pipe():
    gives(141, "-q", "sh", "-c", "kill -PIPE $$", err="signal 13")


# ---- signals -------------------------------------------------------------------------------------------------------


def usual_action(number):
    """For the start of a program: nohup and & ignore some signals."""
    return lambda: signal.signal(number, signal.SIG_DFL)


def interrupted(number, *words):
    process = subprocess.Popen([SUBCORE, "exec", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               preexec_fn=usual_action(number))
    assert process.stdout.readline() == "waiting\n"
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err


def test_signals_are_passed_on_and_the_table_is_printed():
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2):
        code, _, err = interrupted(number, FAKE, "k:50", "wait")
        assert code == 128 + number, (number, code, err)
        assert f"was ended by signal {number} (" in err and "1 launch of 1 kernel on NVIDIA RTX A6000" in err, err


def state_of(process):
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return "gone"


def test_a_killed_exec_takes_its_program_with_it():
    process = subprocess.Popen([SUBCORE, "exec", "-q", "sh", "-c", "trap '' HUP INT TERM; echo $$; exec sleep 60"],
                               stdout=subprocess.PIPE, text=True)
    program = int(process.stdout.readline())
    assert state_of(program) in "RSD"
    process.kill()
    process.wait(timeout=60)
    end = time.monotonic() + 20
    while state_of(program) not in ("gone", "Z", "X") and time.monotonic() < end:
        time.sleep(0.01)
    assert state_of(program) in ("gone", "Z", "X"), state_of(program)


def test_two_signals_at_once_do_not_lose_the_report():
    with tempfile.TemporaryDirectory() as folder:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
            report = os.path.join(folder, str(number))
            process = subprocess.Popen([SUBCORE, "exec", "--report", report, FAKE, "k:50", "wait"], text=True,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
                                       env={**os.environ, "TMPDIR": folder}, preexec_fn=usual_action(number))
            assert process.stdout.readline() == "waiting\n"
            for _ in range(3):
                process.send_signal(number)
                os.killpg(process.pid, number)
            _, err = process.communicate(timeout=60)
            assert process.returncode == 128 + number and "1 launch of 1 kernel" in err, (process.returncode, err)
            assert sorted(os.listdir(report)) == ["launches.csv", "report.json", "report.txt"]
            assert [name for name in os.listdir(folder) if name.startswith("subcore")] == []


def test_a_program_may_handle_a_signal():
    script = "trap 'echo caught; exit 5' TERM; echo waiting; while :; do sleep 0.05; done"
    assert interrupted(signal.SIGTERM, "sh", "-c", script)[:2] == (5, "caught\n")


def test_ctrl_c_of_a_terminal_reaches_the_program_once():
    script = "n=0; trap 'n=$((n+1))' INT; echo waiting; for i in 1 2 3 4 5 6; do sleep 0.1; done; echo $n"
    leader, follower = os.openpty()
    process = subprocess.Popen([SUBCORE, "exec", "sh", "-c", script], stdin=follower, stdout=follower, stderr=follower,
                               start_new_session=True,
                               preexec_fn=lambda: __import__("fcntl").ioctl(0, __import__("termios").TIOCSCTTY, 0))
    os.close(follower)
    text = b""
    while b"waiting" not in text:
        text += os.read(leader, 1000)
    time.sleep(0.1)
    os.write(leader, b"\x03")
    assert process.wait(timeout=60) == 0
    text += os.read(leader, 1000)
    os.close(leader)
    assert text.replace(b"^C", b"").split()[-1] == b"1", text


def on_terminal(kind, *words):
    leader, follower = os.openpty()
    environment = dict(os.environ, TERM=kind)
    process = subprocess.Popen([SUBCORE, "exec", *words], stdin=follower, stdout=follower, stderr=follower,
                               env=environment)
    os.close(follower)
    text = b""
    try:
        while more := os.read(leader, 1000):
            text += more
    except OSError:  # nobody has the terminal any more
        pass
    os.close(leader)
    process.wait(timeout=60)
    return text


def test_terminals_that_cannot_erase_get_no_control_characters():
    assert b"\r\033[K" in on_terminal("xterm", FAKE, "signal:9")
    for kind in "dumb", "":
        text = on_terminal(kind, FAKE, "scan:4000", "signal:9")
        assert b"was ended by signal 9" in text and b"\033" not in text, text


# ---- reports -------------------------------------------------------------------------------------------------------


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


def read_report(folder):
    with open(os.path.join(folder, "launches.csv"), encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    with open(os.path.join(folder, "report.json"), encoding="utf-8") as file:
        document = json.load(file)
    with open(os.path.join(folder, "report.txt"), encoding="utf-8") as file:
        return rows, document, file.read()


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


# ---- programs that use the driver ----------------------------------------------------------------------------------


def test_kernels_of_cubins_and_of_ptx_compute_what_they_should():
    for gpu in ("a100", "rtx-a6000", "h200", "rtx-5080"):
        out = gives(0, "-g", gpu, CUDA, "cubin", err="1 launch of 1 kernel on").stdout
        assert out == "cubin: right\n", (gpu, out)
        out = gives(0, "-g", gpu, "-f", "-q", CUDA, "cubin").stdout
        assert out == "cubin: right\n", (gpu, out)
    result = run_exec("-g", "h200", CUDA, "ptx")
    if "CUDA_ERROR_JIT_COMPILER_NOT_FOUND" not in result.stdout:
        assert result.stdout == "ptx: right\n", (result.stdout, result.stderr)


def test_only_the_launches_that_are_named_are_timed():
    with tempfile.TemporaryDirectory() as folder:
        gives(0, "-q", "--detailed", "saxpy:1", "--report", folder, CUDA, "cubin", "cubin", "cubin")
        rows, document, text = read_report(folder)
    assert [row["detailed"] for row in rows] == ["0", "1", "0"]
    assert [kernel["detailed"] for kernel in document["kernels"]] == [False, True, False]
    assert "The longest launch of saxpy, number 1:" in text
    assert 1000 < document["kernels"][1]["cycles"]["elapsed"] < 100000


def test_a_program_ends_at_a_limit_with_its_report_where_that_is_asked_for():
    with tempfile.TemporaryDirectory() as folder:
        gives(0, "--end", "--until-cycles", "3000", "--report", folder, CUDA, "cubin", "exit:4", out="",
              err="subcore: the program ends here, as --end asks: --until-cycles has been reached\n")
        assert ", timed in part\n" in read_report(folder)[2]
        (kernel,) = read_report(folder)[1]["kernels"]
    assert kernel["stopped"]["at_cycle"] == 3000
    assert kernel["cycles"]["elapsed"] == 3000
    gives(4, "-q", "--end", "--until-cycles", "300000", CUDA, "cubin", "exit:4", out="cubin: right\n")
    gives(4, "-q", "--until-cycles", "3000", CUDA, "cubin", "exit:4", out="cubin: right\n")
    gives(2, "--end", CUDA, "cubin", err="--end ends the program at --until-cycles or --until-insts")


def test_reports_of_equal_runs_are_alike():
    def report(*options):
        with tempfile.TemporaryDirectory() as folder:
            gives(0, "-q", *options, "--report", folder, CUDA, "cubin", "cubin")
            document = read_report(folder)[1]
        for kernel in document["kernels"]:
            del kernel["host"]
        return document

    assert report() == report("-j", "1") == report("-j", "2")


def test_a_wild_pointer_is_an_error_that_the_program_survives():
    result = gives(4, CUDA, "cubin", "wild", "exit:4", err="FAILED: 1 of 2 launches of saxpy, with CUDA_ERROR_ILLEGAL")
    assert result.stdout == "cubin: right\nwild: CUDA_ERROR_ILLEGAL_ADDRESS\n", result.stdout
    (line,) = [line for line in result.stderr.splitlines() if line.startswith("subcore: error 700 ")]
    for part in ("kernel saxpy, pc 0x", "LDG.E", "CTA (0, 0, 0), warp 0, lane 0", "address 0x40 "):
        assert part in line, (part, line)


def test_a_program_inside_a_kernel_can_be_interrupted():
    for mode in ["-f"], []:
        process = subprocess.Popen([SUBCORE, "exec", "-g", "a100", *mode, CUDA, "cubin", "long"], text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env={**os.environ, "SUBCORE_PROGRESS": "0.1"},
                                   preexec_fn=usual_action(signal.SIGINT))
        while "inst/s" not in process.stderr.readline():
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        err = process.stderr.read()
        process.wait(timeout=60)
        lines = [line for line in err.splitlines() if "inst/s" not in line]
        assert process.returncode == 130 and lines[0] == f"subcore: {CUDA} was ended by signal 2 (Interrupt)", err
        cycle = "" if mode else r"cycle [1-9][\d,]*, "
        assert re.fullmatch(r"subcore: process \d+ was inside of kernel saxpy: [\d,]+ of 2,000,000,000 CTAs "
                            rf"completed, {cycle}[1-9][\d,]* warp instructions", lines[1]), err
        assert "1 launch of 1 kernel" in err, err


SPIN = """.arch sm_86
.kernel saxpy
.param a, f32
.param x, ptr
.param y, ptr
.param n, u32
    ULDC.64 UR4, c[0x0][0x118]
    MOV R2, c[0x0][y]
    MOV R3, c[0x0][y+4]
again:
    LDG.E.STRONG.SYS R4, [R2.64]
    ISETP.EQ.U32.AND P0, PT, R4, RZ, PT
    @P0 BRA again
    EXIT
.end
"""


def test_a_program_whose_kernel_spins_says_where():
    with tempfile.TemporaryDirectory() as folder:
        source, cubin = os.path.join(folder, "spin.sass"), os.path.join(folder, "spin.cubin")
        pathlib.Path(source).write_text(SPIN, encoding="utf-8")
        subprocess.run([SUBCORE, "asm", source, "-o", cubin], check=True, capture_output=True)
        process = subprocess.Popen([SUBCORE, "exec", "-f", CUDA, f"load:{cubin}"], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        line = process.stderr.readline()
        assert re.match(r"subcore: kernel saxpy spins: no CTA has begun or ended for \d+ warp instructions", line), line
        where = "; 32 warps at pc 0x30 to 0x50 (0x30: LDG.E.STRONG.SYS R4, [R2.64]), the first of CTA (0,0,0)"
        assert where in line, line
        process.send_signal(signal.SIGTERM)
        err = process.stderr.read()
        assert process.wait(timeout=60) == 143, err
        assert re.search("was inside of kernel saxpy: 0 of 8 CTAs completed, .*; its warps went round without a "
                         "change, see above\n", err), err


# ---- traces --------------------------------------------------------------------------------------------------------


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
    gives(2, "--only", "saxpy", "true", err="--only chooses what --record records")


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
