#!/usr/bin/env python3
"""tools/check_commands.py with pages of a few lines. SUBCORE_ROOT is the repository."""
import contextlib
import io
import os
import pathlib
import sys

sys.path.append(os.path.join(os.environ["SUBCORE_ROOT"], "tests", "cli"))
sys.path.append(os.path.join(os.environ["SUBCORE_ROOT"], "tools"))
from harness import main  # pylint: disable=wrong-import-position
import check_commands  # pylint: disable=wrong-import-position


def said(folder, text):
    """The output of the check about a page, and how many commands have failed."""
    path = folder / "page.md"
    path.write_text(text, encoding="utf-8")
    page = check_commands.Page(folder, folder, path)
    with contextlib.redirect_stdout(io.StringIO()) as output:
        page.all()
    return output.getvalue(), page.failed


def fails(folder, text, part):
    output, failed = said(folder, text)
    assert failed == 1 and part in output, output


def passes(folder, text):
    output, failed = said(folder, text)
    assert failed == 0 and not output, output


def test_output_that_is_the_same_passes_and_a_changed_number_fails(folder: pathlib.Path):
    passes(folder, "```console\n$ echo 12 cycles\n12 cycles\n```\n")
    fails(folder, "```console\n$ echo 12 cycles\n13 cycles\n```\n", "page.md:1: 'echo 12 cycles': expected '13 cycles'")


def test_a_line_that_is_missing_or_too_many_fails(folder: pathlib.Path):
    fails(folder, "```console\n$ printf 'a\\nb\\n'\na\n```\n", "expected '(the end)', got 'b'")
    fails(folder, "```console\n$ echo a\na\nb\n```\n", "expected 'b', got the end")


def test_a_command_without_output_on_the_page_may_print_some(folder: pathlib.Path):
    passes(folder, "```console\n$ echo a\n$ echo b\nb\n```\n")


def test_dots_stand_for_any_lines(folder: pathlib.Path):
    passes(folder, "```console\n$ seq 5\n1\n...\n5\n```\n")
    fails(folder, "```console\n$ seq 5\n1\n...\n6\n```\n", "seq 5")


def test_only_lines_about_the_host_may_have_other_numbers(folder: pathlib.Path):
    passes(folder, "```console\n$ echo Simulated in 12.3 ms\nSimulated in 1.9 s\n```\n")
    fails(folder, "```console\n$ echo Duration 12.3 ms\nDuration 1.9 ms\n```\n", "Duration")


def test_an_exit_status_is_0_unless_the_page_says_another(folder: pathlib.Path):
    fails(folder, "```sh\nexit 3\n```\n", "'exit 3' exits with 3")
    passes(folder, "```sh\nexit 3   # exits with 3\n```\n")
    fails(folder, "```sh\ntrue   # exits with 3\n```\n", "exits with 0")


def test_a_block_with_a_file_name_is_written_for_the_commands_behind_it(folder: pathlib.Path):
    passes(folder, "```text a.txt\none\n```\n\n```console\n$ cat a.txt\none\n```\n")


def test_a_continued_command_is_one_command(folder: pathlib.Path):
    passes(folder, "```console\n$ echo a \\\n    b\na b\n```\n")


def test_a_page_without_its_program_is_skipped_from_there_on(folder: pathlib.Path):
    output, failed = said(folder, "```sh needs=no-such-program\nfalse\n```\n\n```sh\nfalse\n```\n")
    assert failed == 0 and "skipped from here on: no no-such-program" in output


def test_a_block_that_is_not_run_is_not_run(folder: pathlib.Path):
    passes(folder, "```sh run=no why=file\nfalse\n```\n")


def test_a_hidden_command_runs(folder: pathlib.Path):
    passes(folder, "<!-- run: echo one > a.txt -->\n\n```console\n$ cat a.txt\none\n```\n")
    fails(folder, "<!-- run: exit 4 -->\n", "'exit 4' exits with 4")


def test_a_block_without_a_language_is_no_command(folder: pathlib.Path):
    passes(folder, "```\n$ false\n```\n")


