/* Lines and small traces of version 6, their comparison, and their refusal. */
#ifndef SUBCORE_TESTS_ACCELSIM_VERSION6_H
#define SUBCORE_TESTS_ACCELSIM_VERSION6_H

#include "tests/accelsim/traces.h"

#define SIX HEAD("6", "90", GRID("1,1,1", "32,1,1")) BODY
#define FIVE_90 HEAD("5", "90", GRID("1,1,1", "32,1,1")) BODY

#define OBJECT(pc, what, place, value) pc " 00000001 0 SYNCS." what " 2 R2 R4 8 2 " place " 0 Val 1 400 1 " value "\n"
#define ASKS(pc, place, value) OBJECT(pc, "PHASECHK.TRANS64.TRYWAIT", place, value)
#define STORE(pc) pc " 00000001 0 STG.E 2 R2 R4 4 2 0x700000001000 0 NoVal\n"
#define LAST "0100 ffffffff 0 EXIT 0 0 0 NoVal\n"

/* Both files have the same code and the same streams of five instructions in each first warp. */
static inline void same_streams(struct trace_file *a, struct trace_file *b)
{
    struct status status = {0};
    struct trace_kernel *x = trace_kernel_open(a, 0, &status), *y = trace_kernel_open(b, 0, &status);
    const struct trace_launch *l = trace_kernel_launch(x), *m = trace_kernel_launch(y);
    struct trace_cursor *c = trace_cursor_create(x), *d = trace_cursor_create(y);
    struct issued is, other;
    assert_int_equal(l->code_count, m->code_count);
    for (uint32_t i = 0; i < l->code_count; i++) {
        assert_true(l->code[i].isa.word.lo == m->code[i].isa.word.lo &&
                    l->code[i].isa.word.hi == m->code[i].isa.word.hi);
        assert_string_equal(l->code[i].described ? l->code[i].described : "",
                            m->code[i].described ? m->code[i].described : "");
    }
    assert_int_equal(trace_launch_ctas(l), trace_launch_ctas(m));
    for (uint64_t cta = 0; cta < trace_launch_ctas(l); cta++) {
        unsigned count = 0;
        assert_true(trace_cursor_seek(c, cta, 0, &status) && trace_cursor_seek(d, cta, 0, &status));
        for (; trace_cursor_next(c, &is, &status); count++) {
            assert_true(trace_cursor_next(d, &other, &status));
            assert_int_equal(is.pc, other.pc);
            assert_int_equal(is.active, other.active);
            assert_int_equal(is.space, other.space);
            for (unsigned lane = 0; lane < 32 && is.space; lane++)
                if (is.active >> lane & 1)
                    assert_true(is.address[lane] == other.address[lane]);
        }
        assert_int_equal(count, 5);
        assert_false(trace_cursor_next(d, &other, &status));
    }
    trace_cursor_destroy(c);
    trace_cursor_destroy(d);
    trace_kernel_close(x);
    trace_kernel_close(y);
}

/* The trace cannot be read, and the message says why. */
static inline void refused(const char *text, const char *why)
{
    struct folder f;
    struct status status = {0};
    struct accelsim_report report;
    make_folder(&f, text);
    if (accelsim_open(f.list, &ACCELSIM_DEFAULTS, &report, &status))
        fail_msg("it is read, and nobody says '%s'", why);
    if (!strstr(status.text, why))
        fail_msg("'%s' does not say '%s'", status.text, why);
    remove_folder(&f);
}

#endif
