/* The folder that a trace for Accel-Sim is, and the files in it. */
#include "accelsim/write.h"

#include <dirent.h>
#include <lzma.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "accelsim/copies.h"
#include "base/file.h"
#include "isa/assemble.h"
#include "tests/temporary.h"

enum { CODE = 3, ROOM = 1 << 16 };

static char base[TEMPORARY_PATH], folder[TEMPORARY_PATH + 16];

static int make_base(void **state)
{
    (void)state;
    temporary_folder(base);
    snprintf(folder, sizeof folder, "%s/traces", base);
    return 0;
}

/* Every file of the folder, and the files beside it. */
static unsigned remove_files(const char *path)
{
    char name[4096];
    unsigned count = 0;
    DIR *d = opendir(path);
    const struct dirent *entry;
    while (d && (entry = readdir(d)) != NULL) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        count++;
        snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        if (unlink(name) != 0) {
            remove_files(name);
            rmdir(name);
        }
    }
    if (d)
        closedir(d);
    return count;
}

static int remove_base(void **state)
{
    (void)state;
    remove_files(base);
    return rmdir(base);
}

static const char *read_text(const char *name)
{
    static char text[ROOM];
    char path[512];
    struct file_bytes bytes;
    struct status status = {0};
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (!file_read(path, ROOM - 1, &bytes, &status))
        fail_msg("%s", status.text);
    memcpy(text, bytes.data, bytes.size);
    text[bytes.size] = '\0';
    file_free(&bytes);
    return text;
}

/* ---- a launch of 40 threads a CTA, 2 x 1 CTAs -------------------------------------------------------------------- */

static struct trace_inst code[CODE];

static const struct trace_launch *launch(void)
{
    static const char *const texts[CODE] = {"MOV R1, c[0x0][0x28]", "STG.E [R2.64], R1", "EXIT"};
    static struct trace_launch made;
    struct status status = {0};
    struct isa_assembler *assembler = isa_assembler_create(86, &status);
    struct isa_asm_error error;
    for (unsigned i = 0; i < CODE; i++) {
        struct word128 word;
        assert_true(isa_assemble(assembler, texts[i], strlen(texts[i]), 16 * i, NULL, NULL, &word, &error));
        assert_true(isa_decode(isa_assembler_decoder(assembler), word, 16 * i, &code[i].isa));
    }
    isa_assembler_destroy(assembler);
    made = (struct trace_launch){
        .name = (char *)(uintptr_t) "_Z4copyPf",
        .architecture = 86,
        .grid = {2, 1, 1},
        .block = {20, 2, 1},
        .registers = 16,
        .static_shared = 256,
        .dynamic_shared = 512,
        .local_bytes = 32,
        .bank_bytes = {0x168, 0, 0, 16, 0},
        .code_address = 0x1000,
        .control_bits = true,
        .stream = 7,
        .code = code,
        .code_count = CODE,
    };
    return &made;
}

static struct issued step(unsigned index, uint32_t active)
{
    struct issued is = {.pc = 16 * index, .path = active, .active = active};
    if (index == 1) {
        is.space = ISA_SPACE_GLOBAL;
        for (unsigned lane = 0; lane < 32; lane++)
            is.address[lane] = 0x1000 + 4 * lane;
    }
    return is;
}

static struct accelsim_writer *begin(enum accelsim_packing packing, uint32_t version, bool with_code)
{
    struct status status = {0};
    struct accelsim_format format = {.binary_version = version, .packing = packing, .code = with_code};
    struct accelsim_writer *w = accelsim_writer_create(folder, &format, &status);
    if (!w)
        fail_msg("%s", status.text);
    return w;
}

/* All warps of the kernel; without their EXIT in the lanes of `lost`. */
static void add_kernel(struct accelsim_writer *w, uint32_t lost)
{
    struct status status = {0};
    assert_true(accelsim_writer_begin(w, launch(), &status));
    for (unsigned warp = 0; warp < 4; warp++) {
        uint32_t lanes = warp % 2 ? 0xff : UINT32_MAX;
        accelsim_writer_warp(w, CODE, lanes & ~lost);
        for (unsigned i = 0; i < CODE; i++) {
            struct issued is = step(i, i + 1 == CODE ? lanes & ~lost : lanes);
            accelsim_writer_add(w, &is);
        }
    }
    if (!accelsim_writer_end(w, &status))
        fail_msg("%s", status.text);
}

