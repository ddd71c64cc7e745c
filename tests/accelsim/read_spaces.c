/* Addresses of a trace in global, shared and local memory. */
#include "tests/accelsim/traces.h"

static void generic_addresses_are_resolved_lane_by_lane(void **state)
{
    (void)state;
    struct stream s;
    struct trace_file *file = stream_of(
        &s, FIVE ONE_WARP("5", "0000 00000003 1 R8 LD.E 1 R6 4 1 0x7f0000000040 4 0\n"
                               "0010 00000003 1 R8 LD.E 1 R6 4 1 0x7f0001000080 4 0\n"
                               "0020 00000007 1 R8 LD.E 1 R6 4 0 0x7f2000000000 0x7f0000000010 0x7f0001000020 0\n"
                               "0030 00000001 0 ST.E 2 R6 R7 4 2 0x7f3000000000 0\n"
                               "0040 ffffffff 0 EXIT 0 0 0\n"));
    assert_int_equal(s.issued[0].space, ISA_SPACE_SHARED);
    assert_int_equal(s.issued[0].address[1], 0x44);
    assert_int_equal(s.issued[1].space, ISA_SPACE_LOCAL);
    assert_int_equal(s.issued[1].address[1], 0x84);
    assert_int_equal(s.issued[2].space, ISA_SPACE_GLOBAL);
    assert_int_equal(s.issued[2].zero_fill, 2);
    assert_int_equal(s.issued[2].address[0], 0x7f2000000000);
    assert_int_equal(s.issued[2].address[2], 0x7d0000000020);
    assert_int_equal(s.issued[3].space, ISA_SPACE_GLOBAL);
    assert_int_equal(s.launch->local_bytes, 0x90);
    end_stream(&s, file);
}

static void local_memory_at_the_end_of_its_window_is_packed(void **state)
{
    (void)state;
    struct stream s;
    struct trace_file *file = stream_of(&s, FIVE ONE_WARP("4", "0000 00000003 0 STL.64 2 R1 R4 8 1 0xfffdc8 0 0\n"
                                                               "0010 00000001 0 STL 2 R1 R4 4 2 0xfff7c4 0\n"
                                                               "0020 00000001 1 R4 LDL.64 1 R1 8 2 0xfffdc8 0\n"
                                                               "0030 ffffffff 0 EXIT 0 0 0\n"));
    assert_int_equal(s.issued[0].space, ISA_SPACE_LOCAL);
    assert_int_equal(s.issued[0].bytes, 8);
    assert_int_equal(s.issued[0].address[1], 0x1c8);
    assert_int_equal(s.issued[1].address[0], 1024 + 0x3c4);
    assert_int_equal(s.issued[2].address[0], 0x1c8);
    assert_int_equal(s.launch->local_bytes, 2048);
    end_stream(&s, file);
}

static void local_memory_at_the_begin_of_its_window_stays(void **state)
{
    (void)state;
    struct stream s;
    struct trace_file *file = stream_of(&s, FIVE ONE_WARP("2", "0000 00000001 0 STL 2 R1 R4 4 2 0x214 0\n"
                                                               "0010 ffffffff 0 EXIT 0 0 0\n"));
    assert_int_equal(s.issued[0].address[0], 0x214);
    assert_int_equal(s.launch->local_bytes, 0x220);
    end_stream(&s, file);
}

static void shared_memory_has_offsets(void **state)
{
    (void)state;
    struct stream s;
    struct trace_file *file = stream_of(&s, FIVE ONE_WARP("3", "0000 00000003 1 R4 LDS.128 1 R1 16 1 0x20 16 0\n"
                                                               "0010 ffffffff 1 R4 LDSM.16.M88.4 1 R1 2 1 0x40 16 0\n"
                                                               "0020 ffffffff 0 EXIT 0 0 0\n"));
    assert_int_equal(s.issued[0].space, ISA_SPACE_SHARED);
    assert_int_equal(s.issued[0].bytes, 16);
    assert_int_equal(s.issued[0].address[1], 0x30);
    assert_int_equal(s.issued[1].bytes, 16); /* whatever the trace says */
    assert_int_equal(s.launch->code[1].isa.d.words, 4);
    end_stream(&s, file);
}

static void copies_to_shared_memory_land_side_by_side(void **state)
{
    (void)state;
    struct stream s;
    struct trace_file *file =
        stream_of(&s, FIVE ONE_WARP("4", "0000 0000000d 0 LDGSTS.E.BYPASS.128 2 R3 R6 16 2 0x1000 64 64 0\n"
                                         "0010 ffffffff 0 LDGDEPBAR 0 0 0\n0020 ffffffff 0 DEPBAR.LE 0 0 1\n"
                                         "0030 ffffffff 0 EXIT 0 0 0\n"));
    const struct issued *is = &s.issued[0];
    assert_int_equal(is->space, ISA_SPACE_GLOBAL);
    assert_int_equal(is->bytes, 16);
    assert_int_equal(is->address[3], 0x1080);
    assert_int_equal(is->shared[0], 0);
    assert_int_equal(is->shared[2], 16);
    assert_int_equal(is->shared[3], 32);
    assert_int_equal(s.launch->code[2].isa.op, ISA_OP_DEPBAR);
    assert_int_equal(s.launch->code[2].isa.mod[ISA_MOD_COUNT], 1);
    end_stream(&s, file);
}

UNIT_TESTS(UNIT(generic_addresses_are_resolved_lane_by_lane), UNIT(local_memory_at_the_end_of_its_window_is_packed),
           UNIT(local_memory_at_the_begin_of_its_window_stays), UNIT(shared_memory_has_offsets),
           UNIT(copies_to_shared_memory_land_side_by_side))
