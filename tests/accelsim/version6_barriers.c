/* Traces of version 6: barriers, and operations on barrier objects by the values of registers. */
#include "tests/accelsim/version6.h"

#include <stdlib.h>

#include "accelsim/hold.h"

static void operands_come_from_the_values_of_registers(void **state)
{
    static struct stream s;
    static const struct {
        uint32_t count, dropped;
        int32_t bytes;
    } want[] = {{1, 0, 4096}, {1, 0, 0}, {3, 0, 0}, {0, 0, 64}, {0, 0, -64}, {0, 0, 1}, {1, 1, 0}};
    (void)state;
    struct trace_file *file = stream_of(
        &s, SIX ONE_WARP(
                "10", OBJECT("0000", "EXCH.64", "0x400", "7ffff800001ffffe")
                          OBJECT("0010", "EXCH.64", "0x408", "1ffff8") OBJECT("0020", "ARRIVE.TRANS64", "0x400", "1000")
                              OBJECT("0030", "ARRIVE.TRANS64.A1T0", "0x400", "5")
                                  OBJECT("0040", "ARRIVE.TRANS64.ART0", "0x400", "3")
                                      OBJECT("0050", "ARRIVE.TRANS64.A0TR", "0x400", "40")
                                          OBJECT("0060", "ARRIVE.TRANS64.A0TX", "0x400", "40")
                                              OBJECT("0070", "ARRIVE.TRANS64.A0T1", "0x400", "40")
                                                  OBJECT("0080", "ARRIVE.TRANS64.OPTOUT.A1T0", "0x400", "40") LAST));
    assert_int_equal(s.count, 10);
    assert_true(s.issued[0].operand[0] == UINT64_C(0x7ffff800001ffffe));
    assert_true(s.issued[1].operand[0] == UINT64_C(0x7fffe000001ffff8)); /* four arrivals, from the low half alone */
    for (unsigned i = 0; i < 7; i++) {
        struct issued_arrival by = issued_unpack_arrival(s.issued[2 + i].operand[0]);
        assert_int_equal(by.count, want[i].count);
        assert_int_equal(by.dropped, want[i].dropped);
        assert_int_equal(by.bytes, want[i].bytes);
        assert_int_equal(s.issued[2 + i].space, ISA_SPACE_SHARED);
        assert_int_equal(s.issued[2 + i].address[0], 0x400);
    }
    end_stream(&s, file);
}

static void assert_waits(const char *text, unsigned first, unsigned second, unsigned third)
{
    unsigned want[] = {first, second, third}, n = 0;
    struct folder f;
    struct status status = {0};
    struct issued is;
    make_folder(&f, text);
    struct trace_file *file = open_folder(&f, NULL, NULL);
    struct trace_kernel *kernel = trace_kernel_open(file, 0, &status);
    struct trace_cursor *c = trace_cursor_create(kernel);
    assert_true(trace_cursor_seek(c, 0, 0, &status));
    while (trace_cursor_next(c, &is, &status))
        if (trace_kernel_launch(kernel)->code[is.pc / 16].isa.op == ISA_OP_SYNCS_PHASECHK && n < 3)
            assert_int_equal(is.operand[0], want[n++]);
    trace_cursor_destroy(c);
    trace_kernel_close(kernel);
    trace_close(file);
    remove_folder(&f);
}

static void a_question_that_is_asked_again_after_effects_was_no_wait(void **state)
{
    enum { NO = 0, WAITS = ISSUED_WAITS, ODD = ISSUED_PARITY };
    (void)state;
    /* another phase, another object, no effects, effects */
    assert_waits(SIX ONE_WARP("5", ASKS("0000", "0x400", "0") STORE("0010") ASKS("0020", "0x400", "80000000")
                                       ASKS("0030", "0x408", "0") LAST),
                 WAITS, WAITS | ODD, WAITS);
    assert_waits(
        SIX ONE_WARP("4", ASKS("0000", "0x400", "0") ASKS("0000", "0x400", "0") ASKS("0000", "0x400", "0") LAST), WAITS,
        WAITS, WAITS);
    assert_waits(SIX ONE_WARP("5", ASKS("0000", "0x400", "0") STORE("0010") ASKS("0020", "0x400", "0")
                                       ASKS("0030", "0x400", "80000000") LAST),
                 NO, WAITS, WAITS | ODD);
    assert_waits(SIX ONE_WARP("6", ASKS("0000", "0x400", "0") STORE("0010") ASKS("0020", "0x400", "0") STORE("0030")
                                       ASKS("0040", "0x400", "0") LAST),
                 NO, NO, WAITS);
}

/* More instructions than are held lie between the question and the next one: it is a wait. */
static void a_question_is_open_for_a_limited_time(void **state)
{
    enum { STORES = HOLD_MOST - 1, ROOM = (STORES + 8) * 64 };
    (void)state;
    for (unsigned more = 0; more < 2; more++) {
        char *text = calloc(1, ROOM), *at = text;
        assert_non_null(text);
        at += sprintf(at, SIX "#BEGIN_TB\n\nthread block = 0,0,0\n\nwarp = 0\ninsts = %u\n", STORES + more + 3);
        at += sprintf(at, ASKS("0000", "0x400", "0"));
        for (unsigned i = 0; i < STORES + more; i++)
            at += sprintf(at, STORE("0010"));
        sprintf(at, ASKS("0020", "0x400", "0") LAST "\n#END_TB\n");
        assert_waits(text, more ? ISSUED_WAITS : 0, ISSUED_WAITS, 0);
        free(text);
    }
}

static void operations_without_values_are_counted(void **state)
{
    static struct stream s;
    (void)state;
    struct trace_file *file =
        stream_of(&s, SIX ONE_WARP("2", "0000 ffffffff 0 SYNCS.PHASECHK.TRANS64.TRYWAIT 2 R2 R4 8 "
                                        "1 0x400 0 0 NoVal\n" LAST));
    assert_int_equal(s.issued[0].operand[0], 0); /* it does not wait */
    end_stream(&s, file);
}

static void barriers_have_their_numbers_and_threads(void **state)
{
    static struct stream s;
    static const unsigned want[][2] = {{0, 0}, {2, 1}, {5, 2}, {6, 3}, {7, 4}};
    (void)state;
    struct trace_file *file = stream_of(&s, SIX ONE_WARP("6", "0000 ffffffff 0 BAR.SYNC 0 0 0 NoVal\n"
                                                              "0010 ffffffff 0 BAR.SYNC 0 0 2 32 NoVal\n"
                                                              "0020 ffffffff 1 R4 BAR.SYNC 0 0 64 0 Val 1 5\n"
                                                              "0030 ffffffff 1 R4 BAR.SYNC 1 R5 0 96 0 Val 1 6 1 60\n"
                                                              "0040 ffffffff 0 BAR.SYNC 1 R5 0 7 128 Val 1 80\n" LAST));
    for (unsigned i = 0; i < 5; i++) {
        assert_int_equal(s.issued[i].flow, ISSUED_AT_BARRIER);
        assert_int_equal(s.issued[i].barrier, want[i][0]);
        assert_int_equal(s.issued[i].barrier_warps, want[i][1]);
    }
    end_stream(&s, file);
}

UNIT_TESTS(UNIT(operands_come_from_the_values_of_registers),
           UNIT(a_question_that_is_asked_again_after_effects_was_no_wait), UNIT(a_question_is_open_for_a_limited_time),
           UNIT(operations_without_values_are_counted), UNIT(barriers_have_their_numbers_and_threads))
