#include "report/launches.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cubin/kernel_name.h"
#include "report/format.h"
#include "report/metrics.h"
#include "report/sampled.h"

enum { NAME_COLUMNS = 32 };

/* ---- sums -------------------------------------------------------------------------------------------------------- */

static struct launch_sums *find(struct launches *l, const struct launch_record *record)
{
    for (size_t i = 0; i < l->kernel_count; i++)
        if (l->kernels[i].hash == record->kernel_hash)
            return &l->kernels[i];
    if (l->kernel_count == l->room) {
        size_t room = l->room ? 2 * l->room : 16;
        struct launch_sums *kernels = realloc(l->kernels, room * sizeof *kernels);
        if (!kernels)
            return NULL;
        l->kernels = kernels;
        l->room = room;
    }
    struct launch_sums *s = &l->kernels[l->kernel_count++];
    *s = (struct launch_sums){.hash = record->kernel_hash};
    memcpy(s->name, record->name, sizeof s->name);
    memcpy(s->mangled, record->result.kernel, sizeof s->mangled);
    return s;
}

size_t launches_process(const struct launches *launches, const struct launch_record *record)
{
    size_t i = 0;
    while (i < launches->process_count && launches->processes[i] != record->process)
        i++;
    return i;
}

static bool add_process(struct launches *l, const struct launch_record *record)
{
    if (launches_process(l, record) < l->process_count)
        return true;
    int32_t *processes = realloc(l->processes, (l->process_count + 1) * sizeof *processes);
    if (!processes)
        return false;
    l->processes = processes;
    processes[l->process_count++] = record->process;
    return true;
}

static void add_time(struct launch_sums *s, const struct kernel_result *r)
{
    uint64_t cycles = result_cycles(r);
    s->cycles += cycles;
    s->seconds += (double)cycles / (1e6 * r->clock_mhz);
    if (s->timed == 0 || cycles < s->cycles_min)
        s->cycles_min = cycles;
    if (cycles > s->cycles_max)
        s->cycles_max = cycles;
    s->timed++;
    s->estimated += result_estimated_cycles(r) > 0;
}

static void add_failure(struct launch_sums *s, const struct launch_record *record)
{
    if (s->failed++ > 0)
        return;
    s->error = record->error;
    memcpy(s->error_name, record->error_name, sizeof s->error_name);
}

/* Timed launches go before others, however long these are. */
static void add_longest(struct launch_sums *s, const struct kernel_result *r, bool timed, uint64_t index)
{
    uint64_t value = timed ? result_cycles(r) : r->warp_instructions;
    bool first_timed = timed && s->timed == 1;
    if (s->launches == 1 || first_timed || (value > s->longest_value && (timed || s->timed == 0))) {
        s->longest = index;
        s->longest_value = value;
    }
}

bool launches_timed(const struct launch_record *record)
{
    const struct kernel_result *r = &record->result;
    return r->detailed && (r->complete || result_estimated_cycles(r) > 0) && record->error == 0;
}

uint64_t launches_cycles(const struct launch_record *record)
{
    bool alike = record->result.likeness != 0 && record->error == 0;
    return launches_timed(record) || alike ? result_cycles(&record->result) : 0;
}

static bool add_sample(struct launches *l, const struct launch_record *record)
{
    const struct kernel_result *r = &record->result;
    const struct sample_launch launch = {.kernel = record->kernel_hash,
                                         .likeness = r->likeness,
                                         .timed = launches_timed(record),
                                         .repeats = r->repeats,
                                         .trace = r->trace,
                                         .cycles = (double)result_cycles(r),
                                         .half_width = r->stop == STOP_SAMPLED ? r->estimate.error : 0,
                                         .instructions = (double)(r->warp_instructions + r->rest_instructions)};
    return r->likeness == 0 || record->error != 0 || sample_sum_add(&l->sample, &launch);
}

bool launches_add(struct launches *launches, const struct launch_record *record)
{
    const struct kernel_result *r = &record->result;
    struct launch_sums *s = find(launches, record);
    if (!s || !add_process(launches, record) || !add_sample(launches, record))
        return false;
    bool timed = launches_timed(record);
    double before = s->seconds;
    s->launches++;
    s->warp_instructions += r->warp_instructions;
    s->host_seconds += r->host_seconds;
    if (timed)
        add_time(s, r);
    if (record->error != 0)
        add_failure(s, record);
    add_longest(s, r, timed, launches->count);
    launches->count++;
    launches->timed += timed;
    launches->repeated += r->repeats;
    launches->failed += record->error != 0;
    launches->stopped += record->error == 0 && r->stop != STOP_NONE && !result_is_chosen(r);
    launches->estimated += record->error == 0 && r->detailed && !result_is_chosen(r) && result_estimated_cycles(r) > 0;
    launches->seconds += s->seconds - before;
    launches->host_seconds += r->host_seconds;
    launches->warp_instructions += r->warp_instructions;
    if (record->end > launches->end)
        launches->end = record->end;
    return true;
}

