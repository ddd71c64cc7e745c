/* Traces of every version and feature, and their translation. */
#include "tests/accelsim/traces.h"

#include <lzma.h>
#include <zlib.h>

#define EXIT_LINE "0030 ffffffff 0 EXIT 0 0 0 \n"

static const char *text_at(const struct stream *s, uint32_t pc)
{
    static _Thread_local char text[ISA_TEXT];
    isa_print(&s->launch->code[pc / 16].isa, text);
    return text;
}

static void the_header_becomes_the_launch(void **state)
{
    (void)state;
    struct stream s;
    struct trace_file *file =
        stream_of(&s, HEAD("5", "86", GRID("1,1,1", "16,2,1")) BODY ONE_WARP("1", "0000 ffffffff 0 EXIT 0 0 0 \n"));
    const struct trace_launch *l = s.launch;
    assert_string_equal(l->name, "k");
    assert_int_equal(l->architecture, 86);
    assert_int_equal(l->grid[0] * l->grid[1] * l->grid[2], 1);
    assert_int_equal(l->block[0], 16);
    assert_int_equal(l->block[1], 2);
    assert_int_equal(l->registers, 20);
    assert_int_equal(l->static_shared + l->dynamic_shared, 64);
    assert_int_equal(l->stream, 7);
    assert_false(l->control_bits);
    assert_int_equal(l->local_bytes, 0);
    end_stream(&s, file);
}

static void lines_become_instructions_with_words_of_the_tables(void **state)
{
    (void)state;
    struct stream s;
    struct trace_file *file =
        stream_of(&s, FIVE ONE_WARP("3", "0000 ffffffff 1 R8 LDG.E.128.SYS 1 R6 16 1 0x7f1000000000 16 0 \n"
                                         "0010 ffffffff 1 R4 IMAD.WIDE 3 R8 R9 R2 0 0\n"
                                         "0020 ffffffff 0 EXIT 0 0 0\n"));
    assert_int_equal(s.count, 3);
    assert_string_equal(text_at(&s, 0), "LDG.E.128 R8, [R6]");
    assert_string_equal(text_at(&s, 16), "IMAD.WIDE R4, R8, R9, R2");
    assert_int_equal(s.launch->code[0].isa.d.words, 4);
    assert_int_equal(s.launch->code[0].isa.a.words, 2);
    assert_int_equal(s.launch->code[1].isa.d.words, 2);
    assert_int_equal(s.launch->code[1].isa.c.words, 2);
    assert_string_equal(s.launch->code[0].described, "LDG.E.128.SYS R8, R6");
    end_stream(&s, file);
}

static void check_addresses(const char *payload, const char *mask, const uint64_t expected[32])
{
    char kernel[4096];
    struct stream s;
    snprintf(kernel, sizeof kernel, FIVE ONE_WARP("2", "0000 %s 1 R8 LDG.E 1 R6 4 %s 0\n0010 ffffffff 0 EXIT 0 0 0\n"),
             mask, payload);
    struct trace_file *file = stream_of(&s, kernel);
    assert_int_equal(s.issued[0].space, ISA_SPACE_GLOBAL);
    assert_int_equal(s.issued[0].bytes, 4);
    for (unsigned lane = 0; lane < 32; lane++)
        if (s.issued[0].active >> lane & 1)
            assert_int_equal(s.issued[0].address[lane], expected[lane]);
    end_stream(&s, file);
}

static void addresses_of_all_modes_are_read(void **state)
{
    (void)state;
    const uint64_t listed[32] = {[1] = 0x100, [3] = 0xffff000012345678};
    check_addresses("0 0x0000000000000100 0xffff000012345678", "0000000a", listed);
    const uint64_t run[32] = {[4] = 0x1000, [5] = 0xffc, [6] = 0xff8};
    check_addresses("1 0x1000 -4", "00000070", run);
    const uint64_t apart[32] = {[0] = 0x1000, [7] = 0x1010, [31] = 0x800};
    check_addresses("2 0x1000 16 -2064", "80000081", apart);
    const uint64_t single[32] = {[9] = 0x2000};
    check_addresses("2 0x2000", "00000200", single);
}

static void an_instruction_without_active_lanes_touches_no_memory(void **state)
{
    (void)state;
    struct stream s;
    struct trace_file *file = stream_of(&s, FIVE ONE_WARP("3", "0000 0000ffff 1 R2 MOV 1 R255 0 0\n"
                                                               "0010 00000000 1 R28 LD.E.64 1 R24 8 1 0x0 0 0 \n"
                                                               "0020 ffffffff 0 EXIT 0 0 0\n"));
    assert_int_equal(s.issued[1].active, 0);
    assert_int_equal(s.issued[1].path, 0xffff); /* of the instruction before */
    assert_int_equal(s.issued[1].space, ISA_SPACE_NONE);
    assert_int_equal(s.issued[1].bytes, 0);
    end_stream(&s, file);
}

