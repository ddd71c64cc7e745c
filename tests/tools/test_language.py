#!/usr/bin/env python3
"""tools/language.py with texts of a few lines. SUBCORE_ROOT is the repository."""
import os
import sys

sys.path.append(os.path.join(os.environ["SUBCORE_ROOT"], "tests", "cli"))
sys.path.append(os.path.join(os.environ["SUBCORE_ROOT"], "tools"))
from harness import main  # pylint: disable=wrong-import-position
import language  # pylint: disable=wrong-import-position


def sentences_of(blocks):
    return [part for _, text in blocks for part in language.sentences(language.plain(text))]


def test_headings_tables_and_code_are_no_sentences(_):
    text = ("# What it is\n\nA warp issues\nin order.\n\n| what | who |\n\n```\nwhat is it\n```\n\n    what\n\n"
            "- One.\n- Two.\n")
    assert sentences_of(language.markdown_blocks(text)) == ["A warp issues in order.", "One.", "Two."]


def test_lines_of_a_comment_are_one_text_and_strings_are_none(_):
    text = 'int a; // first\n// second\n// third\nchar *b = "// no comment";\n/* a\n * block */\n'
    assert [language.plain(t) for _, t in language.c_blocks(text)] == ["first second third", "a block"]


def test_comments_and_documentation_of_python_are_text(_):
    text = '"""Does it."""\nx = "no text"   # one\n\n\ndef f():\n    """Returns."""\n'
    assert [language.plain(t) for _, t in language.python_blocks(text)] == ["Does it.", "one", "Returns."]


def test_cells_of_tables_are_read_by_themselves(_):
    text = "What is it?\n\n| a b | what it is |\n|---|---|\n| one | `x` two |\n"
    assert [cell for _, cell in language.table_cells(text)] == ["a b", "what it is", "---", "---", "one", "`x` two"]


def messages_of(text):
    return [language.plain(t) for _, t in language.c_messages(text)]


def test_literals_that_the_compiler_joins_are_one_message_and_comments_are_none(_):
    text = 'f("no such "  /* "x" */\n  "file", a);\n#define H "one " \\\n "two"\ng("%" PRIu64 " of %s");  // "no"\n'
    assert messages_of(text) == ["no such file", "one two", "0 of 0"]


def test_characters_and_escaped_quotes_do_not_end_a_message(_):
    assert messages_of("""c = '"'; f("say \\"what\\" twice");""") == ['say "what" twice']


def test_indented_lines_and_examples_of_a_help_text_are_no_sentences(_):
    assert messages_of(r'"It runs.\n  what is that\nsubcore demo what\nIt ends."') == ["It runs. It ends."]


def test_messages_of_python_are_literals_that_are_no_documentation(_):
    text = '"""Does it."""\nraise E(f"what is {x}")  # why\n'
    assert [t for _, t in language.python_messages(text)] == ["what is {x}"]


def test_out_of_memory_and_counts_begin_no_chain(_):
    assert language.count([(1, "out of memory for the code of the kernel; 3 of the 9 values of it")])["chains"] == 0
    assert language.count([(1, "the code of the kernel of it")])["chains"] > 0


def test_each_pattern_is_counted_per_thousand_words(_):
    row = language.count([(1, "What waits issues; the end of the queue of a warp. Two words")])
    assert (row["words"], row["sentence"]) == (13, 6.5)
    assert [round(row[k] * 13 / 1000, 6) for k in ("headless", "chains", "semicolons")] == [1, 1, 1]


def test_a_what_if_is_a_noun_and_not_a_headless_clause(_):
    assert language.count([(1, "ask a what-if or a what if")])["headless"] == 0


def test_code_is_one_word_and_a_link_is_its_text(_):
    assert language.plain("see [the `a; b` page](x.md) of **it**") == "see the code page of it"


def test_a_count_at_its_limit_passes_and_one_above_fails(_):
    counts = {"docs": dict.fromkeys(language.COLUMNS, 1.0)}
    limits = {"docs": dict.fromkeys(language.COLUMNS, 1.0)}
    assert not list(language.above(counts, limits))
    limits["docs"]["chains"] = 0.99
    complaint, = language.above(counts, limits)
    assert complaint == "docs: 1.00 chains is above the limit of 0.99 (docs/style.md)"


def test_a_limit_goes_down_and_never_up(_):
    counts = {"docs": {"headless": 1.0, "chains": 3.0, "semicolons": 2.0, "sentence": 10.0}}
    limits = {"docs": {"headless": 2.0, "chains": 2.0, "semicolons": 2.0, "sentence": 20.0}}
    assert dict(language.lower(counts, limits)) == {
        "docs": {"headless": 1.2, "chains": 2.0, "semicolons": 2.0, "sentence": 10.2}}


def test_a_group_without_limits_is_a_complaint(_):
    assert len(list(language.above({"new": dict.fromkeys(language.COLUMNS, 0.0)}, {}))) == len(language.COLUMNS)


if __name__ == "__main__":
    main(globals())
