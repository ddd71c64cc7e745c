/* The listing of a kernel with the cycles of its instructions. */
#include "report/source.h"

#include "tests/unit.h"

enum { MOST = 1 << 16, COUNT = 8 };

struct sample {
    struct isa_inst inst[COUNT];
    struct source_line lines[COUNT];
    struct line_counters counters[COUNT + 1];
    struct line_profile profile;
};

/* Instructions 0 to 2 and 5 ran; 5 has more than half of the warp-cycles. */
static struct sample *sample(void)
{
    static const char text[] = "x\t= y;\nz";
    struct sample *s = calloc(1, sizeof *s);
    assert_non_null(s);
    for (unsigned i = 0; i < COUNT; i++) {
        s->inst[i] = (struct isa_inst){.op = ISA_INVALID, .pc = 16 * i, .word = {i, 0}};
        s->lines[i] = (struct source_line){.inst = &s->inst[i], .file = "a.cu", .line = i < 2 ? 7 : 8};
    }
    s->lines[0].text = s->lines[1].text = text;
    s->lines[0].text_length = s->lines[1].text_length = 6;
    const unsigned ran[] = {0, 1, 2, 5};
    for (unsigned k = 0; k < 4; k++) {
        struct line_counters *n = &s->counters[ran[k]];
        n->inst_issued = n->stall[STALL_SELECTED] = n->cycle[CYCLE_ISSUE] = 10;
        n->thread_inst_executed = 320;
        n->thread_inst_executed_pred_on = 165;
        n->stall[STALL_WAIT] = n->cycle[CYCLE_FIXED_RESULT] = 40;
    }
    s->counters[5].stall[STALL_LONG_SCOREBOARD] = s->counters[5].cycle[CYCLE_L1TEX_DATA] = 200;
    s->counters[COUNT].cycle[CYCLE_NO_WARP] = 100;
    s->profile = (struct line_profile){COUNT, s->counters};
    return s;
}

static char *capture(const struct sample *s,
                     void (*report)(const struct source_line *, const struct line_profile *, FILE *))
{
    char *text = calloc(1, MOST);
    assert_non_null(text);
    FILE *out = fmemopen(text, MOST, "w");
    assert_non_null(out);
    report(s->lines, &s->profile, out);
    fclose(out);
    return text;
}

/* The row of an instruction, by its pc; NULL when it has none. */
static const char *row_of(const char *text, unsigned pc)
{
    char place[16];
    snprintf(place, sizeof place, " %04x  ", pc);
    const char *at = strstr(text, place);
    while (at && at > text && at[-1] != '\n')
        at--;
    return at;
}

static void shares_are_of_all_cycles(void **state)
{
    (void)state;
    struct sample *s = sample();
    char *text = capture(s, report_source);
    const unsigned ran[] = {0, 1, 2, 5};
    double warps = 0, schedulers = 0;
    assert_non_null(strstr(text, "400 warp-cycles and of 500 scheduler cycles"));
    for (unsigned k = 0; k < 4; k++) {
        double warp, scheduler;
        const char *row = row_of(text, 16 * ran[k]);
        assert_non_null(row);
        assert_int_equal(sscanf(row + 1, "%lf %*[#] %lf", &warp, &scheduler), 2);
        warps += warp;
        schedulers += scheduler;
    }
    assert_in_range(10 * warps + 0.5, 999, 1001);
    assert_in_range(10 * schedulers + 0.5, 799, 801);
    assert_non_null(strstr(text, " 20.0 Idle "));
    free(text);
    free(s);
}