static int compare(const void *left, const void *right)
{
    const struct launch_sums *a = left, *b = right;
    if (a->seconds != b->seconds)
        return a->seconds > b->seconds ? -1 : 1;
    if (a->warp_instructions != b->warp_instructions)
        return a->warp_instructions > b->warp_instructions ? -1 : 1;
    return strcmp(a->mangled, b->mangled);
}

/* The timed part of a sampled run becomes all that it stands for. */
static bool estimate(struct launches *l)
{
    if (!sample_sum_end(&l->sample))
        return false;
    for (size_t i = 0; i < l->kernel_count; i++) {
        struct launch_sums *s = &l->kernels[i];
        const struct sample_total total = sample_sum_of(&l->sample, s->hash);
        if (s->timed == 0 || s->cycles == 0 || total.timed + total.repeated == total.launches)
            continue;
        double share = total.cycles / (double)s->cycles, before = s->seconds;
        s->seconds *= share;
        s->cycles = (uint64_t)llround(total.cycles);
        l->seconds += s->seconds - before;
    }
    return true;
}

bool launches_sort(struct launches *launches)
{
    if (launches->sample.likenesses.count > 0 && !estimate(launches))
        return false;
    if (launches->kernel_count > 0)
        qsort(launches->kernels, launches->kernel_count, sizeof *launches->kernels, compare);
    return true;
}

