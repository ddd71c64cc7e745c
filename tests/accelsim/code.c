/* Machine code beside a trace, and damaged traces. */
#include "tests/accelsim/traces.h"

#include "base/file.h"
#include "cubin/cubin.h"

static const char sass[] = "subcore-code 1\n# made by hand\narchitecture = 86\nregisters = 33\nstatic shared = 48\n"
                           "local = 16\nlocal base = 0x1000000\ncode address = 0x600000000000\nbank 0 = 372\n"
                           "cooperative = 1\ncontrol bits = 1\nnumber = 5\nanother = 1\n\n"
                           "0000 000fe40000000f0000000a0000017a02 MOV R1, c[0x0][0x28]\n"
                           "0010 000fea0003800000000000000000794d EXIT\n";

static const char traced[] = HEAD("5", "86", GRID("1,1,1", "32,1,1"))
    BODY ONE_WARP("2", "0000 ffffffff 1 R1 MOV 0 0 0\n0010 ffffffff 0 EXIT 0 0 0\n");

static void code_beside_a_trace_is_found(void **state)
{
    (void)state;
    struct folder f;
    struct accelsim_report report;
    struct stream s;
    make_folder(&f, traced);
    put_text(f.other, sass);
    struct trace_file *file = open_folder(&f, NULL, &report);
    read_stream(&s, file, 0, 0, 0);
    const struct trace_launch *l = s.launch;
    assert_int_equal(report.with_code, 1);
    assert_int_equal(l->architecture, 86);
    assert_true(l->control_bits);
    assert_true(l->cooperative);
    assert_int_equal(l->registers, 33);
    assert_int_equal(l->static_shared, 48);
    assert_int_equal(l->dynamic_shared, 16);
    assert_int_equal(l->local_bytes, 16);
    assert_int_equal(l->local_base, 0x1000000);
    assert_int_equal(l->code_address, 0x600000000000);
    assert_int_equal(l->bank_bytes[0], 372);
    assert_int_equal(l->number, 5);
    assert_int_equal(l->code_count, 2);
    assert_null(l->code[0].described);
    assert_int_equal(l->code[0].isa.word.hi, 0x000fe40000000f00);
    assert_int_equal(l->code[0].isa.control.stall, 2);
    assert_int_equal(l->code[1].isa.control.stall, 5);
    end_stream(&s, file);
    struct accelsim_options options = ACCELSIM_DEFAULTS;
    options.ignore_code = true;
    file = open_folder(&f, &options, &report);
    read_stream(&s, file, 0, 0, 0);
    assert_int_equal(report.with_code, 0);
    assert_false(s.launch->control_bits);
    assert_int_equal(s.launch->registers, 20);
    end_stream(&s, file);
    remove_folder(&f);
}

static void the_places_of_copies_are_taken_from_there(void **state)
{
    (void)state;
    char text[2048];
    struct folder f;
    struct stream s;
    make_folder(&f, HEAD("5", "86", GRID("1,1,1", "32,1,1"))
                        BODY ONE_WARP("2", "0000 00000009 0 LDGSTS.E.BYPASS.128 2 R3 R6 16 2 0x1000 64 0\n"
                                           "0010 ffffffff 0 EXIT 0 0 0\n"));
    int n = snprintf(text, sizeof text,
                     "subcore-code 1\narchitecture = 86\n0000 0003e8000b901c440000000004037fae\ncopies 0000");
    for (unsigned lane = 0; lane < 32; lane++)
        n += snprintf(text + n, sizeof text - (size_t)n, " %u", 80 * lane);
    snprintf(text + n, sizeof text - (size_t)n, "\n0010 000fea0003800000000000000000794d\n");
    put_text(f.other, text);
    struct trace_file *file = open_folder(&f, NULL, NULL);
    read_stream(&s, file, 0, 0, 0);
    assert_int_equal(s.launch->code[0].isa.op, ISA_OP_LDGSTS);
    assert_int_equal(s.issued[0].shared[3] - s.issued[0].shared[0], 240);
    assert_int_equal(s.issued[0].address[3], 0x1040);
    end_stream(&s, file);
    remove_folder(&f);
}

static void check_refused(const char *kernel, const char *code, const char *message)
{
    struct folder f;
    struct accelsim_report report;
    struct status status = {0};
    make_folder(&f, kernel);
    put_text(f.other, code);
    assert_null(accelsim_open(f.list, &ACCELSIM_DEFAULTS, &report, &status));
    if (!strstr(status.text, message))
        print_message("# %s\n", status.text);
    assert_non_null(strstr(status.text, message));
    remove_folder(&f);
}

