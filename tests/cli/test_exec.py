#!/usr/bin/env python3
"""`subcore exec` as a user meets it: options, exit statuses, signals. exec_harness.py names the variables.
`test_exec.py WORD...` runs only the tests whose names hold a word."""
import os
import pathlib
import signal
import stat
import subprocess
import tempfile
import time

from exec_harness import CUDA, FAKE, gives, run_exec, usual_action
from harness import SUBCORE, main


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


main(globals())
