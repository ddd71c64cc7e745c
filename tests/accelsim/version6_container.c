/* Version 6 in containers, whole and damaged. */
#include "tests/accelsim/version6.h"

#include <zstd.h>

#include "accelsim/export.h"

struct bytes {
    uint8_t data[1 << 16];
    size_t size;
};

static void put(struct bytes *b, const void *data, size_t size)
{
    assert_in_range(size, 0, sizeof b->data - b->size);
    memcpy(b->data + b->size, data, size);
    b->size += size;
}

static void put_word(struct bytes *b, uint32_t value) { put(b, &value, 4); }

static const char *const lines[] = {"0000 ffffffff 1 R1 LDG.E 2 R2 UR4 4 1 0x700000000000 4 0 NoVal\n"
                                    "0010 0000000f 0 STG.E 3 R2 R4 UR4 4 2 0x700000001000 8 8 8 0 0 Val 1 5 1 7 1 0\n",
                                    "0020 ffffffff 2 R3 P0 IADD3 4 R1 R4 R5 UP1 0 7 0 NoVal\n"
                                    "0030 ffffffff 1 R24 HGMMA.64x128x16.F32 3 R24 UR4 UR6 0 0 0 NoVal\n",
                                    "0040 ffffffff 0 EXIT 0 0 0 NoVal\n"};
enum { CTAS = 4, PARTS = 3 };

/* Four one-warp blocks in clusters of two, the last one first. */
static size_t make_container(struct bytes *b, bool dictionary)
{
    static const char head[] = HEAD("6", "90", GRID("4,1,1", "32,1,1"));
    static const uint32_t instructions[PARTS] = {2, 2, 1};
    uint64_t place[CTAS];
    ZSTD_CCtx *context = ZSTD_createCCtx();
    b->size = 0;
    put(b, head, sizeof head);
    put_word(b, dictionary ? (uint32_t)strlen(lines[0]) : 0);
    put_word(b, 2);
    if (dictionary)
        put(b, lines[0], strlen(lines[0]));
    for (unsigned cta = 0; cta < CTAS; cta++) {
        place[cta] = b->size;
        put_word(b, 5);
        put_word(b, PARTS);
        for (unsigned i = 0; i < PARTS; i++) {
            uint8_t frame[4096];
            size_t size = ZSTD_compress_usingDict(context, frame, sizeof frame, lines[i], strlen(lines[i]), lines[0],
                                                  dictionary ? strlen(lines[0]) : 0, 3);
            assert_false(ZSTD_isError(size));
            put_word(b, (uint32_t)size);
            put(b, frame, size);
        }
    }
    ZSTD_freeCCtx(context);
    uint64_t index = b->size;
    put_word(b, CTAS);
    for (unsigned cta = CTAS; cta-- > 0;) {
        const uint32_t words[10] = {cta, 0, 0, cta / 2, 0, 0, cta % 2, 0, 0, cta % 2};
        put(b, words, sizeof words);
        put_word(b, 1);
        put_word(b, 5);
        put_word(b, PARTS);
        put(b, &place[cta], 8);
        put(b, instructions, sizeof instructions);
    }
    put(b, &index, 8);
    return (size_t)index;
}

static struct trace_file *open_container(const struct bytes *b, struct status *status)
{
    struct folder f;
    struct accelsim_report report;
    char path[TEMPORARY_PATH + 32];
    make_folder(&f, NULL);
    put_text(f.list, "kernel-1.tracez\n");
    snprintf(path, sizeof path, "%s/kernel-1.tracez", f.path);
    put_file(path, b->data, b->size);
    *status = (struct status){0};
    struct trace_file *file = accelsim_open(f.list, &ACCELSIM_DEFAULTS, &report, status);
    remove_folder(&f);
    return file;
}

static void a_container_is_read_as_its_text_with_its_clusters(void **state)
{
    static struct bytes b;
    struct status status;
    (void)state;
    for (unsigned dictionary = 0; dictionary < 2; dictionary++) {
        make_container(&b, dictionary);
        struct trace_file *file = open_container(&b, &status);
        if (!file)
            fail_msg("%s", status.text);
        struct trace_kernel *kernel = trace_kernel_open(file, 0, &status);
        const struct trace_launch *l = trace_kernel_launch(kernel);
        assert_int_equal(l->cluster[0], 2);
        assert_int_equal(l->cluster[1] * l->cluster[2], 1);
        assert_int_equal(l->grid[0], CTAS);
        struct trace_summary summary;
        trace_summary(file, 0, &summary);
        assert_int_equal(summary.instructions, 5 * CTAS);
        assert_true(summary.complete);
        same_streams(file, file);
        trace_kernel_close(kernel);
        trace_close(file);
    }
}

static void launches_in_clusters_are_not_written_as_version_5(void **state)
{
    static struct bytes b;
    struct status status;
    struct accelsim_written report;
    char folder[TEMPORARY_PATH];
    uint64_t damaged;
    (void)state;
    make_container(&b, false);
    struct trace_file *file = open_container(&b, &status);
    assert_non_null(file);
    temporary_folder(folder);
    const struct accelsim_export export = {.format = {.version = 5}};
    assert_false(accelsim_export(file, folder, &export, &report, &damaged, &status));
    assert_int_equal(status.code, STATUS_UNSUPPORTED);
    assert_non_null(strstr(status.text, "k: launched in clusters"));
    trace_close(file);
    assert_int_equal(rmdir(folder), 0);
}

static void damaged_containers_are_refused(void **state)
{
    static struct bytes b, whole;
    struct status status;
    (void)state;
    make_container(&whole, true);
    for (size_t size = 0; size < whole.size; size += 7) {
        b = whole;
        b.size = size;
        assert_null(open_container(&b, &status));
        assert_int_equal(status.code, STATUS_FORMAT);
    }
    for (size_t at = 0; at < whole.size; at += 5) { /* may still be a container: no more than an error */
        b = whole;
        b.data[at] ^= 0x41;
        struct trace_file *file = open_container(&b, &status);
        if (file)
            trace_close(file);
    }
}

UNIT_TESTS(UNIT(a_container_is_read_as_its_text_with_its_clusters),
           UNIT(launches_in_clusters_are_not_written_as_version_5), UNIT(damaged_containers_are_refused))