static void the_first_versions_have_four_numbers_before_the_pc(void **state)
{
    (void)state;
    static const char *const versions[] = {
        HEAD("1", "70", GRID("1,1,1", "32,1,1")) BODY ONE_WARP("1", "0 0 0 0 0000 ffffffff 0 EXIT 0 0\n"),
        HEAD("2", "70", GRID("1,1,1", "32,1,1")) BODY ONE_WARP("1", "12 3 4 5 0000 ffffffff 0 EXIT 0 0 \n")};
    for (unsigned i = 0; i < 2; i++) {
        struct stream s;
        struct trace_file *file = stream_of(&s, versions[i]);
        assert_int_equal(s.launch->architecture, 70);
        assert_int_equal(s.issued[0].active, UINT32_MAX);
        assert_int_equal(s.issued[0].flow, ISSUED_EXITED);
        end_stream(&s, file);
    }
}

static void versions_3_and_4_may_have_an_immediate_or_not(void **state)
{
    (void)state;
    static const char *const lines[] = {
        HEAD("3", "75", GRID("1,1,1", "32,1,1")) BODY ONE_WARP("2", "0000 00000003 1 R8 LDG.E 1 R6 4 2 0x1000 16\n"
                                                                    "0010 ffffffff 0 EXIT 0 0\n"),
        HEAD("4", "75", GRID("1,1,1", "32,1,1")) BODY ONE_WARP("2", "0000 00000003 1 R8 LDG.E 1 R6 4 2 0x1000 16 -3\n"
                                                                    "0010 ffffffff 0 EXIT 0 0 0\n")};
    for (unsigned i = 0; i < 2; i++) {
        struct stream s;
        struct trace_file *file = stream_of(&s, lines[i]);
        assert_int_equal(s.count, 2);
        assert_int_equal(s.issued[0].address[1], 0x1010);
        end_stream(&s, file);
    }
}

static void a_source_line_may_stand_before_the_pc(void **state)
{
    (void)state;
    struct stream s;
    struct trace_file *file =
        stream_of(&s, HEAD("4", "80", GRID("1,1,1", "32,1,1")) "-enable lineinfo = 1\n#\n" ONE_WARP(
                          "2", "12 0000 ffffffff 1 R2 MOV 1 R255 0 0\n900 0010 ffffffff 0 EXIT 0 0 0\n"));
    assert_int_equal(s.count, 2);
    assert_int_equal(s.issued[1].pc, 16);
    end_stream(&s, file);
}

/* ---- control flow ------------------------------------------------------------------------------------------------ */

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

/* ---- spaces ------------------------------------------------------------------------------------------------------ */

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

/* ---- lists and files --------------------------------------------------------------------------------------------- */

static void copies_from_the_host_stay_in_the_order_of_the_list(void **state)
{
    (void)state;
    struct folder f;
    struct accelsim_report report;
    make_folder(&f, FIVE ONE_WARP("1", EXIT_LINE));
    put_text(f.list, "\nMemcpyHtoD,0x00007f1000000000,4096\r\nMemcpyDtoH,0x1,4\nkernel-1.traceg\n\nkernel-1.traceg\n"
                     "MemcpyHtoD,0x40,1");
    assert_true(accelsim_is_list(f.list));
    assert_true(accelsim_is_list(f.kernel));
    struct trace_file *file = open_folder(&f, NULL, &report);
    assert_int_equal(trace_commands(file), 4);
    assert_int_equal(trace_command(file, 0)->kind, TRACE_COPY);
    assert_int_equal(trace_command(file, 0)->copy.address, 0x7f1000000000);
    assert_int_equal(trace_command(file, 0)->copy.bytes, 4096);
    assert_int_equal(trace_command(file, 2)->kind, TRACE_LAUNCH);
    assert_int_equal(trace_command(file, 2)->kernel, 1);
    assert_int_equal(trace_command(file, 3)->copy.bytes, 1);
    assert_int_equal(report.kernels, 2);
    assert_int_equal(report.copies, 2);
    assert_int_equal(report.instructions, 2);
    trace_close(file);
    struct accelsim_options second = ACCELSIM_DEFAULTS;
    second.first = second.last = 1;
    file = open_folder(&f, &second, &report);
    assert_int_equal(trace_kernels(file), 1);
    trace_close(file);
    remove_folder(&f);
}

static void a_kernels_file_alone_is_a_list(void **state)
{
    (void)state;
    struct folder f;
    make_folder(&f, FIVE ONE_WARP("1", EXIT_LINE));
    struct accelsim_report report;
    struct status status = {0};
    struct trace_file *file = accelsim_open(f.kernel, &ACCELSIM_DEFAULTS, &report, &status);
    assert_non_null(file);
    assert_int_equal(trace_kernels(file), 1);
    trace_close(file);
    remove_folder(&f);
}

