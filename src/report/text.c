#include <math.h>
#include <string.h>

#include "report/format.h"
#include "report/metrics.h"
#include "report/report.h"
#include "report/verdict.h"

enum { COLUMNS = 100, BAR = 12, SENTENCE = 60, STATES = 10, CLASS_BAR = 8, CELL = 47 };

static struct format fixed(const struct measured *m, enum metric metric)
{
    return format_fixed(metric_value(m, metric), 2);
}

static struct format share(const struct measured *m, enum metric metric)
{
    return format_percent(metric_value(m, metric));
}

/* ---- heading --------------------------------------------------------------------------------------------------- */

static void print_title(const struct kernel_result *r, FILE *out)
{
    char gpu[sizeof r->gpu + 48];
    int width = r->detailed ? snprintf(gpu, sizeof gpu, "%s, sm_%u, %u SMs", r->gpu, r->architecture, r->sms)
                            : snprintf(gpu, sizeof gpu, "sm_%u, functional", r->code_architecture);
    int room = COLUMNS - width - 2;
    int length = (int)strlen(r->kernel);
    if (length <= room)
        fprintf(out, "%-*s  %s\n", room, r->kernel, gpu);
    else
        fprintf(out, "%.*s...  %s\n", room - 3, r->kernel, gpu);
}

static double timed_percent(const struct kernel_result *r)
{
    double all = (double)(r->warp_instructions + r->rest_instructions);
    return all > 0 ? 100 * (double)r->warp_instructions / all : 0;
}

static void print_estimate(const struct kernel_result *r, FILE *out)
{
    fprintf(out,
            "ESTIMATE: about %s cycles for the whole kernel, of which %s were simulated, with %s of its\n"
            "instructions; %s instructions at the IPC of %s that the GPU had settled at are assumed for the rest\n",
            format_count(result_estimated_cycles(r)).text, format_count(r->cycles).text,
            format_percent(timed_percent(r)).text, format_count(r->rest_instructions).text,
            format_fixed(r->stable_ipc, 2).text);
}

/* For a launch with some timed CTAs. */
static void print_sampled(const struct kernel_result *r, FILE *out)
{
    const struct estimate *e = &r->estimate;
    fprintf(out, "SAMPLED: %s of %s CTAs were timed, with %s of the instructions; the values below are of these\n",
            format_count(r->ctas_done).text, format_count(r->ctas).text, format_percent(timed_percent(r)).text);
    fprintf(out, "ESTIMATE: ~%s cycles", format_count(result_estimated_cycles(r)).text);
    if (isfinite(e->error))
        fprintf(out, " +- %s (95 %%) for the whole kernel\n", format_percent(100 * e->error / e->value).text);
    else
        fputs(" for the whole kernel, with an error that is not known\n", out);
}

static double share_of(uint64_t part, uint64_t whole) { return whole ? 100 * (double)part / (double)whole : NAN; }

/* For a launch of which one SM was timed. */
static void print_hybrid(const struct kernel_result *r, FILE *out)
{
    const struct hybrid_result *h = &r->hybrid;
    double floor = fmax(fmax(h->l2, h->memory), h->atomics);
    fprintf(out,
            "HYBRID: %s of %s CTAs were timed, on one of %u SMs; the values below are of it. Reuse distances of all:\n"
            "L1 hits %s, L2 hits %s\n",
            format_count(r->ctas_done).text, format_count(r->ctas).text, h->sms,
            format_percent(share_of(h->counts.l1_hits, h->counts.l1_loads)).text,
            format_percent(share_of(h->counts.l2_hits, h->counts.l2_sectors)).text);
    fprintf(out, "ESTIMATE: ~%s cycles for the whole kernel, with an error that is not known; bound by %s\n",
            format_count(result_estimated_cycles(r)).text,
            h->compute >= floor   ? "the timed SM"
            : h->atomics == floor ? "atomics"
            : h->l2 == floor      ? "the L2"
                                  : "device memory");
}