static void add_copy(struct accelsim_writer *w, uint64_t address, uint64_t bytes)
{
    accelsim_writer_copy(w, &(struct trace_copy){.address = address, .bytes = bytes});
}

static void write_one(enum accelsim_packing packing, uint32_t version, uint32_t lost, struct accelsim_written *report)
{
    struct status status = {0};
    struct accelsim_writer *w = begin(packing, version, true);
    add_copy(w, 0x7f1000000000, 4096);
    add_kernel(w, lost);
    if (report)
        *report = *accelsim_writer_report(w);
    if (!accelsim_writer_finish(w, &status))
        fail_msg("%s", status.text);
    accelsim_writer_destroy(w);
}

#define HEADER                                                                                                         \
    "-kernel name = _Z4copyPf\n-kernel id = 1\n-grid dim = (2,1,1)\n-block dim = (20,2,1)\n-shmem = 768\n"             \
    "-nregs = 16\n-binary version = 86\n-cuda stream id = 7\n-shmem base_addr = 0x00007e0000000000\n"                  \
    "-local mem base_addr = 0x00007e0001000000\n-nvbit version = subcore\n-accelsim tracer version = 5\n"              \
    "-enable lineinfo = 0\n\n#traces format = [line_num] PC mask dest_num [reg_dests] opcode src_num [reg_srcs] "      \
    "mem_width [adrrescompress?] [mem_addresses] immediate\n\n"
#define WARP(number, mask)                                                                                             \
    "warp = " number "\ninsts = 3\n0000 " mask " 1 R1 MOV 0 0 0\n0010 " mask                                           \
    " 0 STG.E 2 R2 R1 4 1 0x1000 4 0\n0020 " mask " 0 EXIT 0 0 0\n\n"
#define CTA(x) "#BEGIN_TB\n\nthread block = " x ",0,0\n\n" WARP("0", "ffffffff") WARP("1", "000000ff") "#END_TB\n\n"

static void a_kernel_is_its_header_and_its_ctas_in_order(void **state)
{
    (void)state;
    struct accelsim_written report;
    write_one(ACCELSIM_PLAIN, 0, 0, &report);
    assert_string_equal(read_text("kernel-1.traceg"), HEADER CTA("0") CTA("1"));
    assert_string_equal(read_text("kernelslist.g"), "MemcpyHtoD,0x00007f1000000000,4096\nkernel-1.traceg\n");
    assert_int_equal(report.instructions, 4 * CODE);
    assert_int_equal(report.kernels, 1);
    assert_int_equal(report.copies, 1);
    assert_int_equal(report.exits, 0);
    assert_int_equal(report.binary_version, 86);
}

static void the_code_is_beside_it(void **state)
{
    (void)state;
    char wanted[1024];
    write_one(ACCELSIM_PLAIN, 80, 0, NULL);
    snprintf(
        wanted, sizeof wanted,
        "subcore-code 1\narchitecture = 86\nregisters = 16\nstatic shared = 256\npreferred shared = 0\nlocal = 32\n"
        "local base = 0x0\ncode address = 0x1000\nbank 0 = 360\nbank 3 = 16\ncooperative = 0\ncontrol bits = 1\n"
        "number = 0\n\n0000 %016llx%016llx MOV R1, c[0x0][0x28]\n",
        (unsigned long long)code[0].isa.word.hi, (unsigned long long)code[0].isa.word.lo);
    assert_memory_equal(read_text("kernel-1.sass"), wanted, strlen(wanted));
    assert_non_null(strstr(read_text("kernel-1.traceg"), "-binary version = 80\n"));
}

static void without_code_there_is_no_such_file(void **state)
{
    (void)state;
    struct status status = {0};
    struct accelsim_writer *w = begin(ACCELSIM_PLAIN, 0, false);
    add_kernel(w, 0);
    assert_true(accelsim_writer_finish(w, &status));
    accelsim_writer_destroy(w);
    assert_int_equal(remove_files(folder), 2);
}

