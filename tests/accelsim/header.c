/* Headers of the first tracer, headers with wrong launch facts, and shapes of real traces. */
#include "tests/accelsim/traces.h"

/* ---- a trace with options and its warnings ----------------------------------------------------------------------- */

struct heard {
    unsigned count;
    char text[4][600];
};

static void hear(void *self, const char *text)
{
    struct heard *h = self;
    if (h->count < 4)
        snprintf(h->text[h->count], sizeof h->text[0], "%s", text);
    h->count++;
}

/* The kernel, twice in the list. NULL: it cannot be read, and *status says why. */
static struct trace_file *open_twice(const char *kernel, uint32_t architecture, struct heard *heard,
                                     struct status *status)
{
    struct folder f;
    struct accelsim_report report;
    struct accelsim_options options = ACCELSIM_DEFAULTS;
    *heard = (struct heard){0};
    *status = (struct status){0};
    options.self = heard;
    options.warn = hear;
    options.architecture = architecture;
    make_folder(&f, kernel);
    put_text(f.list, "kernel-1.traceg\nkernel-1.traceg\n");
    struct trace_file *file = accelsim_open(f.list, &options, &report, status);
    remove_folder(&f);
    return file;
}

/* The first kernel's only warp. */
static struct trace_file *warned_stream(struct stream *s, const char *kernel, uint32_t architecture,
                                        struct heard *heard)
{
    struct status status;
    struct trace_file *file = open_twice(kernel, architecture, heard, &status);
    if (!file)
        fail_msg("%s", status.text);
    read_stream(s, file, 0, 0, 0);
    return file;
}

static bool says(const struct heard *heard, unsigned index, const char *part)
{
    return index < heard->count && strstr(heard->text[index], part) != NULL;
}

/* ---- the first tracer -------------------------------------------------------------------------------------------- */

#define FIRST(version) FIRST_OF("8", version)
#define FIRST_OF(threads, version)                                                                                     \
    "-kernel name = _Z3lud\n-kernel id = 1\n-grid dim = (1,1,1)\n-block dim = (" threads                               \
    ",1,1)\n-shmem = 0\n-nregs = 17\n"                                                                                 \
    "-binary version = 70\n-cuda stream id = 0\n" version "\n#traces format = threadblock_x threadblock_y "            \
    "threadblock_z warpid_tb PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width [adrrescompress?] "      \
    "[mem_addresses]\n\n"
#define FIRST_BODY                                                                                                     \
    ONE_WARP("3", "0 0 0 0 0000 000000ff 1 R1 IMAD.MOV.U32 2 R255 R255 0 \n"                                           \
                  "0 0 0 0 0010 000000ff 1 R0 LD.E.SYS 1 R2 4 1 0x7f5bd5a00000 4 \n"                                   \
                  "0 0 0 0 0020 000000ff 0 EXIT 0 0 \n")

static void check_first(const char *kernel)
{
    struct stream s;
    struct heard heard;
    struct trace_file *file = warned_stream(&s, kernel, 0, &heard);
    assert_int_equal(s.count, 3);
    assert_int_equal(s.issued[0].pc, 0);
    assert_int_equal(s.issued[0].active, 0xff);
    assert_int_equal(s.issued[1].space, ISA_SPACE_GLOBAL); /* there are no windows */
    assert_int_equal(s.issued[1].address[7], 0x7f5bd5a0001c);
    assert_int_equal(s.launch->registers, 17);
    assert_int_equal(trace_kernels(file), 2);
    assert_int_equal(heard.count, 2);
    assert_true(says(&heard, 0, "kernel-1.traceg: the header has no 'accelsim tracer version'"));
    assert_true(says(&heard, 1, "2 kernels are read as files of the first tracer"));
    end_stream(&s, file);
}

static void a_header_without_a_tracer_version_is_the_first_tracers(void **state)
{
    (void)state;
    check_first(FIRST("") FIRST_BODY);
}

