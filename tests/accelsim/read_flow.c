/* Control flow that the lines of a trace show: jumps, barriers, pcs, and guards that they leave out. */
#include "tests/accelsim/traces.h"

static void the_next_line_says_where_a_warp_goes_on(void **state)
{
    (void)state;
    struct stream s;
    struct trace_file *file = stream_of(&s, FIVE ONE_WARP("4", "0000 ffffffff 1 R2 MOV 1 R255 0 0\n"
                                                               "0010 ffffffff 0 BRA 0 0 0\n"
                                                               "0000 ffffffff 1 R2 MOV 1 R255 0 0\n"
                                                               "0020 ffffffff 0 EXIT 0 0 0\n"));
    const uint8_t flow[] = {ISSUED_NEXT, ISSUED_JUMP, ISSUED_JUMP, ISSUED_EXITED};
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(s.issued[i].flow, flow[i]);
    assert_int_equal(s.issued[1].next_pc, 0);
    assert_int_equal(s.launch->code_count, 3);
    end_stream(&s, file);
}

static void a_warp_waits_at_a_barrier_when_all_its_live_threads_do(void **state)
{
    (void)state;
    struct stream s;
    struct trace_file *file =
        stream_of(&s, FIVE ONE_WARP("6", "0000 000000ff 0 EXIT 0 0 0\n"
                                         "0010 0000ff00 0 BAR.SYNC 0 0 0\n"
                                         "0010 ff000000 0 BAR.SYNC 0 0 0\n"
                                         "0020 00ff0000 0 EXIT 0 0 0\n" /* the last that did not */
                                         "0030 ff00ff00 0 BAR.SYNC 0 0 0\n"
                                         "0040 ff00ff00 0 EXIT 0 0 0\n"));
    const uint8_t flow[] = {ISSUED_NEXT, ISSUED_JUMP, ISSUED_NEXT, ISSUED_AT_BARRIER, ISSUED_AT_BARRIER, ISSUED_EXITED};
    for (unsigned i = 0; i < 6; i++)
        assert_int_equal(s.issued[i].flow, flow[i]);
    assert_int_equal(s.issued[3].next_pc, 0x30);
    assert_int_equal(s.issued[3].barrier, 0);
    assert_int_equal(s.issued[4].barrier_warps, 0);
    end_stream(&s, file);
}

static void the_immediate_is_a_barriers_number_or_its_threads(void **state)
{
    (void)state;
    struct stream s;
    struct trace_file *file = stream_of(&s, FIVE ONE_WARP("4", "0000 ffffffff 0 BAR.SYNC 0 0 3\n"
                                                               "0010 ffffffff 0 BAR.SYNC 0 0 96\n"
                                                               "0020 ffffffff 0 BAR.ARV 0 0 64\n"
                                                               "0030 ffffffff 0 EXIT 0 0 0\n"));
    assert_int_equal(s.issued[0].barrier, 3);
    assert_int_equal(s.issued[0].barrier_warps, 0);
    assert_int_equal(s.issued[1].barrier, 1);
    assert_int_equal(s.issued[1].barrier_warps, 3);
    assert_int_equal(s.issued[2].flow, ISSUED_NEXT);
    assert_true(s.issued[2].barrier_arrive);
    assert_int_equal(s.issued[2].barrier_warps, 2);
    end_stream(&s, file);
}

static void before_volta_any_thread_at_a_barrier_is_its_warp(void **state)
{
    (void)state;
    struct stream s;
    struct trace_file *file =
        stream_of(&s, HEAD("3", "60", GRID("1,1,1", "32,1,1"))
                          BODY ONE_WARP("3", "0008 ffffffff 1 R2 XMAD 3 R3 R4 R5 0\n0010 0000ffff 0 BAR.SYNC 0 0\n"
                                             "0018 ffffffff 0 EXIT 0 0\n"));
    assert_int_equal(s.issued[1].flow, ISSUED_AT_BARRIER);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(s.issued[i].pc, 16 * i); /* without the places of control bits */
    assert_int_equal(s.launch->architecture, 70);
    assert_string_equal(text_at(&s, 0), "IMAD R2, R3, R4, R5");
    end_stream(&s, file);
}