static void xz_and_gz_hold_the_same_text(void **state)
{
    (void)state;
    static char text[ROOM];
    write_one(ACCELSIM_XZ, 0, 0, NULL);
    assert_non_null(strstr(read_text("kernelslist.g"), "\nkernel-1.traceg.xz\n"));
    struct status status = {0};
    struct file_bytes packed;
    char path[512];
    snprintf(path, sizeof path, "%s/kernel-1.traceg.xz", folder);
    assert_true(file_read(path, ROOM, &packed, &status));
    uint64_t limit = UINT64_MAX;
    size_t in = 0, out = 0;
    assert_int_equal(
        lzma_stream_buffer_decode(&limit, 0, NULL, packed.data, &in, packed.size, (uint8_t *)text, &out, ROOM - 1),
        LZMA_OK);
    file_free(&packed);
    text[out] = '\0';
    assert_string_equal(text, HEADER CTA("0") CTA("1"));
    remove_files(folder);

    write_one(ACCELSIM_GZ, 0, 0, NULL);
    snprintf(path, sizeof path, "%s/kernel-1.traceg.gz", folder);
    gzFile file = gzopen(path, "rb");
    assert_non_null(file);
    int length = gzread(file, text, ROOM - 1);
    gzclose(file);
    assert_true(length > 0);
    text[length] = '\0';
    assert_string_equal(text, HEADER CTA("0") CTA("1"));
}

static void lanes_without_an_exit_are_given_one(void **state)
{
    (void)state;
    struct accelsim_written report;
    write_one(ACCELSIM_PLAIN, 0, 0xf, &report);
    const char *text = read_text("kernel-1.traceg");
    assert_non_null(strstr(text, "warp = 0\ninsts = 4\n"));
    assert_non_null(strstr(text, "0020 fffffff0 0 EXIT 0 0 0\n0030 0000000f 0 EXIT 0 0 0\n"));
    assert_non_null(strstr(text, "0020 000000f0 0 EXIT 0 0 0\n0030 0000000f 0 EXIT 0 0 0\n"));
    assert_int_equal(report.exits, 4);
    assert_int_equal(report.instructions, 4 * (CODE + 1));
}

static void mnemonics_that_the_table_lacks_are_counted(void **state)
{
    (void)state;
    struct accelsim_written report;
    code[0].described = NULL;
    struct status status = {0};
    struct accelsim_writer *w = begin(ACCELSIM_PLAIN, 89, false);
    add_kernel(w, 0);
    assert_int_equal(accelsim_writer_report(w)->without_table, 89);
    accelsim_writer_destroy(w);

    w = begin(ACCELSIM_PLAIN, 0, false);
    assert_true(accelsim_writer_begin(w, launch(), &status));
    code[0].described = (char *)(uintptr_t) "NEWOP.X R1";
    for (unsigned warp = 0; warp < 4; warp++) {
        struct issued is = step(0, UINT32_MAX), last = step(2, UINT32_MAX);
        accelsim_writer_warp(w, 2, UINT32_MAX);
        accelsim_writer_add(w, &is);
        accelsim_writer_add(w, &last);
    }
    assert_true(accelsim_writer_end(w, &status));
    report = *accelsim_writer_report(w);
    accelsim_writer_destroy(w);
    code[0].described = NULL;
    assert_int_equal(report.without_table, 0);
    assert_int_equal(report.unknown_count, 1);
    assert_string_equal(report.unknown[0].name, "NEWOP");
    assert_int_equal(report.unknown[0].lines, 4);
}

static void a_pc_behind_the_code_is_an_error(void **state)
{
    (void)state;
    struct status status = {0};
    struct accelsim_writer *w = begin(ACCELSIM_PLAIN, 0, false);
    assert_true(accelsim_writer_begin(w, launch(), &status));
    for (unsigned warp = 0; warp < 4; warp++) {
        struct issued is = {.pc = 16 * CODE, .active = 1};
        accelsim_writer_warp(w, 1, UINT32_MAX);
        accelsim_writer_add(w, &is);
    }
    assert_false(accelsim_writer_end(w, &status));
    assert_int_equal(status.code, STATUS_FORMAT);
    accelsim_writer_destroy(w);
}