static void version_0_is_the_first_tracers(void **state)
{
    (void)state;
    check_first(FIRST("-accelsim tracer version = 0\n") FIRST_BODY);
}

static void version_2_is_read_in_the_same_way_and_without_a_warning(void **state)
{
    (void)state;
    struct stream s;
    struct heard heard;
    struct trace_file *file = warned_stream(&s, FIRST("-accelsim tracer version = 2\n") FIRST_BODY, 0, &heard);
    assert_int_equal(s.count, 3);
    assert_int_equal(heard.count, 0);
    end_stream(&s, file);
}

/* Tracers 0 and 1 write the addresses of all lanes on the path, and a mask of those whose guard holds. */
static void addresses_of_lanes_whose_guard_does_not_hold_are_passed_over(void **state)
{
    (void)state;
    static const char *const versions[] = {"", "-accelsim tracer version = 1.2\n"};
    for (unsigned i = 0; i < 2; i++) {
        char kernel[4096];
        struct stream s;
        struct heard heard;
        snprintf(kernel, sizeof kernel,
                 FIRST("%s") ONE_WARP("5", "0 0 0 0 0000 00000024 1 R0 LDG.E.SYS 1 R2 4 0 0x100 0x200 0x300 0x400 \n"
                                           "0 0 0 0 0010 00000024 1 R0 LDG.E.SYS 1 R2 4 1 0x1000 16 \n"
                                           "0 0 0 0 0020 00000000 1 R0 LDG.E.SYS 1 R2 4 0 0x100 0x200 \n"
                                           "0 0 0 0 0030 00000003 1 R0 LDG.E.SYS 1 R2 4 0 0x100 0x200 \n"
                                           "0 0 0 0 0040 000000ff 0 EXIT 0 0 \n"),
                 versions[i]);
        struct trace_file *file = warned_stream(&s, kernel, 0, &heard);
        assert_int_equal(s.count, 5);
        assert_int_equal(s.issued[0].address[2], 0x100);
        assert_int_equal(s.issued[0].address[5], 0x200);
        assert_int_equal(s.issued[1].address[2], 0x1000);
        assert_int_equal(s.issued[1].address[5], 0x1030);
        assert_int_equal(s.issued[2].space, ISA_SPACE_NONE);
        assert_int_equal(s.issued[3].address[1], 0x200);
        end_stream(&s, file);
    }
}

static void a_list_of_32_addresses_has_one_for_each_lane(void **state)
{
    (void)state;
    char kernel[4096] = FIRST_OF("32", "") "thread block = 0,0,0\nwarp = 0\ninsts = 2\n"
                                           "0 0 0 0 0000 80000010 1 R0 LDG.E.SYS 1 R2 4 0";
    struct stream s;
    struct heard heard;
    for (unsigned lane = 0; lane < 32; lane++)
        snprintf(kernel + strlen(kernel), sizeof kernel - strlen(kernel), " 0x%x", 0x1000 + 64 * lane);
    strcat(kernel, " \n0 0 0 0 0010 ffffffff 0 EXIT 0 0 \n#END_TB\n");
    struct trace_file *file = warned_stream(&s, kernel, 0, &heard);
    assert_int_equal(s.issued[0].address[4], 0x1000 + 64 * 4);
    assert_int_equal(s.issued[0].address[31], 0x1000 + 64 * 31);
    end_stream(&s, file);
}

static void what_tracers_since_version_2_do_not_write_is_an_error(void **state)
{
    (void)state;
    struct status status;
    const char *text = message_of(FIRST("-accelsim tracer version = 2\n")
                                      ONE_WARP("1", "0 0 0 0 0000 00000024 1 R0 LDG.E.SYS 1 R2 4 0 0x1 0x2 0x3 \n"),
                                  &status);
    assert_non_null(strstr(text, "only an immediate"));
    text = message_of(FIRST("") ONE_WARP("1", "0 0 0 0 0000 00000024 1 R0 LDG.E.SYS 1 R2 4 0 0x1 \n"), &status);
    assert_non_null(strstr(text, "an address 0x.. for each active lane is expected"));
    text = message_of(FIRST("") ONE_WARP("1", "0 0 0 0 0000 00000024 1 R0 LDG.E.SYS 1 R2 4 0 0x1 0x2 3 \n"), &status);
    assert_non_null(strstr(text, "up to 32 addresses 0x.. are expected"));
}