static void packed_files_are_read(void **state)
{
    (void)state;
    static const char text[] = FIVE ONE_WARP("1", EXIT_LINE);
    uint8_t packed[4096];
    size_t size = 0;
    struct folder f;
    struct accelsim_report report;
    char path[128];
    make_folder(&f, NULL);
    assert_int_equal(lzma_easy_buffer_encode(1, LZMA_CHECK_CRC32, NULL, (const uint8_t *)text, strlen(text), packed,
                                             &size, sizeof packed),
                     LZMA_OK);
    snprintf(path, sizeof path, "%s/kernel-1.traceg.xz", f.path); /* found although the list does not say .xz */
    put_file(path, packed, size);
    struct trace_file *file = open_folder(&f, NULL, &report);
    assert_int_equal(report.instructions, 1);
    trace_close(file);
    put_file(path, packed, size - 8);
    struct status status = {0};
    assert_null(accelsim_open(f.list, &ACCELSIM_DEFAULTS, &report, &status));
    assert_non_null(strstr(status.text, "the xz data end too early"));
    unlink(path);
    snprintf(path, sizeof path, "%s/kernel-1.traceg.gz", f.path);
    gzFile z = gzopen(path, "wb");
    assert_int_equal(gzwrite(z, text, (unsigned)strlen(text)), strlen(text));
    assert_int_equal(gzclose(z), Z_OK);
    file = open_folder(&f, NULL, &report);
    assert_int_equal(report.instructions, 1);
    trace_close(file);
    assert_int_equal(truncate(path, 60), 0);
    status = (struct status){0};
    assert_null(accelsim_open(f.list, &ACCELSIM_DEFAULTS, &report, &status));
    assert_non_null(strstr(status.text, "the gzip data end too early"));
    remove_folder(&f);
}

static void a_long_trace_of_many_blocks_is_read_in_pieces(void **state)
{
    (void)state;
    struct folder f;
    struct accelsim_report report;
    make_folder(&f, NULL);
    FILE *out = fopen(f.kernel, "wb");
    fputs(HEAD("5", "80", GRID("20,2,1", "64,1,1")) BODY, out);
    for (unsigned cta = 0; cta < 40; cta++) {
        fprintf(out, "#BEGIN_TB\n\nthread block = %u,%u,0\n", cta % 20, cta / 20);
        for (unsigned warp = 0; warp < 2; warp++) {
            fprintf(out, "\nwarp = %u\ninsts = 401\n", warp);
            for (unsigned i = 0; i < 400; i++)
                fprintf(out, "%04x ffffffff 1 R8 LDG.E 1 R6 4 1 0x%x 4 0\n", 16 * i, 0x1000 * cta + 0x80 * warp + i);
            fputs("1900 ffffffff 0 EXIT 0 0 0\n", out);
        }
        fputs("\n#END_TB\n\n", out);
    }
    assert_int_equal(fclose(out), 0);
    struct trace_file *file = open_folder(&f, NULL, &report);
    assert_int_equal(report.instructions, 40 * 2 * 401);
    struct stream s;
    read_stream(&s, file, 0, 33, 1);
    assert_int_equal(s.issued[7].address[3], 0x1000 * 33 + 0x80 + 7 + 12);
    end_stream(&s, file);
    remove_folder(&f);
}

UNIT_TESTS(UNIT(the_header_becomes_the_launch), UNIT(lines_become_instructions_with_words_of_the_tables),
           UNIT(addresses_of_all_modes_are_read), UNIT(an_instruction_without_active_lanes_touches_no_memory),
           UNIT(the_first_versions_have_four_numbers_before_the_pc),
           UNIT(versions_3_and_4_may_have_an_immediate_or_not), UNIT(a_source_line_may_stand_before_the_pc),
           UNIT(the_next_line_says_where_a_warp_goes_on), UNIT(a_warp_waits_at_a_barrier_when_all_its_live_threads_do),
           UNIT(the_immediate_is_a_barriers_number_or_its_threads),
           UNIT(before_volta_any_thread_at_a_barrier_is_its_warp),
           UNIT(another_instruction_at_the_same_pc_gets_a_pc_of_its_own),
           UNIT(a_pc_far_behind_the_others_does_not_make_the_code_large),
           UNIT(what_a_trace_does_not_show_is_what_compiled_code_has),
           UNIT(generic_addresses_are_resolved_lane_by_lane), UNIT(local_memory_at_the_end_of_its_window_is_packed),
           UNIT(local_memory_at_the_begin_of_its_window_stays), UNIT(shared_memory_has_offsets),
           UNIT(copies_to_shared_memory_land_side_by_side), UNIT(copies_from_the_host_stay_in_the_order_of_the_list),
           UNIT(a_kernels_file_alone_is_a_list), UNIT(packed_files_are_read),
           UNIT(a_long_trace_of_many_blocks_is_read_in_pieces))