/* ---- copies ------------------------------------------------------------------------------------------------------ */

/* Completes the folder. Returns the writer's report. */
static struct accelsim_written finish(struct accelsim_writer *w)
{
    struct status status = {0};
    if (!accelsim_writer_finish(w, &status))
        fail_msg("%s", status.text);
    struct accelsim_written report = *accelsim_writer_report(w);
    accelsim_writer_destroy(w);
    return report;
}

static void copies_between_two_kernels_are_joined(void **state)
{
    (void)state;
    struct accelsim_writer *w = begin(ACCELSIM_PLAIN, 0, false);
    add_copy(w, 0x2000, 16);
    add_copy(w, 0x1004, 4); /* touches the next */
    add_copy(w, 0x1008, 8);
    add_copy(w, 0x1000, 4);
    add_copy(w, 0x2008, 16); /* overlaps the first */
    add_copy(w, 0x2000, 16); /* is the first again */
    add_copy(w, 0x1011, 1);  /* one byte further than to touch */
    add_copy(w, 0x3000, 0);  /* nothing */
    add_kernel(w, 0);
    add_copy(w, 0x1010, 1); /* would touch two ranges before the kernel */
    add_kernel(w, 0);
    add_kernel(w, 0);
    struct accelsim_written report = finish(w);
    assert_string_equal(read_text("kernelslist.g"),
                        "MemcpyHtoD,0x0000000000001000,16\nMemcpyHtoD,0x0000000000001011,1\n"
                        "MemcpyHtoD,0x0000000000002000,24\nkernel-1.traceg\n"
                        "MemcpyHtoD,0x0000000000001010,1\nkernel-2.traceg\nkernel-3.traceg\n");
    assert_int_equal(report.copies, 9);
    assert_int_equal(report.ranges, 4);
    assert_int_equal(report.dropped, 0);
}

static void copies_behind_the_last_kernel_are_left_out(void **state)
{
    (void)state;
    struct accelsim_writer *w = begin(ACCELSIM_PLAIN, 0, false);
    add_copy(w, 0x1000, 4);
    add_kernel(w, 0);
    add_copy(w, 0x2000, 4);
    add_copy(w, 0x2004, 4);
    add_copy(w, 0x4000, 4);
    struct accelsim_written report = finish(w);
    assert_string_equal(read_text("kernelslist.g"), "MemcpyHtoD,0x0000000000001000,4\nkernel-1.traceg\n");
    assert_int_equal(report.copies, 4);
    assert_int_equal(report.ranges, 1);
    assert_int_equal(report.dropped, 3);
}

/* Accel-Sim counts the bytes of a copy in 32 bits. */
static void a_copy_of_more_than_a_gibibyte_has_several_lines(void **state)
{
    (void)state;
    struct accelsim_writer *w = begin(ACCELSIM_PLAIN, 0, false);
    add_copy(w, 0x7f0000000000, UINT64_C(1) << 30);
    add_kernel(w, 0);
    add_copy(w, 0x7f0000000000, UINT64_C(1) << 30);
    add_copy(w, 0x7f0040000000, (UINT64_C(1) << 30) + 1);
    add_kernel(w, 0);
    assert_int_equal(finish(w).ranges, 4);
    assert_string_equal(read_text("kernelslist.g"),
                        "MemcpyHtoD,0x00007f0000000000,1073741824\nkernel-1.traceg\n"
                        "MemcpyHtoD,0x00007f0000000000,1073741824\nMemcpyHtoD,0x00007f0040000000,1073741824\n"
                        "MemcpyHtoD,0x00007f0080000000,1\nkernel-2.traceg\n");
}