/* A limit has ended the timed part. */
static void print_stop(const struct kernel_result *r, FILE *out)
{
    fprintf(out,
            "STOPPED as asked (%s) at cycle %s, after %s of %s CTAs: the values below are those of\nthe timed part. ",
            result_stop_option(r->stop), format_count(r->cycles).text, format_count(r->ctas_done).text,
            format_count(r->ctas).text);
    if (r->rest_executed)
        fprintf(out, "The rest, %s warp instructions, was executed without time.\n",
                format_count(r->rest_instructions).text);
    else if (r->rest_instructions > 0) /* only a trace tells them unexecuted */
        fprintf(out, "The rest of the trace, %s warp instructions, was left out.\n",
                format_count(r->rest_instructions).text);
    else
        fputs("The rest was left out: memory is not that of a whole run.\n", out);
    if (result_estimated_cycles(r))
        print_estimate(r, out);
}

static void print_launch(const struct kernel_result *r, FILE *out)
{
    char grid[4 * FORMAT_TEXT], needs[3 * FORMAT_TEXT];
    int width = snprintf(grid, sizeof grid, "grid %s, block %s: %s CTA%s", format_dim(r->grid).text,
                         format_dim(r->block).text, format_count(r->ctas).text, r->ctas == 1 ? "" : "s");
    if (result_has_clusters(r))
        width += snprintf(grid + width, sizeof grid - (size_t)width, " in clusters of %s", format_dim(r->cluster).text);
    uint32_t shared = r->static_shared + r->dynamic_shared;
    int used = snprintf(needs, sizeof needs, "%u registers a thread", r->registers);
    if (shared > 0)
        used += snprintf(needs + used, sizeof needs - (size_t)used, ", %s shared a CTA", format_size(shared).text);
    if (r->local_bytes > 0)
        used += snprintf(needs + used, sizeof needs - (size_t)used, ", %s local a thread",
                         format_size(r->local_bytes).text);
    fprintf(out, "%s;%c%s\n", grid, width + 2 + used <= COLUMNS ? ' ' : '\n', needs);
    if (r->overlapped > 0)
        fprintf(out, "OVERLAPPED by %s of other streams, after %s cycles in the queue: L2 and DRAM values are of all\n",
                format_count(r->overlapped).text, format_count(r->queued_cycles).text);
    if (r->stop == STOP_SAMPLED)
        print_sampled(r, out);
    else if (r->stop == STOP_HYBRID)
        print_hybrid(r, out);
    else if (r->stop != STOP_NONE)
        print_stop(r, out);
    else if (!r->complete)
        fprintf(out, "INCOMPLETE: ended after %s of %s CTAs; the values below are those of the run so far\n",
                format_count(r->ctas_done).text, format_count(r->ctas).text);
}

/* One sentence or two, in lines of at most COLUMNS. */
static void print_verdict(const struct measured *m, FILE *out)
{
    struct verdict verdict;
    verdict_find(m, &verdict);
    const char *at = verdict.text;
    while (strlen(at) > COLUMNS) {
        int length = COLUMNS;
        while (length > 1 && at[length] != ' ')
            length--;
        fprintf(out, "%.*s\n", length, at);
        at += length + 1;
    }
    fprintf(out, "%s\n", at);
}

/* ---- two columns of values ------------------------------------------------------------------------------------- */

static void print_left(FILE *out, const char *label, struct format f) { fprintf(out, "%-20s%16s   ", label, f.text); }
static void print_right(FILE *out, const char *label, struct format f) { fprintf(out, "%-22s%s", label, f.text); }

static void print_time(const struct measured *m, FILE *out)
{
    const struct kernel_result *r = m->result;
    print_left(out, "Elapsed Cycles", format_count(r->cycles));
    print_right(out, "Duration", format_time(metric_value(m, METRIC_DURATION) * 1e-9));
    fprintf(out, " at %s MHz\n", format_fixed(r->clock_mhz, 0).text);
    print_left(out, "SM Active Cycles", fixed(m, METRIC_ACTIVE_AVG));
    print_right(out, "SMs with work", format_count(r->sms_used));
    fprintf(out, " of %u, %s to %s cycles\n", r->sms, format_short(r->sm_active_min).text,
            format_short(r->sm_active_max).text);
}

static void print_work(const struct measured *m, FILE *out)
{
    const struct kernel_result *r = m->result;
    print_left(out, "Warp Instructions", format_count(r->sm.inst_executed));
    print_right(out, "Thread Instructions", format_count(r->sm.thread_inst_executed));
    fprintf(out, " (%s a warp)\n", fixed(m, METRIC_THREADS).text);
    print_left(out, "Executed IPC Active", fixed(m, METRIC_IPC));
    print_right(out, "Issue Slots Busy", share(m, METRIC_ISSUE_SLOTS));
    fputc('\n', out);
    print_left(out, "Compute Throughput", share(m, METRIC_COMPUTE));
    print_right(out, "Memory Throughput", share(m, METRIC_MEMORY));
    fputc('\n', out);
}