static void another_instruction_at_the_same_pc_gets_a_pc_of_its_own(void **state)
{
    (void)state;
    struct stream s;
    struct trace_file *file = stream_of(&s, FIVE ONE_WARP("6", "0000 ffffffff 0 CALL.REL.NOINC 0 0 0\n"
                                                               "0000 ffffffff 1 R2 IADD3 3 R2 R3 R255 0 0\n"
                                                               "0010 ffffffff 1 R2 FADD 2 R2 R3 0 0\n"
                                                               "0020 ffffffff 0 RET.REL.NODEC 1 R20 0 0\n"
                                                               "0010 ffffffff 1 R9 MOV 1 R255 0 0\n"
                                                               "0020 ffffffff 0 EXIT 0 0 0\n"));
    assert_int_equal(s.issued[0].pc, 0);
    uint32_t callee = s.issued[1].pc;
    assert_true(callee > 0x20);
    assert_int_equal(s.issued[0].next_pc, callee);
    assert_string_equal(text_at(&s, callee), "IADD3 R2, R2, R3, RZ");
    for (unsigned i = 0; i < 6; i++)
        for (unsigned j = 0; j < i; j++)
            assert_int_not_equal(s.issued[i].pc, s.issued[j].pc);
    assert_int_equal(s.issued[5].flow, ISSUED_EXITED);
    end_stream(&s, file);
}

static void what_a_trace_does_not_show_is_what_compiled_code_has(void **state)
{
    (void)state;
    struct stream s;
    struct trace_file *file = stream_of(
        &s, FIVE ONE_WARP("6", "0000 ffffffff 1 R1 IMAD.MOV.U32 2 R255 R255 0 0\n0010 ffffffff 0 EXIT 0 0 0\n"
                               "0020 ffffffff 0 ISETP.GE.AND 1 R2 0 0\n0030 ffffffff 0 ISETP.NE.AND 1 R3 0 7\n"
                               "0040 ffffffff 0 BRA 0 0 64\n0050 ffffffff 0 EXIT 0 0 0\n"));
    assert_string_equal(text_at(&s, 0), "IMAD.MOV.U32 R1, RZ, RZ, c[0x0][0x28]");
    assert_string_equal(text_at(&s, 0x10), "EXIT"); /* nothing to wait for */
    assert_string_equal(text_at(&s, 0x20), "ISETP.GE.AND P0, PT, R2, c[0x0][0x160], PT");
    assert_string_equal(text_at(&s, 0x30), "ISETP.NE.AND P1, PT, R3, 0x7, PT");
    assert_memory_equal(text_at(&s, 0x40), "@P1 BRA", 7);
    assert_string_equal(text_at(&s, 0x50), "@P1 EXIT");
    end_stream(&s, file);
}

static void a_pc_far_behind_the_others_does_not_make_the_code_large(void **state)
{
    (void)state;
    struct stream s;
    struct trace_file *file = stream_of(&s, FIVE ONE_WARP("4", "0000 ffffffff 1 R2 MOV 1 R255 0 0\n"
                                                               "3000000 ffffffff 1 R2 FADD 2 R2 R3 0 0\n"
                                                               "fff00 ffffffff 1 R2 FMUL 2 R2 R3 0 0\n"
                                                               "0010 ffffffff 0 EXIT 0 0 0\n"));
    assert_string_equal(text_at(&s, s.issued[1].pc), "FADD R2, R2, R3");
    assert_int_equal(s.issued[2].pc, 0xfff00);
    assert_true(s.launch->code_count <= 0x10000);
    end_stream(&s, file);
}

UNIT_TESTS(UNIT(the_next_line_says_where_a_warp_goes_on), UNIT(a_warp_waits_at_a_barrier_when_all_its_live_threads_do),
           UNIT(the_immediate_is_a_barriers_number_or_its_threads),
           UNIT(before_volta_any_thread_at_a_barrier_is_its_warp),
           UNIT(another_instruction_at_the_same_pc_gets_a_pc_of_its_own),
           UNIT(a_pc_far_behind_the_others_does_not_make_the_code_large),
           UNIT(what_a_trace_does_not_show_is_what_compiled_code_has))