static void the_fewest_instructions_with_half_of_the_cycles_are_marked(void **state)
{
    (void)state;
    struct sample *s = sample();
    char *text = capture(s, report_source);
    assert_int_equal(row_of(text, 0x50)[0], '>');
    assert_int_equal(row_of(text, 0)[0], ' ');
    assert_int_equal(row_of(text, 0x20)[0], ' ');
    free(text);
    s->counters[5].stall[STALL_LONG_SCOREBOARD] = 0; /* four alike: two are half */
    text = capture(s, report_source);
    assert_int_equal(row_of(text, 0)[0], '>');
    assert_int_equal(row_of(text, 0x10)[0], '>');
    assert_int_equal(row_of(text, 0x20)[0], ' ');
    assert_int_equal(row_of(text, 0x50)[0], ' ');
    free(text);
    free(s);
}

static void instructions_that_no_warp_came_to_are_counted_not_printed(void **state)
{
    (void)state;
    struct sample *s = sample();
    char *text = capture(s, report_source);
    assert_null(row_of(text, 0x30));
    const char *gap = strstr(text, "... 2 instructions that no warp came to\n");
    assert_non_null(gap);
    assert_non_null(strstr(gap + 1, "... 2 instructions that no warp came to\n"));
    free(text);
    free(s);
}

static void a_line_of_the_program_stands_once_above_its_instructions(void **state)
{
    (void)state;
    struct sample *s = sample();
    char *text = capture(s, report_source);
    const char *first = strstr(text, "a.cu:7  x = y;\n"), *second = strstr(text, "a.cu:8\n");
    const char *top = strstr(text, "Lines of the program, largest first\n");
    assert_non_null(first);
    assert_non_null(second);
    assert_non_null(top);
    assert_true(strstr(first + 1, "a.cu:7") > top); /* 300 warp-cycles, and 100 */
    assert_non_null(
        strstr(top, "  75.0 ######  60.0 MemData    a.cu:8\n  25.0 ##      20.0 ComData    a.cu:7  x = y;\n"));
    assert_true(first < row_of(text, 0) && row_of(text, 0x10) < second && second < row_of(text, 0x20));
    free(text);
    free(s);
}

static void the_largest_states_of_a_row_are_named_with_their_shares(void **state)
{
    (void)state;
    struct sample *s = sample();
    char *text = capture(s, report_source);
    const char *row = row_of(text, 0x50);
    const char *states = strstr(row, "long_scoreboard 80, wait 16\n");
    assert_non_null(states);
    assert_true(states < strchr(row, '\n'));
    assert_non_null(strstr(row, "MemData"));
    assert_non_null(strstr(row, " 16.5      8 0050"));
    free(text);
    free(s);
}

static void columns_of_the_table_add_up(void **state)
{
    (void)state;
    struct sample *s = sample();
    char *text = capture(s, report_source_csv);
    unsigned columns = 1, rows = 0;
    for (const char *at = text; *at != '\n'; at++)
        columns += *at == ',';
    assert_int_equal(columns, 8 + STALL_COUNT + CYCLE_EVENT_COUNT);
    for (const char *at = strchr(text, '\n') + 1; *at; at = strchr(at, '\n') + 1) {
        unsigned own = 1;
        for (const char *c = at; *c != '\n'; c++)
            own += *c == ',';
        assert_int_equal(own, columns);
        rows++;
    }
    assert_int_equal(rows, 4 + 1);
    free(text);
    free(s);
}

static void a_kernel_that_did_not_run_has_no_shares(void **state)
{
    (void)state;
    struct sample *s = sample();
    memset(s->counters, 0, sizeof s->counters);
    char *text = capture(s, report_source);
    assert_null(strstr(text, "\n>"));
    assert_non_null(strstr(text, "... 8 instructions that no warp came to\n"));
    free(text);
    free(s);
}

UNIT_TESTS(UNIT(shares_are_of_all_cycles), UNIT(the_fewest_instructions_with_half_of_the_cycles_are_marked),
           UNIT(instructions_that_no_warp_came_to_are_counted_not_printed),
           UNIT(a_line_of_the_program_stands_once_above_its_instructions),
           UNIT(the_largest_states_of_a_row_are_named_with_their_shares), UNIT(columns_of_the_table_add_up),
           UNIT(a_kernel_that_did_not_run_has_no_shares))
