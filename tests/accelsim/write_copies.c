/* Host copies in the list that leads a trace folder: joined, in pieces, left out. */
#include "accelsim/copies.h"

#include "tests/accelsim/written.h"

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

UNIT_TESTS(FOLDER(copies_between_two_kernels_are_joined), FOLDER(copies_behind_the_last_kernel_are_left_out),
           FOLDER(a_copy_of_more_than_a_gibibyte_has_several_lines),
           FOLDER(copies_that_cannot_be_joined_are_written_out_in_bounded_memory))