static void a_handle_of_a_stream_may_be_a_negative_int(void **state)
{
    (void)state;
    struct stream s;
    struct trace_file *file =
        stream_of(&s, FIRST("-cuda stream id = -1431655766\n-accelsim tracer version = 1.2\n") FIRST_BODY);
    assert_true(s.launch->stream == UINT64_MAX - 1431655765);
    end_stream(&s, file);
    struct status status;
    const char *text = message_of(FIRST("-accelsim tracer version = 1.2.x\n") FIRST_BODY, &status);
    assert_non_null(strstr(text, "no usable value for 'accelsim tracer version'"));
    text = message_of(FIRST("-accelsim tracer version = 4294967296\n") FIRST_BODY, &status);
    assert_non_null(strstr(text, "no usable value for 'accelsim tracer version'"));
}

static void a_line_without_the_first_tracers_numbers_is_an_error_that_names_them(void **state)
{
    (void)state;
    struct status status;
    const char *text = message_of(FIRST("") ONE_WARP("1", "0000 000000ff 0 EXIT 0 0\n"), &status);
    assert_non_null(strstr(text, ":18: CTA 0,0,0 warp 0: block and warp, four decimal numbers, are expected before "));
}

static void a_later_version_is_refused(void **state)
{
    (void)state;
    struct status status;
    const char *text = message_of(HEAD("7", "90", GRID("1,1,1", "32,1,1")) BODY, &status);
    assert_non_null(strstr(text, "trace version 7 cannot be read, only versions up to 6"));
}

/* ---- launch facts that are not the kernel's ---------------------------------------------------------------------- */

#define FACTS(shmem, nregs, binary)                                                                                    \
    "-kernel name = k\n-kernel id = 1\n-grid dim = (1,1,1)\n-block dim = (8,1,1)\n-shmem = " shmem "\n-nregs = " nregs \
    "\n-binary version = " binary "\n-cuda stream id = 0\n"                                                            \
    "-shmem base_addr = 0x00007f0000000000\n-local mem base_addr = 0x00007f0001000000\n-nvbit version = 1.7\n"         \
    "-accelsim tracer version = 5\n" BODY
/* Registers up to R31 and shared memory up to byte 0x34. */
#define FACTS_BODY                                                                                                     \
    ONE_WARP("4", "0000 000000ff 1 R20 LDG.E.64 1 R30 8 1 0x7f1000000000 8 0 \n"                                       \
                  "0010 0000000f 0 STS 2 R4 R20 4 1 0x24 4 0 \n"                                                       \
                  "0020 00000001 1 R9 LDS.U8 1 R4 1 1 0x0 0 0 \n0030 000000ff 0 EXIT 0 0 0 \n")

static void check_facts(const char *kernel, uint32_t registers, uint32_t shared)
{
    struct stream s;
    struct heard heard;
    struct trace_file *file = warned_stream(&s, kernel, 86, &heard);
    assert_int_equal(s.launch->registers, registers);
    assert_int_equal(s.launch->static_shared + s.launch->dynamic_shared, shared);
    assert_int_equal(heard.count, 2);
    assert_true(says(&heard, 0, "kernel-1.traceg: 'nregs', 'shmem' and 'binary version' are not the kernel's"));
    assert_true(says(&heard, 0, "cuLaunchKernelEx"));
    assert_true(says(&heard, 1, "2 kernels get the registers"));
    end_stream(&s, file);
}

