#include "report/source.h"

#include <stdlib.h>
#include <string.h>

#include "report/format.h"

enum { BAR = 6, TEXT_LEAST = 36, TEXT_MOST = 56, STATES = 3, STATE_LEAST = 5, SOURCE_MOST = 88, PLACE = 47 };

static uint64_t warp_cycles(const struct line_counters *n)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < STALL_COUNT; i++)
        sum += n->stall[i];
    return sum;
}

static uint64_t scheduler_cycles(const struct line_counters *n)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < CYCLE_EVENT_COUNT; i++)
        sum += n->cycle[i];
    return sum;
}

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
        ranked[i] = (struct ranked){warp_cycles(&profile->line[i]), i};
    qsort(ranked, profile->count, sizeof *ranked, by_cycles);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < profile->count && sum < total - sum; i++) {
        hot[ranked[i].index] = true;
        sum += ranked[i].cycles;
    }
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

struct page {
    const struct source_line *lines;
    const struct line_profile *profile;
    struct line_counters total;
    uint64_t warps, schedulers, most; /* totals, and the most warp-cycles of one instruction */
    int width;                        /* of the instructions */
    bool *hot;
};

static void print_instruction(const struct source_line *line, char text[ISA_TEXT])
{
    if (line->inst)
        isa_print(line->inst, text);
    else
        snprintf(text, ISA_TEXT, "(%s)", line->function ? line->function : "?");
}

