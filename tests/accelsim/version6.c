/* Traces of version 6, as text and in containers: what they become, and what is refused. */
#include "tests/accelsim/traces.h"

#include <zstd.h>

#include "accelsim/export.h"

#define SIX HEAD("6", "90", GRID("1,1,1", "32,1,1")) BODY
#define FIVE_90 HEAD("5", "90", GRID("1,1,1", "32,1,1")) BODY

/* The same three instructions as both versions have them. */
static const char five[] = FIVE_90 ONE_WARP("5", "0000 ffffffff 1 R1 LDG.E 1 R2 4 1 0x700000000000 4 0\n"
                                                 "0010 0000000f 0 STG.E 2 R2 R4 4 2 0x700000001000 8 8 8 0\n"
                                                 "0020 ffffffff 1 R3 IADD3 3 R1 R4 R5 0 7\n"
                                                 "0030 ffffffff 1 R24 HGMMA.64x128x16.F32 1 R24 0 0\n"
                                                 "0040 ffffffff 0 EXIT 0 0 0\n");
static const char six[] =
    SIX ONE_WARP("5", "0000 ffffffff 1 R1 LDG.E 2 R2 UR4 4 1 0x700000000000 4 0 NoVal\n"
                      "0010 0000000f 0 STG.E 3 R2 R4 UR4 4 2 0x700000001000 8 8 8 0 0 Val 1 5 1 7 1 0\n"
                      "0020 ffffffff 2 R3 P0 IADD3 4 R1 R4 R5 UP1 0 7 0 NoVal\n"
                      "0030 ffffffff 1 R24 HGMMA.64x128x16.F32 3 R24 UR4 UR6 0 0 0 NoVal\n"
                      "0040 ffffffff 0 EXIT 0 0 0 NoVal\n");

static void same_streams(struct trace_file *a, struct trace_file *b)
{
    struct status status = {0};
    struct trace_kernel *x = trace_kernel_open(a, 0, &status), *y = trace_kernel_open(b, 0, &status);
    const struct trace_launch *l = trace_kernel_launch(x), *m = trace_kernel_launch(y);
    struct trace_cursor *c = trace_cursor_create(x), *d = trace_cursor_create(y);
    struct issued is, other;
    assert_int_equal(l->code_count, m->code_count);
    for (uint32_t i = 0; i < l->code_count; i++) {
        assert_true(l->code[i].isa.word.lo == m->code[i].isa.word.lo &&
                    l->code[i].isa.word.hi == m->code[i].isa.word.hi);
        assert_string_equal(l->code[i].described ? l->code[i].described : "",
                            m->code[i].described ? m->code[i].described : "");
    }
    assert_int_equal(trace_launch_ctas(l), trace_launch_ctas(m));
    for (uint64_t cta = 0; cta < trace_launch_ctas(l); cta++) {
        unsigned count = 0;
        assert_true(trace_cursor_seek(c, cta, 0, &status) && trace_cursor_seek(d, cta, 0, &status));
        for (; trace_cursor_next(c, &is, &status); count++) {
            assert_true(trace_cursor_next(d, &other, &status));
            assert_int_equal(is.pc, other.pc);
            assert_int_equal(is.active, other.active);
            assert_int_equal(is.space, other.space);
            for (unsigned lane = 0; lane < 32 && is.space; lane++)
                if (is.active >> lane & 1)
                    assert_true(is.address[lane] == other.address[lane]);
        }
        assert_int_equal(count, 5);
        assert_false(trace_cursor_next(d, &other, &status));
    }
    trace_cursor_destroy(c);
    trace_cursor_destroy(d);
    trace_kernel_close(x);
    trace_kernel_close(y);
}

static void lines_become_what_those_of_version_5_become(void **state)
{
    struct folder f, g;
    (void)state;
    make_folder(&f, five);
    make_folder(&g, six);
    struct trace_file *a = open_folder(&f, NULL, NULL), *b = open_folder(&g, NULL, NULL);
    same_streams(a, b);
    trace_close(a);
    trace_close(b);
    remove_folder(&f);
    remove_folder(&g);
}

static void refused(const char *text, const char *why)
{
    struct folder f;
    struct status status = {0};
    struct accelsim_report report;
    make_folder(&f, text);
    assert_null(accelsim_open(f.list, &ACCELSIM_DEFAULTS, &report, &status));
    if (!strstr(status.text, why))
        fail_msg("'%s' does not say '%s'", status.text, why);
    remove_folder(&f);
}

static void what_cannot_be_replayed_is_refused_by_name(void **state)
{
    (void)state;
    refused(
        SIX ONE_WARP("1", "0000 ffffffff 0 UTMALDG.2D 2 UR4 UR8 0 0x400 0 4096 0 1 0x700000000000 32 128 0 NoVal\n"),
        "UTMALDG.2D: bulk and tensor copies of trace version 6 cannot be replayed");
    refused(SIX ONE_WARP("1", "0000 ffffffff 0 UBLKCP.S.G 2 UR4 UR8 0 0 NoVal\n"),
            "UBLKCP.S.G: bulk and tensor copies");
    refused(SIX ONE_WARP("1", "0000 ffffffff 1 X1 MOV 0 0 0 NoVal\n"), "a register R, UR, P or UP");
    refused(SIX ONE_WARP("1", "0000 ffffffff 1 R1 HGMMA 1 R2 x 0 0 NoVal\n"), "the number of a group is expected");
    refused(SIX ONE_WARP("1", "0000 ffffffff 0 EXIT 0 0 1 2 3 NoVal\n"), "two immediates at most");
    refused("-cluster dim = (2,1,1)\n" SIX, "the grid is no multiple of its clusters");
    refused("-cluster dim = (17,1,1)\n" SIX, "a cluster has more than 16 blocks");
    refused(HEAD("7", "90", GRID("1,1,1", "32,1,1")) BODY, "trace version 7 cannot be read");
}

/* ---- containers -------------------------------------------------------------------------------------------------- */

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

/* Four blocks of one warp in clusters of two, the last one first. */
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

static void launches_in_clusters_are_not_exported(void **state)
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
    assert_false(accelsim_export(file, folder, &(struct accelsim_export){0}, &report, &damaged, &status));
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

UNIT_TESTS(UNIT(lines_become_what_those_of_version_5_become), UNIT(what_cannot_be_replayed_is_refused_by_name),
           UNIT(a_container_is_read_as_its_text_with_its_clusters), UNIT(launches_in_clusters_are_not_exported),
           UNIT(damaged_containers_are_refused))