static void impossible_registers_become_those_of_the_lines(void **state)
{
    (void)state;
    check_facts(FACTS("64", "21955", "80") FACTS_BODY, 32, 64); /* R30 of an address has R31 beside it */
    check_facts(FACTS("64", "256", "80") FACTS_BODY, 32, 64);
    check_facts(FACTS("64", "0", "80") FACTS_BODY, 32, 64);
    check_facts(FACTS("64", "-7", "80") FACTS_BODY, 32, 64);
}

static void a_load_of_128_bits_uses_four_registers(void **state)
{
    (void)state;
    check_facts(FACTS("0", "0", "80") ONE_WARP("2", "0000 000000ff 1 R40 LDG.E.128 1 R2 16 1 0x7f1000000000 16 0 \n"
                                                    "0010 000000ff 0 EXIT 0 0 0 \n"),
                44, 0);
    check_facts(FACTS("0", "0", "80") /* RZ is none */
                ONE_WARP("2", "0000 000000ff 1 R255 FADD 2 R255 R3 0 0 \n0010 000000ff 0 EXIT 0 0 0 \n"),
                4, 0);
    check_facts(FACTS("0", "0", "80") ONE_WARP("1", "0010 000000ff 0 EXIT 0 0 0 \n"), 1, 0);
}

static void a_possible_number_of_registers_stays(void **state)
{
    (void)state;
    struct stream s;
    struct heard heard;
    struct trace_file *file = warned_stream(&s, FACTS("64", "255", "80") FACTS_BODY, 86, &heard);
    assert_int_equal(s.launch->registers, 255);
    end_stream(&s, file);
    file = warned_stream(&s, FACTS("1", "12", "80") FACTS_BODY, 86, &heard); /* fewer than the lines use */
    assert_int_equal(s.launch->registers, 12);
    assert_int_equal(s.launch->static_shared + s.launch->dynamic_shared, 1);
    assert_int_equal(s.launch->architecture, 80);
    assert_int_equal(heard.count, 0);
    end_stream(&s, file);
}

static void shared_memory_is_at_least_what_lines_access_when_facts_are_wrong(void **state)
{
    (void)state;
    check_facts(FACTS("1", "21955", "80") FACTS_BODY, 32, 0x34);
    check_facts(FACTS("-1", "16", "80") FACTS_BODY, 32, 0x34);
    check_facts(FACTS("1048577", "40", "80") FACTS_BODY, 40, 0x34);
    check_facts(FACTS("1", "0", "80")
                    ONE_WARP("2", "0000 00000003 1 R8 LD.E 1 R6 4 1 0x7f0000000040 4 0\n" /* generic */
                                  "0010 000000ff 0 EXIT 0 0 0 \n"),
                9, 0x48);
}

static void binary_version_0_becomes_the_architecture_of_the_gpu(void **state)
{
    (void)state;
    struct stream s;
    struct heard heard;
    struct trace_file *file = warned_stream(&s, FACTS("1", "21955", "0") FACTS_BODY, 75, &heard);
    assert_int_equal(s.launch->architecture, 75);
    assert_int_equal(s.launch->registers, 32);
    assert_true(says(&heard, 0, ", and the architecture of --gpu, sm_75"));
    end_stream(&s, file);
}

static void binary_version_0_without_a_gpu_is_an_error_that_asks_for_one(void **state)
{
    (void)state;
    struct status status;
    struct heard heard;
    assert_null(open_twice(FACTS("1", "21955", "0") FACTS_BODY, 0, &heard, &status));
    assert_non_null(strstr(status.text, "kernel-1.traceg: 'binary version' is 0, as NVBit tracers write it when "
                                        "cuLaunchKernelEx launches the kernel: name a GPU of the code's architecture "
                                        "with --gpu"));
    assert_int_equal(status.code, STATUS_FORMAT);
    assert_null(open_twice(FACTS("1", "40", "19") FACTS_BODY, 80, &heard, &status));
    assert_non_null(strstr(status.text, "no usable value for 'binary version'"));
}

