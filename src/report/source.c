#include "report/source.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/format.h"

enum { BAR = 6, TEXT_LEAST = 36, TEXT_MOST = 56, STATES = 3, STATE_LEAST = 5, SOURCE_MOST = 88, PLACE = 47, TOP = 8 };

static double percent(uint64_t a, uint64_t b) { return b ? 100 * (double)a / (double)b : 0; }

/* ---- the lines that matter --------------------------------------------------------------------------------------- */

struct ranked {
    uint64_t cycles;
    uint32_t index;
};

static int by_cycles(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->cycles != y->cycles)
        return x->cycles < y->cycles ? 1 : -1;
    return x->index < y->index ? -1 : 1;
}

/* Marks the fewest instructions that have half of all warp-cycles. */
static void mark_hot(const struct line_profile *profile, uint64_t total, struct ranked *ranked, bool *hot)
{
    for (uint32_t i = 0; i < profile->count; i++)
        ranked[i] = (struct ranked){line_warp_cycles(&profile->line[i]), i};
    qsort(ranked, profile->count, sizeof *ranked, by_cycles);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < profile->count && sum < total - sum; i++) {
        hot[ranked[i].index] = true;
        sum += ranked[i].cycles;
    }
}

/* ---- the page ---------------------------------------------------------------------------------------------------- */

/* An instruction that was reached and comes from a known line; sorted by that line. */
struct placed {
    const struct source_line *line;
    uint32_t index;
};

struct page {
    const struct source_line *lines;
    const struct line_profile *profile;
    struct line_counters total;
    uint64_t warps, schedulers, most; /* totals, and the most warp-cycles of one instruction */
    int width;                        /* of the instructions */
    bool *hot;
    bool *first; /* instruction: no earlier one that was reached comes from this line of the program */
    struct placed *placed;
    uint32_t placed_count;
};

static int by_place(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;
    int files = x->line->file == y->line->file ? 0 : strcmp(x->line->file, y->line->file);
    if (files)
        return files;
    if (x->line->line != y->line->line)
        return x->line->line < y->line->line ? -1 : 1;
    return x->index < y->index ? -1 : 1;
}

static bool same_place(const struct source_line *a, const struct source_line *b)
{
    return a->line == b->line && (a->file == b->file || strcmp(a->file, b->file) == 0);
}

static void place(struct page *page)
{
    for (uint32_t i = 0; i < page->profile->count; i++)
        if (page->lines[i].file && line_warp_cycles(&page->profile->line[i]))
            page->placed[page->placed_count++] = (struct placed){&page->lines[i], i};
    qsort(page->placed, page->placed_count, sizeof *page->placed, by_place);
    for (uint32_t i = 0; i < page->placed_count; i++)
        page->first[page->placed[i].index] = i == 0 || !same_place(page->placed[i - 1].line, page->placed[i].line);
}

static void measure(struct page *page, struct ranked *ranked)
{
    page->width = TEXT_LEAST;
    for (uint32_t i = 0; i <= page->profile->count; i++)
        line_counters_add(&page->total, &page->profile->line[i]);
    page->warps = line_warp_cycles(&page->total);
    page->schedulers = line_scheduler_cycles(&page->total);
    mark_hot(page->profile, page->warps, ranked, page->hot);
    page->most = page->profile->count ? ranked[0].cycles : 0;
    for (uint32_t i = 0; i < page->profile->count; i++) {
        char text[ISA_TEXT];
        if (!line_warp_cycles(&page->profile->line[i]))
            continue;
        source_instruction(&page->lines[i], text);
        int length = (int)strlen(text);
        if (length > page->width && length <= TEXT_MOST)
            page->width = length;
    }
}

/* The states that most of the warp-cycles went to, as shares of this instruction's. */
static void print_states(const struct line_counters *n, uint64_t cycles, FILE *out)
{
    bool done[STALL_COUNT] = {false};
    for (unsigned k = 0; k < STATES; k++) {
        unsigned most = STALL_COUNT;
        for (unsigned i = 0; i < STALL_COUNT; i++)
            if (!done[i] && (most == STALL_COUNT || n->stall[i] > n->stall[most]))
                most = i;
        done[most] = true;
        if (percent(n->stall[most], cycles) < STATE_LEAST)
            break;
        fprintf(out, "%s%s %.0f", k ? ", " : "  ", stall_name((enum stall_reason)most),
                percent(n->stall[most], cycles));
    }
}

static const char *main_class(const struct line_counters *n)
{
    unsigned most = 0;
    for (unsigned c = 1; c < CYCLE_CLASS_COUNT; c++)
        if (cycle_class_sum(n->cycle, c) > cycle_class_sum(n->cycle, most))
            most = c;
    return cycle_class_sum(n->cycle, most) ? cycle_class_label(most) : "-";
}

static const char *fill_bar(uint64_t cycles, uint64_t most, char bar[BAR + 1])
{
    size_t filled = most ? (size_t)((double)cycles * BAR / (double)most + 0.5) : 0;
    memset(bar, '#', filled);
    bar[filled] = '\0';
    return bar;
}