static void code_that_is_not_the_traces_is_refused(void **state)
{
    (void)state;
    check_refused(HEAD("5", "86", GRID("1,1,1", "32,1,1"))
                      BODY ONE_WARP("2", "0000 ffffffff 1 R1 MOV 0 0 0\n0010 ffffffff 1 R1 IADD3 0 0 0\n"),
                  sass, "executes IADD3 at pc 0x10, but");
    check_refused(HEAD("5", "86", GRID("1,1,1", "32,1,1"))
                      BODY ONE_WARP("2", "0000 ffffffff 1 R1 MOV 0 0 0\n0020 ffffffff 0 EXIT 0 0 0\n"),
                  sass, "has no instruction at pc 0x20");
    check_refused(traced, "subcore-code 2\n", "the first line must be 'subcore-code 1'");
    check_refused(traced, "subcore-code 1\narchitecture = 55\n", "'architecture' must be one that is known");
    check_refused(traced, "subcore-code 1\narchitecture = 86\nbank 0 = 65537\n",
                  ".sass:3: a constant bank has at most");
    check_refused(traced, "subcore-code 1\n0008 0123\n", ".sass:2: an instruction is its pc");
    check_refused(traced, "subcore-code 1\n0010 0123\n", ".sass:2: a word has 32 hexadecimal digits");
    check_refused(traced, "subcore-code 1\ncopies 0000 1\n", "the places of copies stand behind");
    check_refused(traced, "subcore-code 1\n0000 000fe40000000f0000000a0000017a02\ncopies 0000 1 2\n",
                  "each of 32 lanes");
    check_refused(traced, "subcore-code 1\nregisters = 99999999999\n", "too large");
    check_refused(traced, "subcore-code 1\nregisters = many\n", "a number is expected");
    check_refused(traced, "subcore-code 1\nregisters\n", ".sass:2: neither");
}

/* A trace of the kernel that passes once over its first instructions up to one that ends it or branches. */
static void write_trace_of(const char *path, const struct cubin_kernel *k, const struct isa_decoder *decoder,
                           const char *name)
{
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    fprintf(out, "-kernel name = %s\n", name);
    fputs(GRID("1,1,1", "32,1,1") "-shmem = 0\n-nregs = 9\n-binary version = 86\n-accelsim tracer version = 5\n#\n"
                                  "thread block = 0,0,0\nwarp = 0\ninsts = 9\n",
          out);
    for (uint32_t pc = 0; pc < 9 * 16; pc += 16) {
        struct word128 word;
        struct isa_inst inst;
        char text[ISA_TEXT];
        memcpy(&word, k->code.data + pc, 16);
        assert_true(isa_decode(decoder, word, pc, &inst));
        isa_print(&inst, text);
        const char *name_at = text[0] == '@' ? strchr(text, ' ') + 1 : text;
        fprintf(out, "%04x ffffffff 0 %.*s 0 0 0\n", pc, (int)strcspn(name_at, " "), name_at);
    }
    fputs("#END_TB\n", out);
    assert_int_equal(fclose(out), 0);
}

static void code_of_a_cubin_gives_words_and_control_bits(void **state)
{
    (void)state;
    char path[4096];
    struct folder f;
    struct status status = {0};
    struct file_bytes bytes;
    struct cubin cubin;
    struct accelsim_report report;
    unit_path(path, "examples/cubin/saxpy.sm_86.cubin");
    assert_true(file_read(path, 1 << 24, &bytes, &status));
    assert_true(cubin_open(&cubin, (struct cubin_bytes){bytes.data, bytes.size}, path, &status));
    struct isa_decoder *decoder = isa_decoder_create(86, &status);
    const struct cubin_kernel *k = &cubin.kernels[0];
    struct accelsim_options options = ACCELSIM_DEFAULTS;
    options.code = path;
    make_folder(&f, NULL);
    write_trace_of(f.kernel, k, decoder, k->name);
    struct trace_file *file = open_folder(&f, &options, &report);
    struct stream s;
    read_stream(&s, file, 0, 0, 0);
    assert_int_equal(report.with_code, 1);
    assert_true(s.launch->control_bits);
    assert_int_equal(s.launch->registers, k->registers);
    assert_int_equal(s.launch->code_count, k->code.size / 16);
    assert_int_equal(s.launch->bank_bytes[0], k->parameter_base + k->parameter_bytes);
    for (uint32_t i = 0; i < s.launch->code_count; i++) {
        assert_memory_equal(&s.launch->code[i].isa.word, k->code.data + 16 * i, 16);
        assert_null(s.launch->code[i].described);
    }
    end_stream(&s, file);
    write_trace_of(f.kernel, k, decoder, "nobody");
    assert_null(accelsim_open(f.list, &options, &report, &status));
    assert_non_null(strstr(status.text, "no kernel nobody for sm_86"));
    remove_folder(&f);
    isa_decoder_destroy(decoder);
    cubin_close(&cubin);
    file_free(&bytes);
}

