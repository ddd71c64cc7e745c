/* Lines that come again are compared as runs. Made-up warps run through one code in turns of its loop, with other lanes
 * now and then, and each stream has the instructions of its warp. */
#include "tests/accelsim/traces.h"

#include "base/hash.h"

enum { CODE = 160, CTAS = 12, WARPS = 4, MOST = 2000, TEXT = 1 << 22 };

/* A load every so often, a branch at the end of the loop. */
enum { LOADS = 37, LOOP = 140 };

struct did {
    uint16_t at;
    uint32_t mask;
};

struct warps {
    struct did did[CTAS * WARPS][MOST];
    uint32_t count[CTAS * WARPS];
    char text[TEXT];
    size_t used;
};

static uint32_t chance(uint64_t *state, uint32_t of) { return (uint32_t)(hash_mix((*state)++) >> 32) % of; }

static void print(struct warps *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void print(struct warps *w, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    w->used += (size_t)vsnprintf(w->text + w->used, TEXT - w->used, format, arguments);
    va_end(arguments);
    assert_true(w->used < TEXT);
}

static void add(struct warps *w, uint32_t warp, unsigned at, uint32_t mask)
{
    assert_true(w->count[warp] < MOST);
    w->did[warp][w->count[warp]++] = (struct did){(uint16_t)at, mask};
}

/* Two to six turns. A turn may skip a part of the code, or leave some lanes out from a place on. */
static void walk(struct warps *w, uint32_t warp, uint64_t *state)
{
    for (unsigned turn = 2 + chance(state, 5); turn > 0; turn--) {
        uint32_t mask = chance(state, 4) ? UINT32_MAX : 0xffff;
        unsigned skips = chance(state, 3) ? CODE : chance(state, LOOP - 20),
                 part = chance(state, 3) ? CODE : chance(state, LOOP);
        for (unsigned at = chance(state, 2) * 5; at <= LOOP; at++) {
            at += at == skips ? chance(state, 12) : 0;
            add(w, warp, at, at >= part && at < LOOP ? mask & 0xfffff : mask);
        }
    }
    for (unsigned at = LOOP + 1; at < CODE; at++)
        add(w, warp, at, UINT32_MAX);
}

static void print_line(struct warps *w, struct did d)
{
    unsigned pc = d.at * 16;
    if (d.at == CODE - 1)
        print(w, "%04x %08x 0 EXIT 0 0 0\n", pc, d.mask);
    else if (d.at == LOOP)
        print(w, "%04x %08x 0 BRA 0 0 0\n", pc, d.mask);
    else if (d.at % LOADS == LOADS - 1)
        print(w, "%04x %08x 1 R8 LDG.E 1 R6 4 1 0x7f1000000000 4 0\n", pc, d.mask);
    else
        print(w, "%04x %08x 1 R%u FFMA 3 R%u R%u R%u 0 0\n", pc, d.mask, 10 + d.at % 6, 2 + d.at % 3, 3 + d.at % 5,
              10 + d.at % 7);
}

static void print_warps(struct warps *w, const char *head)
{
    w->used = 0;
    print(w, "%s", head);
    for (uint32_t cta = 0; cta < CTAS; cta++) {
        print(w, "#BEGIN_TB\n\nthread block = %u,0,0\n\n", cta);
        for (uint32_t warp = 0; warp < WARPS; warp++) {
            uint32_t number = cta * WARPS + warp;
            print(w, "warp = %u\ninsts = %u\n", warp, w->count[number]);
            for (uint32_t i = 0; i < w->count[number]; i++) {
                print_line(w, w->did[number][i]);
                if (i % 97 == 96)
                    print(w, "\n");
            }
            print(w, "\n");
        }
        print(w, "#END_TB\n\n");
    }
}

static void check_stream(const struct warps *w, const struct trace_kernel *kernel, uint32_t number)
{
    struct status status = {0};
    struct issued is;
    struct trace_cursor *c = trace_cursor_create(kernel);
    assert_non_null(c);
    assert_true(trace_cursor_seek(c, number / WARPS, number % WARPS, &status));
    for (uint32_t i = 0; i < w->count[number]; i++) {
        const struct did *d = &w->did[number][i];
        assert_true(trace_cursor_next(c, &is, &status));
        assert_int_equal(is.pc, d->at * 16);
        assert_int_equal(is.active, d->mask);
        assert_int_equal(is.space, d->at % LOADS == LOADS - 1 ? ISA_SPACE_GLOBAL : ISA_SPACE_NONE);
    }
    assert_false(trace_cursor_next(c, &is, &status));
    trace_cursor_destroy(c);
}

static void streams_have_what_each_warp_did(void **state)
{
    (void)state;
    struct warps *w = calloc(1, sizeof *w);
    assert_non_null(w);
    uint64_t seed = 1;
    for (uint32_t warp = 0; warp < CTAS * WARPS; warp++)
        walk(w, warp, &seed);
    print_warps(w, HEAD("5", "80", GRID("12,1,1", "128,1,1")) BODY);
    struct folder f;
    struct accelsim_report report;
    struct status status = {0};
    make_folder(&f, w->text);
    struct trace_file *file = open_folder(&f, NULL, &report);
    struct trace_kernel *kernel = trace_kernel_open(file, 0, &status);
    assert_non_null(kernel);
    uint64_t all = 0;
    for (uint32_t warp = 0; warp < CTAS * WARPS; warp++) {
        check_stream(w, kernel, warp);
        all += w->count[warp];
    }
    assert_int_equal(report.instructions, all);
    trace_kernel_close(kernel);
    trace_close(file);
    remove_folder(&f);
    free(w);
}

/* All go through the code once. */
static struct warps *warps_alike(void)
{
    struct warps *w = calloc(1, sizeof *w);
    assert_non_null(w);
    for (uint32_t warp = 0; warp < CTAS * WARPS; warp++)
        for (unsigned at = 0; at < CODE; at++)
            add(w, warp, at, UINT32_MAX);
    print_warps(w, HEAD("5", "80", GRID("12,1,1", "128,1,1")) BODY);
    return w;
}

/* Behind the first warp the lines of the others come in runs. The last warp says one line less than it has. */
static void a_run_does_not_go_beyond_the_lines_that_a_warp_says_it_has(void **state)
{
    (void)state;
    struct warps *w = warps_alike();
    struct status status;
    assert_string_equal(message_of(w->text, &status), "");
    char *last = strstr(w->text, "thread block = 11,0,0"), *count = strstr(last, "warp = 3\ninsts = 160");
    assert_non_null(count);
    memcpy(count + strlen("warp = 3\ninsts = "), "018", 3);
    assert_non_null(strstr(message_of(w->text, &status), "nor '#END_TB'"));
    free(w);
}

/* The message has the number of the line, which runs count too. */
static void a_wrong_line_behind_runs_is_named_by_its_number(void **state)
{
    (void)state;
    struct warps *w = warps_alike();
    struct status status;
    char *last = strstr(w->text, "thread block = 11,0,0"), *line = strstr(last, "0640 ffffffff"), number[32];
    assert_non_null(line);
    memcpy(line, "0640 zfffffff", 13);
    unsigned lines = 1;
    for (const char *c = w->text; c < line; c++)
        lines += *c == '\n';
    snprintf(number, sizeof number, ":%u: ", lines);
    assert_non_null(strstr(message_of(w->text, &status), number));
    free(w);
}

UNIT_TESTS(UNIT(streams_have_what_each_warp_did), UNIT(a_run_does_not_go_beyond_the_lines_that_a_warp_says_it_has),
           UNIT(a_wrong_line_behind_runs_is_named_by_its_number))