static void a_known_architecture_is_not_the_gpus(void **state)
{
    (void)state;
    struct stream s;
    struct heard heard;
    struct trace_file *file = warned_stream(&s, FIVE ONE_WARP("1", EXIT "\n"), 75, &heard);
    assert_int_equal(s.launch->architecture, 80);
    assert_int_equal(heard.count, 0);
    end_stream(&s, file);
}

static void machine_code_tells_what_the_header_does_not(void **state)
{
    (void)state;
    struct folder f;
    struct stream s;
    make_folder(&f, FACTS("1", "0", "80") ONE_WARP("2", "0000 000000ff 1 R1 MOV 0 0 0\n0010 000000ff 0 EXIT 0 0 0\n"));
    put_text(f.other, "subcore-code 1\narchitecture = 80\nregisters = 33\nstatic shared = 48\n"
                      "0000 000fe40000000f0000000a0000017a02\n0010 000fea0003800000000000000000794d\n");
    struct trace_file *file = open_folder(&f, NULL, NULL);
    read_stream(&s, file, 0, 0, 0);
    assert_int_equal(s.launch->registers, 33);
    assert_int_equal(s.launch->static_shared, 48);
    assert_int_equal(s.launch->dynamic_shared, 0);
    end_stream(&s, file);
    remove_folder(&f);
}

/* ---- shapes of real traces --------------------------------------------------------------------------------------- */

static void a_lane_may_go_on_behind_an_exit_of_all_lanes(void **state)
{
    (void)state;
    struct stream s;
    struct trace_file *file =
        stream_of(&s, HEAD("5", "80", GRID("1,1,1", "8,1,1"))
                          BODY ONE_WARP("4", "b870 000000ff 0 ISETP.NE.AND 2 R2 R3 0 0 \nb880 000000ff 0 EXIT 0 0 0 \n"
                                             "b890 00000001 1 R4 LDG.E 1 R6 4 2 0x7f1000000000 0 \n"
                                             "b8a0 00000001 0 EXIT 0 0 0 \n"));
    assert_int_equal(s.count, 4);
    assert_int_equal(s.issued[1].active, 0xff);
    assert_int_equal(s.issued[1].flow, ISSUED_NEXT);
    assert_int_equal(s.issued[2].active, 1);
    assert_int_equal(s.issued[2].path, 1);
    assert_int_equal(s.issued[2].address[0], 0x7f1000000000);
    assert_int_equal(s.issued[2].flow, ISSUED_NEXT);
    assert_int_equal(s.issued[3].flow, ISSUED_EXITED);
    end_stream(&s, file);
}

static void a_barrier_behind_an_exit_of_all_lanes_is_waited_at(void **state)
{
    (void)state;
    struct stream s;
    struct trace_file *file = stream_of(&s, HEAD("5", "80", GRID("1,1,1", "8,1,1")) BODY ONE_WARP(
                                                "3", "0000 000000ff 0 EXIT 0 0 0 \n0010 00000001 0 BAR.SYNC 0 0 0 \n"
                                                     "0020 00000001 0 EXIT 0 0 0 \n"));
    assert_int_equal(s.issued[0].flow, ISSUED_NEXT);
    assert_int_equal(s.issued[1].flow, ISSUED_AT_BARRIER);
    assert_int_equal(s.issued[2].flow, ISSUED_EXITED);
    end_stream(&s, file);
}

/* Where a predicate stands before the destination the tracer writes it as a source. */
static void a_destination_may_stand_among_the_sources(void **state)
{
    (void)state;
    struct stream s;
    struct isa_regs regs;
    struct trace_file *file =
        stream_of(&s, FIVE ONE_WARP("2", "0000 ffffffff 0 SHFL.DOWN 3 R5 R2 R3 0 31 \n0010 ffffffff 0 EXIT 0 0 0 \n"));
    const struct isa_inst *shuffle = &s.launch->code[0].isa;
    assert_int_equal(shuffle->op, ISA_OP_SHFL);
    isa_registers(shuffle, &regs);
    assert_int_equal(regs.writes, 1);
    assert_int_equal(regs.write[0].first, 5);
    assert_int_equal(regs.reads, 2);
    assert_int_equal(regs.read[0].first, 2);
    assert_int_equal(regs.read[1].first, 3);
    end_stream(&s, file);
}