static void print_row(const struct page *page, uint32_t index, FILE *out)
{
    const struct line_counters *n = &page->profile->line[index];
    uint64_t cycles = line_warp_cycles(n);
    char bar[BAR + 1], threads[16] = "-", number[16] = "", text[ISA_TEXT];
    if (n->inst_issued)
        snprintf(threads, sizeof threads, "%.1f", (double)n->thread_inst_executed_pred_on / (double)n->inst_issued);
    if (page->lines[index].file)
        snprintf(number, sizeof number, "%u", page->lines[index].line);
    source_instruction(&page->lines[index], text);
    fprintf(out, "%c%5.1f %-*s %5.1f %-9s %9s %5s  %5s %04x  %-*s", page->hot[index] ? '>' : ' ',
            percent(cycles, page->warps), BAR, fill_bar(cycles, page->most, bar),
            percent(line_scheduler_cycles(n), page->schedulers), main_class(n), format_short(n->inst_issued).text,
            threads, number, 16 * index, page->width, text);
    print_states(n, cycles, out);
    fputc('\n', out);
}

static void print_text(const struct source_line *line, FILE *out)
{
    int length = line->text_length < SOURCE_MOST ? line->text_length : SOURCE_MOST;
    text_print(out, line->file);
    fprintf(out, ":%u%s", line->line, length > 0 ? "  " : "");
    for (int i = 0; i < length; i++)
        fputc((unsigned char)line->text[i] < ' ' || line->text[i] == 0x7f ? ' ' : line->text[i], out);
    fputc('\n', out);
}

/* A function that begins, and a line of the program the first time that an instruction comes from it. */
static void print_place(const struct page *page, uint32_t index, const struct source_line *before, FILE *out)
{
    const struct source_line *line = &page->lines[index];
    if (line->function && (!before || before->function != line->function)) {
        fprintf(out, "%*s", PLACE, "");
        text_print(out, line->function);
        fputs(":\n", out);
    }
    if (page->first[index]) {
        fprintf(out, "%*s", PLACE, "");
        print_text(line, out);
    }
}

static void print_gap(uint32_t count, FILE *out)
{
    if (count)
        fprintf(out, "%*s... %u instruction%s that no warp came to\n", PLACE, "", count, count == 1 ? "" : "s");
}

static void print_page(const struct page *page, FILE *out)
{
    const struct source_line *before = NULL;
    uint32_t gap = 0;
    fprintf(out, "%6s %-*s %5s %-9s %9s %5s  %5s %4s  %-*s  %s\n", "warp %", BAR, "", "sched", "%", "issues", "lanes",
            "line", "pc", page->width, "instruction", "states of its warps, %");
    for (uint32_t i = 0; i < page->profile->count; i++) {
        if (!line_warp_cycles(&page->profile->line[i])) {
            gap++;
            continue;
        }
        print_gap(gap, out);
        gap = 0;
        print_place(page, i, before, out);
        before = &page->lines[i];
        print_row(page, i, out);
    }
    print_gap(gap, out);
    fprintf(out, " %5s %-*s %5.1f %-9s %9s %5s  %5s %4s  schedulers without a warp\n", "-", BAR, "",
            percent(page->total.cycle[CYCLE_NO_WARP], page->schedulers), cycle_class_label(CYCLE_CLASS_IDLE), "-", "-",
            "", "-");
}

/* ---- lines of the program ---------------------------------------------------------------------------------------- */

/* Sums over the instructions of the line whose first is placed[from]. */
static struct line_counters line_sum(const struct page *page, uint32_t from)
{
    struct line_counters sum = {0};
    for (uint32_t i = from; i < page->placed_count && same_place(page->placed[from].line, page->placed[i].line); i++)
        line_counters_add(&sum, &page->profile->line[page->placed[i].index]);
    return sum;
}

static void print_top(const struct page *page, struct ranked *ranked, FILE *out)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < page->placed_count; i++) {
        if (!page->first[page->placed[i].index])
            continue;
        struct line_counters sum = line_sum(page, i);
        ranked[count++] = (struct ranked){line_warp_cycles(&sum), i};
    }
    if (!count)
        return;
    qsort(ranked, count, sizeof *ranked, by_cycles);
    fputs("\nLines of the program, largest first\n", out);
    for (uint32_t k = 0; k < count && k < TOP; k++) {
        struct line_counters sum = line_sum(page, ranked[k].index);
        char bar[BAR + 1];
        fprintf(out, " %5.1f %-*s %5.1f %-9s  ", percent(ranked[k].cycles, page->warps), BAR,
                fill_bar(ranked[k].cycles, ranked[0].cycles, bar),
                percent(line_scheduler_cycles(&sum), page->schedulers), main_class(&sum));
        print_text(page->placed[ranked[k].index].line, out);
    }
}

void report_source(const struct source_line *lines, const struct line_profile *profile, FILE *out)
{
    struct page page = {.lines = lines, .profile = profile};
    struct ranked *ranked = calloc(profile->count + 1u, sizeof *ranked);
    page.hot = calloc(profile->count + 1u, sizeof *page.hot);
    page.first = calloc(profile->count + 1u, sizeof *page.first);
    page.placed = calloc(profile->count + 1u, sizeof *page.placed);
    if (ranked && page.hot && page.first && page.placed) {
        measure(&page, ranked);
        place(&page);
        fprintf(out, "Instructions, with %% of %s warp-cycles and of %s scheduler cycles; > marks half of the former\n",
                format_count(page.warps).text, format_count(page.schedulers).text);
        print_page(&page, out);
        print_top(&page, ranked, out);
    }
    free(ranked);
    free(page.hot);
    free(page.first);
    free(page.placed);
}