/* The list's lines, each `length` characters long with its end. The text behind the last of them must be `end`. */
static void check_long_list(uint64_t lines, size_t length, const char *end)
{
    char path[512], wanted[64];
    struct file_bytes bytes;
    struct status status = {0};
    snprintf(path, sizeof path, "%s/kernelslist.g", folder);
    assert_true(file_read(path, 1 << 24, &bytes, &status));
    assert_int_equal(bytes.size, lines * length + strlen(end));
    for (uint64_t i = 0; i < lines; i++) {
        snprintf(wanted, sizeof wanted, "MemcpyHtoD,0x%016llx,4\n", 0x1000 + 8 * (unsigned long long)i);
        assert_memory_equal(bytes.data + i * length, wanted, length);
    }
    assert_memory_equal(bytes.data + lines * length, end, strlen(end));
    file_free(&bytes);
}

static void copies_that_cannot_be_joined_are_written_out_in_bounded_memory(void **state)
{
    (void)state;
    enum { MANY = 2 * COPIES_MOST + 10, LINE = 32 };
    struct accelsim_writer *w = begin(ACCELSIM_PLAIN, 0, false);
    for (uint64_t i = 0; i < MANY; i++)
        add_copy(w, 0x1000 + 8 * i, 4);
    add_kernel(w, 0);
    for (uint64_t i = 0; i < MANY; i++)
        add_copy(w, 0x1000 + 8 * i, 4);
    struct accelsim_written report = finish(w);
    check_long_list(MANY, LINE, "kernel-1.traceg\n");
    assert_int_equal(report.copies, 2 * MANY);
    assert_int_equal(report.ranges, MANY);
    assert_int_equal(report.dropped, MANY);
}

/* ---- nothing half-written ---------------------------------------------------------------------------------------- */

static void what_is_not_finished_leaves_nothing(void **state)
{
    (void)state;
    struct status status = {0};
    struct accelsim_writer *w = begin(ACCELSIM_PLAIN, 0, true);
    add_kernel(w, 0);
    assert_true(accelsim_writer_begin(w, launch(), &status));
    accelsim_writer_warp(w, 1, 0);
    assert_int_equal(access(folder, F_OK), -1);
    accelsim_writer_destroy(w);
    assert_int_equal(remove_files(base), 0);
}

static void a_folder_with_something_in_it_is_refused(void **state)
{
    (void)state;
    char path[512];
    struct status status = {0};
    struct accelsim_format format = {0};
    assert_int_equal(mkdir(folder, 0777), 0);
    struct accelsim_writer *w = accelsim_writer_create(folder, &format, &status);
    assert_non_null(w); /* empty: it is taken */
    accelsim_writer_destroy(w);
    snprintf(path, sizeof path, "%s/mine", folder);
    fclose(fopen(path, "w"));
    assert_null(accelsim_writer_create(folder, &format, &status));
    assert_int_equal(status.code, STATUS_IO);
    assert_int_equal(access(path, F_OK), 0);
}

static void a_slash_behind_the_name_does_no_harm(void **state)
{
    (void)state;
    strcat(folder, "//");
    write_one(ACCELSIM_PLAIN, 0, 0, NULL);
    assert_non_null(strstr(read_text("kernelslist.g"), "kernel-1.traceg\n"));
}

#define FOLDER(function) cmocka_unit_test_setup_teardown(function, make_base, remove_base)

UNIT_TESTS(FOLDER(a_kernel_is_its_header_and_its_ctas_in_order), FOLDER(the_code_is_beside_it),
           FOLDER(without_code_there_is_no_such_file), FOLDER(xz_and_gz_hold_the_same_text),
           FOLDER(lanes_without_an_exit_are_given_one), FOLDER(mnemonics_that_the_table_lacks_are_counted),
           FOLDER(a_pc_behind_the_code_is_an_error), FOLDER(copies_between_two_kernels_are_joined),
           FOLDER(copies_behind_the_last_kernel_are_left_out), FOLDER(a_copy_of_more_than_a_gibibyte_has_several_lines),
           FOLDER(copies_that_cannot_be_joined_are_written_out_in_bounded_memory),
           FOLDER(what_is_not_finished_leaves_nothing), FOLDER(a_folder_with_something_in_it_is_refused),
           FOLDER(a_slash_behind_the_name_does_no_harm))