/* ---- damage ------------------------------------------------------------------------------------------------------ */

static void what_is_wrong_is_told_with_file_and_line(void **state)
{
    (void)state;
    static const struct {
        const char *kernel, *message;
    } wrong[] = {
        {"", "the header does not have 'kernel name'"},
        {"-grid dim = (0,1,1)\n", ":1: no usable value for 'grid dim'"},
        {"-binary version = 80x\n", "no usable value for 'binary version'"},
        {"-kernel name\n", "this line of the header has no '='"},
        {"hello\n", "neither a line of the header"},
        {HEAD("5", "80", GRID("1,1,1", "1025,1,1")) BODY, "a block has 1025 x 1 x 1 threads; at most 1024"},
        {HEAD("5", "80", GRID("1,65536,1", "32,1,1")) BODY, "a grid has 1 x 65536 x 1 blocks"},
        {HEAD("5", "80", GRID("2147483647,65535,65535", "32,1,1")) BODY, "and 2^40 in all"},
        {HEAD("5", "80", GRID("3,1,1", "32,1,1")) BODY BLOCK("1", ""), "thread blocks are missing before this one"},
        {FIVE, "the file ends before the last thread block"},
        {FIVE "thread block = 1,0,0\n", "with a place inside the grid is expected"},
        {FIVE "0 0 0 0 0000 ffffffff 0 EXIT 0 0 0\n", "make a .traceg of this .trace"},
        {FIVE "warp = 0\n", "'warp =' stands outside of a thread block"},
        {FIVE "insts = 1\n", "'insts =' stands outside of a thread block"},
        {FIVE "thread block = 0,0,0\nwarp = 1\n", "CTA 0,0,0 warp 0: 'warp = n' is expected"},
        {FIVE "thread block = 0,0,0\nwarp = 0\ninsts = 0\n", "at least 1"},
        {FIVE "thread block = 0,0,0\n#END_TB\n", "the CTA ends without this warp"},
        {FIVE "thread block = 0,0,0\nfour = 4\n", "neither '#BEGIN_TB'"},
        {FIVE ONE_WARP("2", "0000 ffffffff 0 EXIT 0 0 0\n"), "CTA 0,0,0 warp 0: a pc is expected"},
        {FIVE "thread block = 0,0,0\nwarp = 0\ninsts = 2\n0000 ffffffff 0 EXIT 0 0 0\n",
         "the file ends inside of this warp"},
        {FIVE ONE_WARP("1", "0000 ffffffff 0 EXIT 0 0 0\nwarp = 0\ninsts = 1\n"), "this warp appears a second time"},
        {FIVE ONE_WARP("1", EXIT) ONE_WARP("1", EXIT), "this thread block appears a second time"},
        {FIVE ONE_WARP("1", "000g ffffffff 0 EXIT 0 0 0"), "a pc is expected"},
        {FIVE ONE_WARP("1", "0000 1ffffffff 0 EXIT 0 0 0"), "a mask of 32 lanes"},
        {FIVE ONE_WARP("1", "0004 ffffffff 0 EXIT 0 0 0"), "is no place for an instruction"},
        {FIVE ONE_WARP("1", "0000 ffffffff 2 R1 R2 EXIT 0 0 0"), "0 or 1 is expected as the number of destinations"},
        {FIVE ONE_WARP("1", "0000 ffffffff 1 R256 MOV 0 0 0"), "a destination must be R0 to R255"},
        {FIVE ONE_WARP("1", "0000 ffffffff 1 R2 MOV 8 R1 R1 R1 R1 R1 R1 R1 R1 0 0"),
         "number of sources must be 0 to 7"},
        {FIVE ONE_WARP("1", "0000 ffffffff 1 R2 MOV 2 R1 0 0"), "as many sources"},
        {FIVE ONE_WARP("1", "0000 ffffffff 1 R2 7 1 R1 0 0"), "a mnemonic is expected"},
        {FIVE ONE_WARP("1", "0000 ffffffff 1 R2 MOV 1 R1"), "the width of the access"},
        {FIVE ONE_WARP("1", "0000 ffffffff 1 R2 MOV 1 R1 0 x"), "only an immediate"},
        {FIVE ONE_WARP("1", "0000 ffffffff 1 R2 MOV 1 R1 0 1 1"), "the line goes on"},
        {FIVE ONE_WARP("1", "0000 00000003 1 R2 LDG.E 1 R4 4 3 0x10 0"), "mode of the addresses must be 0, 1 or 2"},
        {FIVE ONE_WARP("1", "0000 00000003 1 R2 LDG.E 1 R4 4 0 0x10"), "an address 0x.. for each active lane"},
        {FIVE ONE_WARP("1", "0000 00000005 1 R2 LDG.E 1 R4 4 1 0x10 4 0"), "lanes that stand side by side"},
        {FIVE ONE_WARP("1", "0000 00000007 1 R2 LDG.E 1 R4 4 2 0x10 4"), "a decimal difference for each active lane"},
        {FIVE ONE_WARP("1", "0000 00000003 1 R2 LDG.E 1 R4 4 2 0x10 4 4 4"), "more on the line than the lanes"},
        {FIVE ONE_WARP("1", "0000 00000003 1 R2 LDG.E 1 R4 4 1 0x10 4 x"), "only an immediate"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct status status;
        const char *text = message_of(wrong[i].kernel, &status);
        if (!text || !strstr(text, wrong[i].message))
            fail_msg("'%s' instead of '%s'", text ? text : "nothing", wrong[i].message);
        assert_non_null(strstr(text, "/kernel-1.traceg:"));
        assert_int_equal(status.code, STATUS_FORMAT);
    }
}

struct heard {
    unsigned count;
    char last[600];
};

static void hear(void *self, const char *text)
{
    struct heard *h = self;
    h->count++;
    snprintf(h->last, sizeof h->last, "%s", text);
}

static void what_is_whole_can_be_read_past_damage(void **state)
{
    (void)state;
    struct folder f;
    struct accelsim_report report;
    struct heard heard = {0};
    struct accelsim_options options = ACCELSIM_DEFAULTS;
    options.keep_going = true;
    options.warn = hear;
    options.self = &heard;
    make_folder(&f, HEAD("5", "80", GRID("2,1,1", "32,1,1")) BODY ONE_WARP("1", EXIT)
                        BLOCK("1", WARP("0", "2", "0000 ffffffff 1 R1 MOV 0 0 0\nnonsense")));
    char path[128];
    snprintf(path, sizeof path, "%s/kernel-2.traceg", f.path);
    put_text(path, FIVE ONE_WARP("1", EXIT));
    put_text(f.list, "kernel-1.traceg\nkernel-2.traceg\nkernel-3.traceg\n");
    struct trace_file *file = open_folder(&f, &options, &report);
    assert_int_equal(trace_kernels(file), 2);
    assert_int_equal(report.damaged_kernels, 2);
    assert_int_equal(heard.count, 2);
    assert_non_null(strstr(heard.last, "kernel-3.traceg: No such file"));
    struct trace_summary summary;
    trace_summary(file, 0, &summary);
    assert_false(summary.complete);
    trace_summary(file, 1, &summary);
    assert_true(summary.complete);
    struct stream s;
    read_stream(&s, file, 0, 0, 0);
    assert_int_equal(s.count, 1);
    end_stream(&s, file);
    remove_folder(&f);
}

/* ---- mnemonics of others ----------------------------------------------------------------------------------------- */

static void unknown_mnemonics_are_warned_about_once_and_counted(void **state)
{
    (void)state;
    struct folder f;
    struct accelsim_report report;
    struct heard heard = {0};
    struct accelsim_options options = ACCELSIM_DEFAULTS;
    options.warn = hear;
    options.self = &heard;
    make_folder(&f,
                FIVE ONE_WARP("5", "0000 ffffffff 1 R6 DFROB.X 2 R2 R4 0 0\n0010 ffffffff 1 R6 DFROB.Y 2 R2 R4 0 0\n"
                                   "0000 ffffffff 1 R6 DFROB.X 2 R2 R4 0 0\n"
                                   "0020 ffffffff 1 R6 LDQ.64 1 R2 8 1 0x100 8 0\n0030 ffffffff 0 EXIT 0 0 0"));
    struct trace_file *file = open_folder(&f, &options, &report);
    struct stream s;
    read_stream(&s, file, 0, 0, 0);
    assert_int_equal(heard.count, 2);
    assert_string_equal(heard.last, "the mnemonic LDQ is not known: it is timed as 'LDG.E.64 R6, [R2]'");
    assert_int_equal(report.unknown_mnemonics, 2);
    assert_int_equal(report.unknown_instructions, 4);
    assert_string_equal(report.unknown[0], "DFROB");
    assert_int_equal(isa_op_info(s.launch->code[0].isa.op)->pipe, ISA_PIPE_FP64);
    assert_int_equal(s.issued[3].space, ISA_SPACE_GLOBAL);
    assert_int_equal(s.issued[3].bytes, 8);
    end_stream(&s, file);
    remove_folder(&f);
}

UNIT_TESTS(UNIT(code_beside_a_trace_is_found), UNIT(the_places_of_copies_are_taken_from_there),
           UNIT(code_that_is_not_the_traces_is_refused), UNIT(code_of_a_cubin_gives_words_and_control_bits),
           UNIT(what_is_wrong_is_told_with_file_and_line), UNIT(what_is_whole_can_be_read_past_damage),
           UNIT(unknown_mnemonics_are_warned_about_once_and_counted))