def test_a_block_that_needs_a_missing_program_alone_is_skipped_and_the_page_goes_on(folder: pathlib.Path):
    text = "```sh alone-needs=no-such-program\nfalse\n```\n\n```sh\nexit 3\n```\n"
    output, failed = said(folder, text)
    assert failed == 1 and "'exit 3' exits with 3" in output and "this block is skipped: no no-such-program" in output
    passes(folder, "```sh alone-needs=sh\ntrue\n```\n")


def checked(folder, resume, text=None):
    """What the check of a page with a journal says, and how many commands it passed over."""
    (folder / "subcore").write_text("the program")
    path = folder / "page.md"
    if text:
        path.write_text(text, encoding="utf-8")
    journal = check_commands.Journal(folder / "commands.tsv", folder / "subcore", resume)
    page = check_commands.Page(folder, folder, path, journal)
    with contextlib.redirect_stdout(io.StringIO()) as output:
        page.all()
    return output.getvalue(), page.passed_over


def test_resume_passes_over_commands_that_passed_and_left_no_file(folder: pathlib.Path):
    text = "```sh\necho a\necho b > file\ntest -f file\n```\n"
    assert checked(folder, False, text) == ("", 0)
    assert checked(folder, True) == ("", 2)
    assert checked(folder, False) == ("", 0)


def test_resume_runs_again_what_failed_and_what_another_program_ran(folder: pathlib.Path):
    assert checked(folder, False, "```sh\nfalse\ntrue\n```\n")[1] == 0
    said_again, over = checked(folder, True)
    assert "'false' exits with 1" in said_again and over == 1
    journal = check_commands.Journal(folder / "commands.tsv", folder / "page.md", True)
    assert not journal.has("page.md", "true", [])


def test_resume_runs_a_command_again_whose_output_on_the_page_has_changed(folder: pathlib.Path):
    assert checked(folder, False, "```console\n$ echo a\na\n```\n") == ("", 0)
    assert "expected 'b', got 'a'" in checked(folder, True, "```console\n$ echo a\nb\n```\n")[0]


def test_a_command_that_does_not_end_fails_and_so_do_its_children(folder: pathlib.Path):
    seconds, check_commands.SECONDS = check_commands.SECONDS, 1
    try:
        fails(folder, "```sh\nsleep 600 | cat\n```\n", "exits with 124: no end within 1 s")
    finally:
        check_commands.SECONDS = seconds


def test_a_block_that_does_not_run_has_to_say_why(folder: pathlib.Path):
    passes(folder, "```sh run=no why=card\nfalse\n```\n")
    fails(folder, "```sh run=no\nfalse\n```\n", "run=no needs why=REASON")
    fails(folder, "```sh run=no why=lazy\nfalse\n```\n", "run=no needs why=REASON")


def test_the_time_that_is_left_is_that_of_the_last_run(_):
    journal = check_commands.Journal()
    names = [check_commands.name_of("p", command) for command in ("a", "b", "c")]
    journal.seconds = {names[0]: 60.0, names[1]: 120.0}
    progress = check_commands.Progress(journal, names)
    with contextlib.redirect_stderr(io.StringIO()) as output:
        progress.before("p", 1, "a")
        progress.before("p", 2, "b")
    assert "p:1: a (0 of 3 commands done, about 3 min left, 1 of unknown length)" in output.getvalue()
    assert "p:2: b (1 of 3 commands done, about 2 min left, 1 of unknown length)" in output.getvalue()


def test_every_tool_that_a_document_calls_is_executable(_):
    root = pathlib.Path(os.environ["SUBCORE_ROOT"])
    called = set()
    for path in [root / "README.md", root / "CONTRIBUTING.md", *(root / "docs").rglob("*.md")]:
        for _, words, lines in check_commands.blocks_of(path.read_text(encoding="utf-8")):
            for command in check_commands.listed(words, lines):
                called |= {word for word in command.split()[:1] if word.startswith("tools/")}
    wrong = sorted(name for name in called if not os.access(root / name, os.X_OK))
    assert len(called) > 5 and not wrong, wrong


if __name__ == "__main__":
    main(globals())