static void print_schedulers(const struct measured *m, FILE *out)
{
    const struct occupancy *o = &m->result->occupancy;
    print_left(out, "Achieved Occupancy", share(m, METRIC_OCCUPANCY));
    print_right(out, "Theoretical Occupancy", share(m, METRIC_OCCUPANCY_LIMIT));
    fprintf(out, " (%u of %u warps; limit: %s)\n", o->warps_per_sm, o->max_warps_per_sm,
            occupancy_limit_name(o->limit));
    print_left(out, "No Eligible", share(m, METRIC_NO_ELIGIBLE));
    print_right(out, "Eligible Warps", fixed(m, METRIC_ELIGIBLE));
    fprintf(out, " of %s a scheduler\n", fixed(m, METRIC_SUBCORE_WARPS).text);
}

/* ---- where the cycles went --------------------------------------------------------------------------------------- */

static unsigned largest(const unsigned *values, unsigned count)
{
    unsigned most = 0;
    for (unsigned i = 1; i < count; i++)
        if (values[i] > values[most])
            most = i;
    return most;
}

/* `share` of `most` tenths, with `width` for all of them. */
static const char *fill_bar(char *bar, unsigned share, unsigned most, unsigned width)
{
    size_t filled = (share * width + most / 2) / most;
    memset(bar, '#', filled);
    bar[filled] = '\0';
    return bar;
}

/* The class, its share, and which of its events had most. */
static struct format class_cell(const struct kernel_result *r, enum cycle_class class, unsigned tenths, unsigned most)
{
    struct format cell;
    char bar[CLASS_BAR + 1];
    unsigned first = CYCLE_EVENT_COUNT;
    for (unsigned e = 0; e < CYCLE_EVENT_COUNT; e++)
        if (cycle_event_class(e) == class && (first == CYCLE_EVENT_COUNT || r->sm.cycle[e] > r->sm.cycle[first]))
            first = e;
    fill_bar(bar, tenths, most, CLASS_BAR);
    int used = snprintf(cell.text, sizeof cell.text, "%-9s %3u.%u %s", cycle_class_label(class), tenths / 10,
                        tenths % 10, bar);
    if (first != CYCLE_ISSUE)
        snprintf(cell.text + used, sizeof cell.text - (size_t)used, "%*s %s %.1f", CLASS_BAR - (int)strlen(bar), "",
                 cycle_event_name(first), 100 * (double)r->sm.cycle[first] / (double)metric_scheduler_cycles(r));
    return cell;
}

/* The event that took each cycle of a scheduler, in the classes of HyFiSS, largest first. */
static void print_classes(const struct measured *m, FILE *out)
{
    const struct kernel_result *r = m->result;
    uint64_t cycles[CYCLE_CLASS_COUNT];
    unsigned tenths[CYCLE_CLASS_COUNT];
    for (unsigned c = 0; c < CYCLE_CLASS_COUNT; c++)
        cycles[c] = cycle_class_sum(r->sm.cycle, c);
    metric_tenths(cycles, CYCLE_CLASS_COUNT, tenths);
    unsigned first = tenths[largest(tenths, CYCLE_CLASS_COUNT)];
    fprintf(out, "\nScheduler cycles, %% of %s, with the main event of each class\n",
            format_count(metric_scheduler_cycles(r)).text);
    for (unsigned i = 0;; i++) {
        unsigned class = largest(tenths, CYCLE_CLASS_COUNT);
        if (tenths[class] == 0)
            break;
        struct format cell = class_cell(r, class, tenths[class], first);
        tenths[class] = 0;
        bool left = i % 2 == 0 && tenths[largest(tenths, CYCLE_CLASS_COUNT)];
        fprintf(out, "  %-*s%s", left ? CELL : 0, cell.text, left ? "" : "\n");
    }
}