void launches_free(struct launches *launches)
{
    free(launches->kernels);
    free(launches->processes);
    sample_sum_free(&launches->sample);
    *launches = (struct launches){0};
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

static void print_title(const struct launches *l, const struct config *config, FILE *out)
{
    fprintf(out, "%s launch%s of %zu kernel%s", format_count(l->count).text, l->count == 1 ? "" : "es", l->kernel_count,
            l->kernel_count == 1 ? "" : "s");
    if (l->process_count > 1)
        fprintf(out, " in %zu processes", l->process_count);
    fprintf(out, " on %s, sm_%u, %u SMs", config->gpu.name, config->gpu.architecture, config->gpu.sms);
    if (l->timed > 0)
        fprintf(out, " at %s MHz", format_fixed(config->gpu.clock, 0).text);
    else if (l->stopped > 0)
        fputs(", timed in part", out);
    else if (l->failed < l->count)
        fputs(", functional: executed without time", out);
    fputs("\n\n", out);
}

static void print_heading(const struct launches *l, FILE *out)
{
    fprintf(out, "%-*s %8s", NAME_COLUMNS, "kernel", "launches");
    if (l->timed == 0)
        fprintf(out, " %18s %12s", "warp instructions", "host time");
    else
        fprintf(out, " %8s %15s %13s %11s %11s %7s", "timed", "cycles, total", "mean", "min", "max", "time");
    fputc('\n', out);
}

static void print_times(const struct launch_sums *s, const struct launches *l, FILE *out)
{
    if (s->timed == 0) {
        fprintf(out, " %8s %15s %13s %11s %11s %7s", "-", "-", "-", "-", "-", "-");
        return;
    }
    const struct sample_total sample = sample_sum_of(&l->sample, s->hash);
    bool projected = sample.launches > sample.timed + sample.repeated;
    uint64_t of = projected ? sample.launches : s->timed;
    char cycles[FORMAT_TEXT + 1];
    snprintf(cycles, sizeof cycles, "%s%s", s->estimated > 0 || projected ? "~" : "", format_count(s->cycles).text);
    fprintf(out, " %8s %15s %13s %11s %11s %5.1f %%", format_count(s->timed).text, cycles,
            format_fixed((double)s->cycles / (double)of, 1).text, format_count(s->cycles_min).text,
            format_count(s->cycles_max).text, l->seconds > 0 ? 100 * s->seconds / l->seconds : 0);
}

static void print_row(const struct launch_sums *s, const struct launches *l, FILE *out)
{
    char name[NAME_COLUMNS + 1];
    kernel_name_short(s->name, NAME_COLUMNS, name);
    fprintf(out, "%-*s %8s", NAME_COLUMNS, name, format_count(s->launches).text);
    if (l->timed == 0)
        fprintf(out, " %18s %12s", format_count(s->warp_instructions).text, format_time(s->host_seconds).text);
    else
        print_times(s, l, out);
    fputc('\n', out);
}

static void print_sums(const struct launches *l, FILE *out)
{
    uint64_t without = l->stopped - l->estimated, functional = l->count - l->timed - l->failed - without;
    bool sampled = sampled_is(l);
    if (l->timed > 0)
        fprintf(out, "Simulated time of kernels: %s%s", format_time(l->seconds).text,
                functional > 0 && !sampled ? "; " : "\n");
    if (sampled)
        sampled_print(l, out);
    else if (l->timed > 0 && functional > 0)
        fprintf(out, "%s of %s launches were only executed and have none\n", format_count(functional).text,
                format_count(l->count).text);
    if (l->repeated > 0 && !sampled)
        fprintf(out, "REPEATED: %s launches have the trace of an earlier one, and its cycles and counters\n",
                format_count(l->repeated).text);
    if (l->estimated > 0)
        fprintf(out, "ESTIMATE: the cycles marked ~ are those of %s launches that were timed in part\n",
                format_count(l->estimated).text);
    if (without > 0)
        fprintf(out, "STOPPED as asked: %s launches were timed in part and are not among the cycles\n",
                format_count(without).text);
    fprintf(out, "Simulated in %s: %s warp instructions/s\n", format_time(l->host_seconds).text,
            format_rate(l->host_seconds > 0 ? (double)l->warp_instructions / l->host_seconds : 0).text);
}

static void print_failures(const struct launches *l, FILE *out)
{
    char number[16];
    for (size_t i = 0; i < l->kernel_count; i++) {
        const struct launch_sums *s = &l->kernels[i];
        if (s->failed > 0)
            fprintf(out, "FAILED: %s of %s launches of %.32s, with %.40s%s\n", format_count(s->failed).text,
                    format_count(s->launches).text, s->name, s->error_name,
                    record_error_number(s->error, s->error_name, number));
    }
}

void launches_print(const struct launches *launches, const struct config *config, FILE *out)
{
    print_title(launches, config, out);
    print_heading(launches, out);
    for (size_t i = 0; i < launches->kernel_count; i++)
        print_row(&launches->kernels[i], launches, out);
    fputc('\n', out);
    print_sums(launches, out);
    print_failures(launches, out);
}

/* ---- CSV --------------------------------------------------------------------------------------------------------- */

void launches_csv_heading(FILE *out)
{
    fputs("launch,process,stream,kernel,mangled_name,kernel_launch,grid,block,cluster,registers,static_shared,dynamic_"
          "shared,"
          "detailed,complete,stopped,estimated_cycles,error,overlapped,ranges,begin_ns,end_ns,warp_instructions,thread_"
          "instructions,host_"
          "seconds",
          out);
    for (unsigned i = 0; i < METRIC_COUNT; i++)
        fprintf(out, ",%s", metric_info((enum metric)i)->name);
    fputc('\n', out);
}

void launches_json(const struct launch_record *record, size_t process, struct json *json)
{
    enum { DIGITS = 10 };
    json_string(json, "name", record->name);
    json_uint(json, "launch", record->number);
    json_uint(json, "kernel_launch", record->kernel_number);
    json_uint(json, "process", process);
    json_uint(json, "stream", record->stream);
    json_number(json, "begin_ns", 1e9 * record->begin, DIGITS);
    json_number(json, "end_ns", 1e9 * record->end, DIGITS);
    json_uint(json, "error_code", (uint64_t)record->error);
    json_string(json, "error", record->error ? record->error_name : NULL);
    if (!record->result.detailed && launches_cycles(record) > 0)
        json_uint(json, "expected_cycles", launches_cycles(record));
}

/* Names of templates hold commas. */
static void csv_text(const char *text, FILE *out)
{
    fputs(",\"", out);
    for (; *text; text++)
        fprintf(out, *text == '"' ? "\"\"" : "%c", *text);
    fputc('"', out);
}

static void csv_dim(const uint32_t dim[3], FILE *out) { fprintf(out, ",%ux%ux%u", dim[0], dim[1], dim[2]); }

void launches_csv(const struct launch_record *record, size_t process, const char *ranges, const struct config *config,
                  FILE *out)
{
    const struct kernel_result *r = &record->result;
    struct measured measured = {r, config};
    fprintf(out, "%ju,%zu,%ju", (uintmax_t)record->number, process, (uintmax_t)record->stream);
    csv_text(record->name, out);
    csv_text(r->kernel, out);
    fprintf(out, ",%ju", (uintmax_t)record->kernel_number);
    csv_dim(r->grid, out);
    csv_dim(r->block, out);
    csv_dim(r->cluster, out);
    fprintf(out, ",%u,%u,%u,%d,%d,%s,", r->registers, r->static_shared, r->dynamic_shared, r->detailed, r->complete,
            r->stop != STOP_NONE ? result_stop_name(r->stop) : "");
    if (result_estimated_cycles(r))
        fprintf(out, "%ju", (uintmax_t)result_estimated_cycles(r));
    fprintf(out, ",%s,%u", record->error ? record->error_name : "", r->overlapped);
    csv_text(ranges, out);
    if (launches_cycles(record) > 0 || r->detailed)
        fprintf(out, ",%.3f,%.3f", 1e9 * record->begin, 1e9 * record->end);
    else
        fputs(",,", out);
    fprintf(out, ",%ju,%ju,%.9g", (uintmax_t)r->warp_instructions, (uintmax_t)r->thread_instructions, r->host_seconds);
    for (unsigned i = 0; i < METRIC_COUNT; i++) {
        fputc(',', out);
        if (r->detailed)
            fprintf(out, "%.10g", metric_value(&measured, (enum metric)i));
    }
    fputc('\n', out);
}
