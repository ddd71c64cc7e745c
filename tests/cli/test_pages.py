#!/usr/bin/env python3
"""Man pages and completions of an installation; `test_pages.py WORD...` runs only the tests whose names hold a word."""
import re
import shutil
import subprocess
import sys

from harness import ROOT, SUBCORE, main, succeeds

TOOL = ROOT / "tools" / "command_pages.py"


def commands():
    return re.findall(r"^  (\w+) +", succeeds("help").partition("\nCommands\n")[2].partition("\n\n")[0], re.M)


def options(command):
    return re.findall(r"^  (?:-\w, |    )(--[\w-]+)", succeeds("help", command), re.M)


def pages(folder):
    subprocess.run([sys.executable, TOOL, SUBCORE, folder], check=True, timeout=60)
    return folder / "share"


def test_every_command_has_a_man_page_with_its_options(folder):
    share = pages(folder)
    names = commands()
    assert len(names) > 15
    for name in names:
        text = (share / "man/man1" / f"subcore-{name}.1").read_text(encoding="utf-8")
        for option in options(name):
            assert "\\fB" + option.replace("-", "\\-") + "\\fR" in text, (name, option)
        assert f"subcore\\-{name}" in (share / "man/man1/subcore.1").read_text(encoding="utf-8")


def test_man_pages_are_set_without_a_warning(folder):
    if not shutil.which("groff"):
        return
    for path in sorted((pages(folder) / "man/man1").iterdir()):
        result = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-z", path], capture_output=True, text=True,
                                check=False, timeout=60)
        lines = [line for line in result.stderr.splitlines() if "adjust" not in line and "break" not in line]
        assert result.returncode == 0 and not lines, (path.name, lines)


def completions(share, words):
    """The words that bash offers for the last word."""
    script = f'source {share}/bash-completion/completions/subcore; PATH={folder_of(SUBCORE)}:$PATH; ' \
             f'COMP_WORDS=({" ".join(words)}); COMP_CWORD={len(words) - 1}; _subcore; echo "${{COMPREPLY[@]}}"'
    return subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True).stdout.split()


def folder_of(program):
    return str(program).rpartition("/")[0] or "."


def test_bash_completes_commands_options_and_gpus(folder):
    share = pages(folder)
    assert completions(share, ["subcore", "repl"]) == ["replay"]
    assert set(completions(share, ["subcore", "''"])) >= set(commands())
    assert set(completions(share, ["subcore", "run", "--"])) == set(options("run"))
    assert completions(share, ["subcore", "run", "--gpu", "rtx-a"]) == ["rtx-a6000"]


def test_zsh_and_fish_know_every_option(folder):
    share = pages(folder)
    zsh = (share / "zsh/site-functions/_subcore").read_text(encoding="utf-8")
    fish = (share / "fish/vendor_completions.d/subcore.fish").read_text(encoding="utf-8")
    for command in commands():
        for option in options(command):
            assert f"'*{option}[" in zsh, (command, option)
            assert f"__fish_seen_subcommand_from {command}' -l {option[2:]}" in fish, (command, option)
    for shell, path in (("zsh", "zsh/site-functions/_subcore"), ("fish", "fish/vendor_completions.d/subcore.fish")):
        if shutil.which(shell):
            subprocess.run([shell, "-n", share / path], check=True, timeout=60)


main(globals())
