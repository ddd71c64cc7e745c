/* The folder that a trace for Accel-Sim is, and the files in it. */
#include "accelsim/write.h"

#include <lzma.h>
#include <sys/stat.h>
#include <zlib.h>

#include "tests/accelsim/written.h"

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

UNIT_TESTS(FOLDER(a_kernel_is_its_header_and_its_ctas_in_order), FOLDER(the_code_is_beside_it),
           FOLDER(without_code_there_is_no_such_file), FOLDER(xz_and_gz_hold_the_same_text),
           FOLDER(lanes_without_an_exit_are_given_one), FOLDER(mnemonics_that_the_table_lacks_are_counted),
           FOLDER(a_pc_behind_the_code_is_an_error), FOLDER(what_is_not_finished_leaves_nothing),
           FOLDER(a_folder_with_something_in_it_is_refused), FOLDER(a_slash_behind_the_name_does_no_harm))
