#!/usr/bin/env python3
"""tools/build.py and tools/fuzz.py with builds of a few lines. SUBCORE_ROOT is the repository."""
import os
import pathlib
import subprocess
import sys

sys.path.append(os.path.join(os.environ["SUBCORE_ROOT"], "tests", "cli"))
from harness import ROOT, main  # pylint: disable=wrong-import-position

HEAD = "rule make\n  command = $how\n  description = Making $out\n"


def tool(name, *words):
    return subprocess.run([sys.executable, ROOT / "tools" / name, *map(str, words)], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=60, check=False, cwd=ROOT)


def build(folder, steps, *targets):
    """Builds the targets of `steps` with Ninja: target -> command."""
    (folder / "build.ninja").write_text(HEAD + "".join(
        f"build {name}: make\n  how = {how}\n" for name, how in steps.items()), encoding="utf-8")
    return tool("build.py", folder, "--", *targets)


def test_a_long_build_takes_a_line_for_each_tenth(folder):
    result = build(folder, {f"step{i}": f"touch step{i}" for i in range(200)})
    lines = [line for line in result.stdout.splitlines() if "%" in line]
    assert result.returncode == 0 and len(list(folder.glob("step*"))) == 200, result
    assert lines == [f"{folder}: {n} % of 200 steps" for n in range(10, 101, 10)], result.stdout
    assert "Making" not in result.stdout, result.stdout


def test_only_the_named_targets_are_built(folder):
    result = build(folder, {"one": "touch one", "two": "touch two"}, "two")
    assert result.returncode == 0 and (folder / "two").exists() and not (folder / "one").exists(), result


def test_a_failure_is_shown_whole_and_is_the_status(folder):
    long = "for i in 1 2 3 4 5 6 7 8 9; do echo error line $$i; done; exit 1"
    result = build(folder, {"good": "touch good", "bad": long})
    assert result.returncode != 0, result
    text = "".join(f"error line {i}\n" for i in range(1, 10))
    assert text in result.stdout and "FAILED: bad" in result.stdout, result.stdout


def test_a_warning_is_shown(folder):
    result = build(folder, {"a": "echo warning: something && touch a"})
    assert result.returncode == 0 and "warning: something\n" in result.stdout, result


def test_why_a_folder_cannot_be_set_up_is_shown(folder):
    result = tool("build.py", folder / "new", "-Dno_such_option=1")
    assert result.returncode != 0 and "no_such_option" in result.stdout, result


def fuzzer(folder, name, status):
    """A program with the options of libFuzzer, which fails with the status."""
    path = folder / "tests/fuzz" / f"fuzz_{name}"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\necho \"$@\"\necho stat::number_of_executed_units: 1234\n"
                    f"echo about {name}\nexit {status}\n", encoding="utf-8")
    path.chmod(0o755)


def test_each_fuzz_target_runs_for_its_share_of_the_time(folder):
    for name in ("asm", "cubin", "none"):
        fuzzer(folder, name, 0)
    result = tool("fuzz.py", folder, "--total", 60)
    assert result.returncode == 0 and result.stdout.splitlines() == [
        f"fuzz_{name}: 1,234 inputs in 20 s, none fails" for name in ("asm", "cubin", "none")], result
    words = (folder / "fuzz/asm.log").read_text(encoding="utf-8").splitlines()[0].split()
    assert "-max_total_time=20" in words and "-seed=1" in words, words
    assert words[-2:] == [str(folder / "fuzz/asm"), str(ROOT / "tests/fuzz/corpus/asm")], words
    assert (folder / "fuzz/none.log").read_text(encoding="utf-8").split("\n")[0].endswith(str(folder / "fuzz/none"))


def test_a_fuzz_target_that_fails_does_not_hide_the_others(folder):
    fuzzer(folder, "asm", 77)
    fuzzer(folder, "cubin", 0)
    result = tool("fuzz.py", folder, "--each", 5)
    assert result.returncode == 1 and "about asm\n" in result.stdout, result
    assert "fuzz_asm: FAILED, exit status 77" in result.stdout, result
    assert "fuzz_cubin: 1,234 inputs in 5 s, none fails\n" in result.stdout, result


def test_a_folder_without_fuzz_targets_is_an_error(folder):
    result = tool("fuzz.py", folder, "--each", 5)
    assert result.returncode == 1 and "no such fuzz target" in result.stdout, result


main(globals())