/* A sentence that is too long ends at its last comma that fits. */
static int sentence_length(const char *text)
{
    size_t length = strlen(text);
    if (length <= SENTENCE)
        return (int)length;
    length = SENTENCE;
    while (length > 0 && text[length] != ',')
        length--;
    return length > 0 ? (int)length : SENTENCE;
}

static void print_state(enum stall_reason reason, unsigned tenths, unsigned most, FILE *out)
{
    char bar[BAR + 1];
    const char *text = stall_text(reason);
    fprintf(out, "  %-18s %3u.%u %-*s %.*s\n", stall_name(reason), tenths / 10, tenths % 10, BAR,
            fill_bar(bar, tenths, most, BAR), sentence_length(text), text);
}

/* The states that did not get their own row. */
static void print_other_states(unsigned *tenths, FILE *out)
{
    char names[SENTENCE + 1] = "";
    unsigned sum = 0;
    size_t used = 0;
    for (unsigned i = 0; i < STALL_COUNT; i++)
        sum += tenths[i];
    if (!sum)
        return;
    for (unsigned i = largest(tenths, STALL_COUNT); tenths[i]; i = largest(tenths, STALL_COUNT)) {
        int more = snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", stall_name(i));
        if ((size_t)more >= sizeof names - used)
            break;
        used += (size_t)more;
        tenths[i] = 0;
    }
    names[used] = '\0';
    fprintf(out, "  %-18s %3u.%u %-*s %s\n", "others", sum / 10, sum % 10, BAR, "", names);
}

static void print_states(const struct measured *m, FILE *out)
{
    const struct kernel_result *r = m->result;
    unsigned tenths[STALL_COUNT];
    metric_tenths(r->sm.stall, STALL_COUNT, tenths);
    fprintf(out, "\nWarp states, %% of %s warp-cycles; %s for each issued instruction\n",
            format_count(r->sm.warp_cycles).text, fixed(m, METRIC_LATENCY_ISSUED).text);
    unsigned first = tenths[largest(tenths, STALL_COUNT)];
    for (unsigned row = 0; row < STATES; row++) {
        unsigned most = largest(tenths, STALL_COUNT);
        if (tenths[most] == 0)
            return;
        print_state((enum stall_reason)most, tenths[most], first, out);
        tenths[most] = 0;
    }
    print_other_states(tenths, out);
}

/* ---- pipes and memory ------------------------------------------------------------------------------------------ */

static void print_pipes(const struct measured *m, FILE *out)
{
    enum { ACROSS = 6 };
    bool done[ISA_PIPE_COUNT] = {false};
    unsigned printed = 0;
    fprintf(out, "\nPipes, %% of active cycles\n");
    for (;;) {
        enum isa_pipe most = ISA_PIPE_COUNT;
        for (enum isa_pipe p = 0; p < ISA_PIPE_COUNT; p++)
            if (!done[p] && (most == ISA_PIPE_COUNT || metric_pipe_percent(m, p) > metric_pipe_percent(m, most)))
                most = p;
        if (most == ISA_PIPE_COUNT || metric_pipe_percent(m, most) < 0.05)
            break;
        done[most] = true;
        fprintf(out, "%s%-8s %5.1f",
                printed % ACROSS ? "  "
                : printed        ? "\n  "
                                 : "  ",
                isa_pipe_name(most), metric_pipe_percent(m, most));
        printed++;
    }
    fputs(printed ? "\n" : "  none\n", out);
}

/* Name, share of the peak, hit rate. The rest of the line follows. */
static void print_level(const char *name, struct format use, struct format hit, FILE *out)
{
    fprintf(out, "  %-6s %7s %7s   ", name, use.text, hit.text);
}

static void print_l1(const struct measured *m, FILE *out)
{
    const struct sm_counters *s = &m->result->sm;
    struct format none = {"-"};
    if (s->shared_requests > 0) {
        print_level("Shared", fixed(m, METRIC_SHARED), none, out);
        fprintf(out, "%s instructions, %s passes each, %s conflict passes\n", format_short(s->shared_requests).text,
                fixed(m, METRIC_SHARED_PASSES).text, format_short(s->shared_conflicts).text);
    }
    print_level("L1", fixed(m, METRIC_L1), fixed(m, METRIC_L1_HIT), out);
    fprintf(out, "%s sectors (loads hit %s); %s a load, %s a store\n",
            format_short(s->l1_sectors_load + s->l1_sectors_store + s->l1_sectors_atomic).text,
            share(m, METRIC_L1_LOAD_HIT).text, fixed(m, METRIC_L1_SECTORS_LOAD).text,
            fixed(m, METRIC_L1_SECTORS_STORE).text);
}

