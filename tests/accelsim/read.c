/* Traces of every version as text: headers, lines and lists, and the files that hold them. */
#include "tests/accelsim/traces.h"

#include <lzma.h>
#include <zlib.h>

#define EXIT_LINE "0030 ffffffff 0 EXIT 0 0 0 \n"

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
           UNIT(copies_from_the_host_stay_in_the_order_of_the_list), UNIT(a_kernels_file_alone_is_a_list),
           UNIT(packed_files_are_read), UNIT(a_long_trace_of_many_blocks_is_read_in_pieces))