static void measure(struct page *page, struct ranked *ranked)
{
    page->width = TEXT_LEAST;
    for (uint32_t i = 0; i <= page->profile->count; i++)
        line_counters_add(&page->total, &page->profile->line[i]);
    page->warps = warp_cycles(&page->total);
    page->schedulers = scheduler_cycles(&page->total);
    mark_hot(page->profile, page->warps, ranked, page->hot);
    page->most = page->profile->count ? ranked[0].cycles : 0;
    for (uint32_t i = 0; i < page->profile->count; i++) {
        char text[ISA_TEXT];
        if (!warp_cycles(&page->profile->line[i]))
            continue;
        print_instruction(&page->lines[i], text);
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

static void print_row(const struct page *page, uint32_t index, FILE *out)
{
    const struct line_counters *n = &page->profile->line[index];
    uint64_t cycles = warp_cycles(n);
    char bar[BAR + 1] = "", threads[16] = "-", text[ISA_TEXT];
    memset(bar, '#', page->most ? (size_t)((double)cycles * BAR / (double)page->most + 0.5) : 0);
    if (n->inst_issued)
        snprintf(threads, sizeof threads, "%.1f", (double)n->thread_inst_executed_pred_on / (double)n->inst_issued);
    print_instruction(&page->lines[index], text);
    fprintf(out, "%c%5.1f %-*s %5.1f %-9s %9s %5s  %04x  %-*s", page->hot[index] ? '>' : ' ',
            percent(cycles, page->warps), BAR, bar, percent(scheduler_cycles(n), page->schedulers), main_class(n),
            format_short(n->inst_issued).text, threads, 16 * index, page->width, text);
    print_states(n, cycles, out);
    fputc('\n', out);
}

static bool same_place(const struct source_line *a, const struct source_line *b)
{
    return a->line == b->line && a->file && b->file && strcmp(a->file, b->file) == 0;
}

/* Where the instruction comes from, when that differs from the one printed before. */
static void print_place(const struct source_line *line, const struct source_line *before, FILE *out)
{
    if (line->function && (!before || before->function != line->function))
        fprintf(out, "%*s%s:\n", PLACE, "", line->function);
    if (!line->file || (before && same_place(line, before)))
        return;
    int length = line->text_length < SOURCE_MOST ? line->text_length : SOURCE_MOST;
    fprintf(out, "%*s%s:%u%s", PLACE, "", line->file, line->line, length > 0 ? "  " : "");
    for (int i = 0; i < length; i++)
        fputc((unsigned char)line->text[i] < ' ' ? ' ' : line->text[i], out);
    fputc('\n', out);
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
    fprintf(out, "%6s %-*s %5s %-9s %9s %5s  %4s  %-*s  %s\n", "warp %", BAR, "", "sched", "%", "issues", "lanes", "pc",
            page->width, "instruction", "states of its warps, %");
    for (uint32_t i = 0; i < page->profile->count; i++) {
        if (!warp_cycles(&page->profile->line[i])) {
            gap++;
            continue;
        }
        print_gap(gap, out);
        gap = 0;
        print_place(&page->lines[i], before, out);
        before = &page->lines[i];
        print_row(page, i, out);
    }
    print_gap(gap, out);
    fprintf(out, " %5s %-*s %5.1f %-9s %9s %5s  %4s  schedulers without a warp\n", "-", BAR, "",
            percent(page->total.cycle[CYCLE_NO_WARP], page->schedulers), cycle_class_label(CYCLE_CLASS_IDLE), "-", "-",
            "-");
}

void report_source(const struct source_line *lines, const struct line_profile *profile, FILE *out)
{
    struct page page = {.lines = lines, .profile = profile};
    struct ranked *ranked = calloc(profile->count + 1u, sizeof *ranked);
    page.hot = calloc(profile->count + 1u, sizeof *page.hot);
    if (ranked && page.hot) {
        measure(&page, ranked);
        fprintf(out, "Instructions, with %% of %s warp-cycles and of %s scheduler cycles; > marks half of the former\n",
                format_count(page.warps).text, format_count(page.schedulers).text);
        print_page(&page, out);
    }
    free(ranked);
    free(page.hot);
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static void write_counters(const struct line_counters *n, struct json *json)
{
    json_uint(json, "inst_issued", n->inst_issued);
    json_uint(json, "thread_inst_executed", n->thread_inst_executed);
    json_uint(json, "thread_inst_executed_pred_on", n->thread_inst_executed_pred_on);
    json_uint(json, "warp_cycles", warp_cycles(n));
    json_uint(json, "scheduler_cycles", scheduler_cycles(n));
    json_object(json, "stalls");
    for (unsigned i = 0; i < STALL_COUNT; i++)
        if (n->stall[i])
            json_uint(json, stall_name((enum stall_reason)i), n->stall[i]);
    json_end(json);
    json_object(json, "classes");
    for (unsigned c = 0; c < CYCLE_CLASS_COUNT; c++)
        if (cycle_class_sum(n->cycle, (enum cycle_class)c))
            json_uint(json, cycle_class_name((enum cycle_class)c), cycle_class_sum(n->cycle, (enum cycle_class)c));
    json_end(json);
    json_object(json, "events");
    for (unsigned i = 0; i < CYCLE_EVENT_COUNT; i++)
        if (n->cycle[i])
            json_uint(json, cycle_event_name((enum cycle_event)i), n->cycle[i]);
    json_end(json);
}

static void write_line(const struct source_line *line, uint32_t index, const struct line_counters *n, struct json *json)
{
    char text[ISA_TEXT];
    print_instruction(line, text);
    json_object(json, NULL);
    json_uint(json, "address", 16 * index);
    json_string(json, "text", text);
    if (line->function)
        json_string(json, "function", line->function);
    if (line->file) {
        json_string(json, "file", line->file);
        json_uint(json, "line", line->line);
    }
    write_counters(n, json);
    json_end(json);
}

void report_source_json(const struct source_line *lines, const struct line_profile *profile, struct json *json,
                        const char *key)
{
    struct line_counters total = {0};
    json_object(json, key);
    json_array(json, "instructions");
    for (uint32_t i = 0; i < profile->count; i++) {
        line_counters_add(&total, &profile->line[i]);
        if (warp_cycles(&profile->line[i]))
            write_line(&lines[i], i, &profile->line[i], json);
    }
    json_end(json);
    line_counters_add(&total, &profile->line[profile->count]);
    json_uint(json, "scheduler_cycles_without_warp", total.cycle[CYCLE_NO_WARP]);
    json_object(json, "total");
    write_counters(&total, json);
    json_end(json);
    json_end(json);
}

/* ---- CSV --------------------------------------------------------------------------------------------------------- */

static void csv_counters(const struct line_counters *n, FILE *out)
{
    fprintf(out, ",%ju,%ju,%ju", (uintmax_t)n->inst_issued, (uintmax_t)n->thread_inst_executed,
            (uintmax_t)n->thread_inst_executed_pred_on);
    for (unsigned i = 0; i < STALL_COUNT; i++)
        fprintf(out, ",%ju", (uintmax_t)n->stall[i]);
    for (unsigned i = 0; i < CYCLE_EVENT_COUNT; i++)
        fprintf(out, ",%ju", (uintmax_t)n->cycle[i]);
    fputc('\n', out);
}

static void csv_heading(FILE *out)
{
    fputs("address,instruction,function,file,line,inst_issued,thread_inst_executed,thread_inst_executed_pred_on", out);
    for (unsigned i = 0; i < STALL_COUNT; i++)
        fprintf(out, ",warps.%s", stall_name((enum stall_reason)i));
    for (unsigned i = 0; i < CYCLE_EVENT_COUNT; i++)
        fprintf(out, ",%s.%s", cycle_class_name(cycle_event_class((enum cycle_event)i)),
                cycle_event_name((enum cycle_event)i));
    fputc('\n', out);
}

void report_source_csv(const struct source_line *lines, const struct line_profile *profile, FILE *out)
{
    csv_heading(out);
    for (uint32_t i = 0; i < profile->count; i++) {
        char text[ISA_TEXT], number[16] = "";
        if (!warp_cycles(&profile->line[i]))
            continue;
        print_instruction(&lines[i], text);
        if (lines[i].file)
            snprintf(number, sizeof number, "%u", lines[i].line);
        fprintf(out, "0x%04x,\"%s\",%s,%s,%s", 16 * i, text, lines[i].function ? lines[i].function : "",
                lines[i].file ? lines[i].file : "", number);
        csv_counters(&profile->line[i], out);
    }
    fputs(",,,,", out);
    csv_counters(&profile->line[profile->count], out);
}