static void print_memory(const struct measured *m, FILE *out)
{
    struct format none = {"-"};
    fprintf(out, "\nMemory   %% peak   %% hit\n");
    print_l1(m, out);
    print_level("L2", fixed(m, METRIC_L2), fixed(m, METRIC_L2_HIT), out);
    fprintf(out, "%s sectors (reads hit %s); NoC out %s, in %s\n",
            format_short((uint64_t)metric_value(m, METRIC_L2_SECTORS)).text, share(m, METRIC_L2_READ_HIT).text,
            share(m, METRIC_NOC_OUT).text, share(m, METRIC_NOC_IN).text);
    print_level("DRAM", fixed(m, METRIC_DRAM), none, out);
    fprintf(out, "%s (%s read, %s written); %s of %s GB/s\n", format_traffic(metric_value(m, METRIC_DRAM_BYTES)).text,
            format_traffic((double)m->result->mem.dram_bytes_read).text,
            format_traffic((double)m->result->mem.dram_bytes_written).text,
            format_fixed(metric_value(m, METRIC_DRAM_RATE) * 1e-9, 2).text,
            format_fixed(m->result->dram_peak_gbs, 0).text);
}

static void print_host(const struct kernel_result *r, FILE *out)
{
    double seconds = r->host_seconds > 0 ? r->host_seconds : 1e-9;
    fprintf(out, "Simulated in %s on %u thread%s: %s warp instructions/s", format_time(r->host_seconds).text,
            r->threads, r->threads == 1 ? "" : "s", format_rate((double)r->warp_instructions / seconds).text);
    if (r->detailed)
        fprintf(out, ", %s cycles/s", format_rate((double)r->cycles / seconds).text);
    fputc('\n', out);
}

void report_text(const struct kernel_result *result, const struct config *config, FILE *out)
{
    struct measured measured = {result, config};
    print_title(result, out);
    print_launch(result, out);
    if (result->detailed)
        print_verdict(&measured, out);
    fputc('\n', out);
    if (result->detailed) {
        print_time(&measured, out);
        print_work(&measured, out);
        print_schedulers(&measured, out);
        print_classes(&measured, out);
        print_states(&measured, out);
        print_pipes(&measured, out);
        print_memory(&measured, out);
    } else {
        print_left(out, "Warp Instructions", format_count(result->warp_instructions));
        print_right(out, "Thread Instructions", format_count(result->thread_instructions));
        fprintf(out, " (predicated on)\nFunctional run: executed without time\n");
    }
    fputc('\n', out);
    print_host(result, out);
}

/* ---- one line a kernel ----------------------------------------------------------------------------------------- */

void report_line_heading(FILE *out)
{
    fprintf(out, "%5s  %-34s %14s %12s %11s %7s %7s\n", "#", "kernel", "CTAs x threads", "warp inst", "cycles", "IPC",
            "occup.");
}

void report_line(const struct kernel_result *r, const struct config *config, size_t number, FILE *out)
{
    struct measured m = {r, config};
    char launch[FORMAT_TEXT];
    uint64_t threads = (uint64_t)r->block[0] * r->block[1] * r->block[2];
    snprintf(launch, sizeof launch, "%ju x %ju", (uintmax_t)r->ctas, (uintmax_t)threads);
    fprintf(out, "%5zu  %-34.34s %14s %12s", number, r->kernel, launch, format_count(r->warp_instructions).text);
    if (r->detailed)
        fprintf(out, " %11s %7.2f %5.1f %%", format_count(r->cycles).text, metric_value(&m, METRIC_IPC),
                metric_value(&m, METRIC_OCCUPANCY));
    else
        fprintf(out, " %11s %7s %7s", "-", "-", "-");
    if (result_estimated_cycles(r))
        fprintf(out, "  %s: ~%s cycles\n", result_is_chosen(r) ? result_stop_name(r->stop) : "stopped",
                format_count(result_estimated_cycles(r)).text);
    else
        fputs(r->stop != STOP_NONE ? "  stopped\n" : r->complete ? "\n" : "  incomplete\n", out);
}
