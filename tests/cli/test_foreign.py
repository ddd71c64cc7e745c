#!/usr/bin/env python3
"""Input from others: names with control characters, and pipes where files are expected. SUBCORE is the program,
SUBCORE_ROOT the sources; `test_foreign.py WORD...` runs only the tests whose names hold a word."""
import json
import os
import subprocess

from harness import SUBCORE, main, subcore
from traceg import head

CLEAR = "\x1b[2J"
BODY = """#BEGIN_TB

thread block = 0,0,0

warp = 0
insts = 2
0000 ffffffff 1 R1 {mnemonic} 0 0 0
0010 ffffffff 0 EXIT 0 0 0

#END_TB
"""


def quiet_terminal(result):
    """No printed character is a control character."""
    for text in (result.stdout, result.stderr):
        assert not [c for c in text if (c < " " and c != "\n") or "\x7f" <= c < "\xa0"], result
    return result


def run(*words):
    return quiet_terminal(subcore(*words))


def write_list(folder, name="a_kernel", mnemonic="MOV", entry="kernel-1.traceg"):
    first = head(1, 1, threads=32, stream=0).replace("kernel_1", name)
    (folder / "kernel-1.traceg").write_text(first + BODY.format(mnemonic=mnemonic))
    (folder / "kernelslist.g").write_text(entry + "\n")
    return folder / "kernelslist.g"


def test_a_kernel_of_a_trace_does_not_clear_the_terminal(folder):
    given = write_list(folder, name="a" + CLEAR + "b")
    native = folder / "native.trace"
    assert run("trace", "convert", given, "--output", native).returncode == 0
    assert "a?[2Jb" in run("trace", "info", native).stdout
    result = run("replay", native)
    assert result.returncode == 0 and "a?[2Jb" in result.stdout + result.stderr, result
    report = folder / "report.json"
    assert run("replay", native, "--json", report, "--quiet").returncode == 0
    assert CLEAR not in report.read_text()
    json.loads(report.read_text())


def test_a_mnemonic_of_a_trace_does_not_clear_the_terminal(folder):
    given = write_list(folder, mnemonic="FROB" + CLEAR)
    result = run("trace", "convert", given, "--output", folder / "native.trace")
    assert "the mnemonic FROB?[2J is not known" in result.stderr, result


def test_an_entry_of_a_list_does_not_clear_the_terminal(folder):
    given = write_list(folder, entry="kernel-" + CLEAR + ".traceg")
    result = run("replay", given)
    assert result.returncode == 2 and "kernel-?[2J.traceg" in result.stderr, result


def test_a_key_does_not_clear_the_terminal(folder):
    result = run("config", "a100", "--set", f"core.{CLEAR}=1")
    assert result.returncode == 2 and "core.?[2J" in result.stderr, result
    own = folder / "own.toml"
    own.write_text(f'inherits = "sm_80"\n[gpu]\nname = "a{CLEAR}"\n')
    result = run("config", own)
    assert result.returncode == 2 and "expected a text in quotes" in result.stderr, result
    own.write_text(f'inherits = "a100"\n[gpu]\nclock = 1000 # {CLEAR}\n')
    assert "?[2J" in run("config", own).stdout


def test_a_label_does_not_clear_the_terminal(folder):
    source = folder / "label.sass"
    source.write_text(f".arch sm_86\n.kernel k\n.registers 8\n    BRA {CLEAR}there\n    EXIT\n")
    result = run("asm", source, "-o", folder / "label.cubin")
    assert result.returncode == 2 and "?[2Jthere" in result.stderr, result


def test_a_pipe_without_a_writer_is_refused_at_once(folder):
    pipe = folder / "pipe"
    os.mkfifo(pipe)
    (folder / "pipe.toml").symlink_to(pipe)
    (folder / "pipe.sass").symlink_to(pipe)
    given = write_list(folder)
    (folder / "kernel-1.traceg").unlink()
    (folder / "kernel-1.traceg").symlink_to(pipe)
    for words in (["replay", pipe], ["trace", "info", pipe], ["disasm", pipe], ["asm", pipe, "-o", folder / "x"],
                  ["config", folder / "pipe.toml"], ["run", folder / "pipe.sass", "--grid", "1", "--block", "1"],
                  ["run", pipe, "--grid", "1", "--block", "1"], ["replay", given],
                  ["trace", "convert", given, "--output", folder / "x"], ["replay", given, "--resume", pipe]):
        result = subprocess.run([SUBCORE, *map(str, words)], capture_output=True, text=True, timeout=20, check=False)
        assert result.returncode == 2, (words, result)
        assert "it is a pipe, not a regular file; write its contents to a file first" in result.stderr, (words, result)


def test_words_come_from_pipes(folder):
    pipe = folder / "pipe"
    os.mkfifo(pipe)
    word = "0x000000000000794d 0x03ffea0003800000"
    expected = subcore("disasm", "--hex", "-", "--arch", "sm_86", text=word + "\n")
    assert expected.returncode == 0 and "EXIT" in expected.stdout, expected
    given = ["disasm", "--hex", "/dev/stdin", "--arch", "sm_86"]
    assert subcore(*given, text=word + "\n").stdout == expected.stdout
    with subprocess.Popen(["sh", "-c", f"echo '{word}' > '{pipe}'"]) as writer:
        reader = subprocess.Popen(["sh", "-c", f"exec 3<'{pipe}'; '{SUBCORE}' disasm --hex /dev/fd/3 --arch sm_86"],
                                  stdout=subprocess.PIPE, text=True)
        assert reader.communicate(timeout=20)[0] == expected.stdout
        assert writer.wait(timeout=20) == 0


main(globals())