static void lines_without_active_lanes_have_an_address_that_says_nothing(void **state)
{
    (void)state;
    struct stream s;
    struct trace_file *file =
        stream_of(&s, FIVE ONE_WARP("4", "0000 00000000 1 R4 LDG.E.CONSTANT 1 R2 4 1 0x0 0 0 \n"
                                         "0010 00000000 0 STS.128 2 R4 R8 16 1 0x0 0 0 \n"
                                         "0020 00000000 0 RED.E.ADD.STRONG.GPU 2 R2 R5 4 1 0x0 0 0 \n"
                                         "0030 ffffffff 0 EXIT 0 0 0 \n"));
    assert_int_equal(s.count, 4);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(s.issued[i].active, 0);
        assert_int_equal(s.issued[i].path, UINT32_MAX);
        assert_int_equal(s.issued[i].space, ISA_SPACE_NONE);
    }
    end_stream(&s, file);
}

static void blocks_of_eight_threads_have_one_warp_each(void **state)
{
    (void)state;
    struct stream s;
    struct trace_file *file = stream_of(&s, HEAD("5", "80", GRID("2,1,1", "2,2,2"))
                                                BODY BLOCK("0", WARP("0", "1", "0000 000000ff 0 EXIT 0 0 0 \n"))
                                                    BLOCK("1", WARP("0", "1", "0000 000000ff 0 EXIT 0 0 0 \n")));
    assert_int_equal(trace_launch_warps(s.launch), 1);
    assert_int_equal(s.count, 1);
    assert_int_equal(s.issued[0].path, 0xff);
    trace_kernel_close(s.kernel);
    read_stream(&s, file, 0, 1, 0);
    assert_int_equal(s.count, 1);
    assert_int_equal(s.issued[0].flow, ISSUED_EXITED);
    end_stream(&s, file);
}

UNIT_TESTS(UNIT(a_header_without_a_tracer_version_is_the_first_tracers), UNIT(version_0_is_the_first_tracers),
           UNIT(version_2_is_read_in_the_same_way_and_without_a_warning),
           UNIT(addresses_of_lanes_whose_guard_does_not_hold_are_passed_over),
           UNIT(a_list_of_32_addresses_has_one_for_each_lane),
           UNIT(what_tracers_since_version_2_do_not_write_is_an_error),
           UNIT(a_handle_of_a_stream_may_be_a_negative_int),
           UNIT(a_line_without_the_first_tracers_numbers_is_an_error_that_names_them), UNIT(a_later_version_is_refused),
           UNIT(impossible_registers_become_those_of_the_lines), UNIT(a_load_of_128_bits_uses_four_registers),
           UNIT(a_possible_number_of_registers_stays),
           UNIT(shared_memory_is_at_least_what_lines_access_when_facts_are_wrong),
           UNIT(binary_version_0_becomes_the_architecture_of_the_gpu),
           UNIT(binary_version_0_without_a_gpu_is_an_error_that_asks_for_one),
           UNIT(a_known_architecture_is_not_the_gpus), UNIT(machine_code_tells_what_the_header_does_not),
           UNIT(a_lane_may_go_on_behind_an_exit_of_all_lanes), UNIT(a_barrier_behind_an_exit_of_all_lanes_is_waited_at),
           UNIT(a_destination_may_stand_among_the_sources),
           UNIT(lines_without_active_lanes_have_an_address_that_says_nothing),
           UNIT(blocks_of_eight_threads_have_one_warp_each))
