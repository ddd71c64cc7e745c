#!/usr/bin/env python3
"""tools/structure.py with trees of a few lines. SUBCORE_ROOT is the repository."""
import contextlib
import io
import os
import sys

sys.path.append(os.path.join(os.environ["SUBCORE_ROOT"], "tests", "cli"))
sys.path.append(os.path.join(os.environ["SUBCORE_ROOT"], "tools"))
from harness import main  # pylint: disable=wrong-import-position
import structure  # pylint: disable=wrong-import-position


def tree(folder, files):
    for name, text in files.items():
        path = folder / "src" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return structure.Tree(folder)


def knots(folder, files, name="m"):
    return [[u.name for u in knot] for knot in structure.components(tree(folder, files).edges(name))]


def measured(folder, files):
    return {name: value for name, value, _ in structure.measure(tree(folder, files))}


RING = {"m/a.c": "void a(void)\n{\n    b();\n}\n", "m/b.c": "void b(void) { c(); }\n",
        "m/c.c": "void c(void) { a(); }\n", "m/d.c": "void d(void) { a(); }\n"}


def test_a_ring_of_three_units_is_one_cycle(folder):
    assert knots(folder, RING) == [["a", "b", "c"]]
    assert measured(folder, RING)["cycle m"] == 3


def test_a_chain_of_units_is_no_cycle(folder):
    assert not knots(folder, {**RING, "m/c.c": "void c(void) {}\n"})


def test_units_of_sub_folders_are_in_the_same_graph(folder):
    files = {"m/one/a.c": "void a(void) { b(); }\n", "m/two/b.c": "void b(void) { a(); }\n"}
    assert knots(folder, files) == [["a", "b"]]


def test_other_folders_make_no_cycle(folder):
    files = {"m/a.c": "void a(void) { b(); }\n", "n/b.c": "void b(void) { a(); }\n"}
    assert not knots(folder, files) and measured(folder, files)["cycle n"] == 0


def test_a_static_function_is_its_files_own(folder):
    files = {"m/a.c": "static void b(void) {}\nvoid a(void) { b(); }\n", "m/b.c": "void b(void) { a(); }\n"}
    assert not knots(folder, files)


def test_a_function_in_a_header_belongs_to_the_headers_unit(folder):
    files = {"m/a.c": '#include "m/b.h"\nvoid a(void) { step(); }\n', "m/b.h": "static inline void step(void) {}\n",
             "m/b.c": "void b(void) { a(); }\n"}
    assert knots(folder, files) == [["a", "b"]]


def test_of_two_functions_in_headers_the_included_one_is_meant(folder):
    files = {"m/a.c": '#include "m/x.h"\nvoid a(void) { step(); }\n', "m/b.h": "static inline void step(void) {}\n",
             "m/b.c": "void b(void) { a(); }\n", "m/x.h": "static inline void step(void) {}\n"}
    assert not knots(folder, files)


def test_a_function_is_found_by_its_own_header(folder):
    files = {"m/a.c": "void a(void) { b(); }\n", "m/a.h": "static inline int left(void) { return 0; }\n",
             "m/b.c": "void b(void) { left(); }\n"}
    assert not knots(folder, files)   # b.c does not include a.h
    assert knots(folder, {**files, "m/b.c": '#include "m/a.h"\nvoid b(void) { left(); }\n'}) == [["a", "b"]]


def test_comments_texts_and_members_call_nothing(folder):
    files = {"m/a.c": 'void a(struct s *p) { /* b() */ puts("b()"); p->b(1); p[0].b(); }\n// b()\n',
             "m/b.c": "void b(void) { a(0); }\n"}
    assert not knots(folder, files)


def test_a_parameter_hides_a_function(folder):
    files = {"m/a.c": "void a(int (*b)(int), int n) { b(n); }\n", "m/b.c": "void b(void) { a(0, 0); }\n"}
    assert not knots(folder, files)
    assert not knots(folder, {**files, "m/a.c": "void a(call *b, int n) { b(n); }\n"})


def test_an_address_is_no_call_and_is_listed(folder):
    files = {"m/a.c": "void b(void);\nvoid a(void) { later(b); }\nstatic const struct t t = {.run = b};\n",
             "m/b.c": "void b(void) { a(); }\n"}
    found = tree(folder, files)
    assert not structure.components(found.edges("m"))
    assert [(a.name, b.name) for a, b in found.edges("m", pointers=True)] == [("a", "b")]


def test_the_rows_of_a_list_call_what_they_say(folder):
    files = {"m/list.def": "#define UNITS(X) X(b) X(c)\n", "m/b.c": "void b_cycle(void) { a(); }\n",
             "m/a.c": '#include "m/list.def"\n#define CYCLE(name) name##_cycle();\nvoid a(void) { UNITS(CYCLE) }\n'}
    assert knots(folder, files) == [["a", "b"]]


def test_macros_define_functions(folder):
    text = "#define OP(id) void exec_##id(int n)\n#define TWIN(f, g) int f(int n) { return g(n); }\n"
    found = tree(folder, {"m/a.c": text + "OP(add) { one(n); }\nTWIN(x, y)\nvoid last(void) {}\n"})
    assert [(f.name, list(f.calls)) for f in found.functions] == [("exec_add", ["one"]), ("x", ["y"]), ("last", [])]


def test_tables_and_types_are_no_functions(folder):
    text = "struct a {\n    int x;\n};\nenum b { B = (1) };\nstatic const int t[] = {(1), 2};\n" \
           "__attribute__((cold)) static int (*pick(int n))(void)\n{\n    return 0;\n}\nvoid f(void);\n"
    found = tree(folder, {"m/a.c": text})
    assert [(f.name, f.line, f.lines) for f in found.functions] == [("pick", 6, 4)]


def test_the_sm_and_opcodes_are_counted(folder):
    files = {"sm/a.c": "void a(const struct sm *sm) { if (op == ISA_OP_NOP) /* ISA_OP_EXIT */ x(sm); }\n"
                       "void b(struct sm_port *p) {}\n",
             "isa/a.c": "int op(void) { return ISA_OP_NOP; }\n", "gpu/a.c": "void g(struct sm *sm) {}\n"}
    result = measured(folder, files)
    assert result["functions with struct sm *"] == 1 and result["ISA_OP_ outside isa and exec"] == 1
    assert result["lines of the longest function"] == 1 and result["lines of the largest .c file"] == 2


def test_a_function_that_nothing_names_is_unused(folder):
    files = {"m/a.c": "void a(void) {}\nvoid b(void) { a(); }\nvoid c(void) {}\nint main(void) {}\nconst t x = {c};\n"}
    assert [f.name for f in structure.unused(tree(folder, files), folder)] == ["b"]


def complaints(rows):
    with contextlib.redirect_stdout(io.StringIO()) as out:
        bad = structure.check(rows)
    return bad, out.getvalue()


def test_more_than_the_limit_fails_and_the_limit_does_not():
    limits = structure.limits()
    name = "lines of the longest function"
    rest = [(other, value, "") for other, value in limits.items() if other != name]
    assert complaints(rest + [(name, limits[name], "")]) == (0, "")
    bad, text = complaints(rest + [(name, limits[name] + 1, "lsu")])
    assert bad == 1 and text == f"{name}: {limits[name] + 1}, and the limit is {limits[name]} (lsu)\n"


def test_a_limit_without_a_measure_and_a_cycle_without_a_limit_fail():
    rows = [(name, value, "") for name, value in structure.limits().items()]
    assert complaints(rows[1:])[0] == 1
    assert complaints(rows + [("cycle new", 2, "")])[0] == 1


if __name__ == "__main__":
    main(globals())
