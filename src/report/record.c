#include "report/record.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/text.h"
#include "cubin/kernel_name.h"
#include "report/format.h"
#include "report/metrics.h"

enum { LINE_COLUMNS = 120, NAME_COLUMNS = 32, DIM_COLUMNS = 23, ALL_LINES = 100 };

struct record_count {
    uint64_t hash, launches; /* launches 0: a free place */
};

static uint64_t hash_name(const char *kernel) { return hash_bytes(HASH_SEED, kernel, strlen(kernel)); }

/* ---- numbers of launches ----------------------------------------------------------------------------------------- */

void recorder_init(struct recorder *recorder, const char *path, bool quiet)
{
    *recorder = (struct recorder){.path = path, .quiet = quiet, .file = -1};
}

void recorder_close(struct recorder *recorder)
{
    if (recorder->file >= 0)
        close(recorder->file);
    free(recorder->counts);
    recorder_init(recorder, NULL, true);
}

/* The place of a name, or the free one where it belongs. There is always a free one. */
static struct record_count *place(struct record_count *counts, size_t room, uint64_t hash)
{
    size_t i = (size_t)hash & (room - 1);
    while (counts[i].launches > 0 && counts[i].hash != hash)
        i = (i + 1) & (room - 1);
    return &counts[i];
}

static bool make_room(struct recorder *r)
{
    if (2 * r->kernels < r->room)
        return true;
    size_t room = r->room ? 2 * r->room : 64;
    struct record_count *counts = calloc(room, sizeof *counts);
    if (!counts)
        return false;
    for (size_t i = 0; i < r->room; i++)
        if (r->counts[i].launches > 0)
            *place(counts, room, r->counts[i].hash) = r->counts[i];
    free(r->counts);
    r->counts = counts;
    r->room = room;
    return true;
}

uint64_t record_number(const struct recorder *recorder, const char *kernel)
{
    return recorder->room ? place(recorder->counts, recorder->room, hash_name(kernel))->launches : 0;
}

/* Without memory every launch has the number 0. */
static uint64_t count(struct recorder *r, uint64_t hash)
{
    if (!make_room(r))
        return 0;
    struct record_count *c = place(r->counts, r->room, hash);
    r->kernels += c->launches == 0;
    c->hash = hash;
    return c->launches++;
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

/* The counters of a functional launch, which are all 0, are not in the file. */
static const size_t counters_begin = offsetof(struct launch_record, result.sm);
static const size_t counters_end = offsetof(struct launch_record, result.config_hash);

static uint32_t size_in_file(const struct kernel_result *result)
{
    return (uint32_t)(sizeof(struct launch_record) - (result->detailed ? 0 : counters_end - counters_begin));
}

/* Why no more than a part of a record was written: one more byte cannot be, for the same reason. */
static int reason_of_short(int file)
{
    ssize_t n = write(file, "", 1);
    return n < 0 ? errno : ENOSPC;
}

/* One call, so that records of several processes do not mix (write(2), O_APPEND). */
static void append(struct recorder *r, const struct launch_record *record)
{
    if (r->file < 0)
        r->file = open(r->path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (r->file < 0) {
        r->error = errno;
        return;
    }
    char *bytes = (char *)(uintptr_t)record;
    struct iovec parts[2] = {{bytes, sizeof *record}, {bytes + counters_end, sizeof *record - counters_end}};
    if (record->bytes < sizeof *record)
        parts[0].iov_len = counters_begin;
    ssize_t written = writev(r->file, parts, record->bytes < sizeof *record ? 2 : 1);
    if (written < 0)
        r->error = errno;
    else if ((size_t)written != record->bytes)
        r->error = reason_of_short(r->file);
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

bool record_has_line(uint64_t number)
{
    uint64_t each = 1;
    for (uint64_t last = ALL_LINES; number >= last; last *= 10)
        each *= 10;
    return (number + 1) % each == 0;
}

static void print_line(struct recorder *r, const struct launch_record *record)
{
    char line[RECORD_LINE];
    if (record->error == 0 && !record_has_line(record->kernel_number)) {
        if (!r->thinned)
            fprintf(stderr,
                    "subcore: of each kernel every tenth launch after the first %d has a line, after %d every "
                    "hundredth, and so on; the table at the end, and --report, have all\n",
                    ALL_LINES, 10 * ALL_LINES);
        r->thinned = true;
        return;
    }
    record_line(record, line);
    fputs(line, stderr);
}

void record_launch(struct recorder *recorder, const struct launch_info *info, const struct kernel_result *result)
{
    struct launch_record record = {
        .magic = RECORD_MAGIC,
        .version = RECORD_VERSION,
        .layout = sizeof record,
        .bytes = size_in_file(result),
        .number = recorder->launches++,
        .kernel_hash = hash_name(info->kernel),
        .stream = info->stream,
        .scope = info->scope,
        .order = info->order,
        .begin = info->begin,
        .end = info->end,
        .process = (int32_t)getpid(),
        .error = info->error,
        .result = *result,
    };
    record.kernel_number = count(recorder, record.kernel_hash);
    if (info->left_out && !info->copy)
        return;
    kernel_name(info->kernel, record.name, sizeof record.name);
    if (info->error != 0 && info->error_name)
        snprintf(record.error_name, sizeof record.error_name, "%s", info->error_name);
    if (info->copy)
        *info->copy = record;
    if (info->left_out)
        return;
    if (recorder->path && !recorder->error)
        append(recorder, &record);
    if (!recorder->quiet)
        print_line(recorder, &record);
}

/* ---- the line ---------------------------------------------------------------------------------------------------- */

const char *record_error_number(int error, const char *name, char text[static 16])
{
    text[0] = '\0';
    if (!name[0] || strncmp(name, "CUDA_", 5) == 0)
        snprintf(text, 16, " (%d)", error);
    return text;
}

static void outcome(const struct launch_record *record, char *text, size_t size)
{
    const struct kernel_result *r = &record->result;
    struct measured measured = {r, NULL};
    char number[16];
    if (record->error != 0)
        snprintf(text, size, "%s%s, %s of %s CTAs", record->error_name,
                 record_error_number(record->error, record->error_name, number), format_count(r->ctas_done).text,
                 format_count(r->ctas).text);
    else if (!r->detailed && result_estimated_cycles(r))
        snprintf(text, size, "~%12s cycles (as launches like it)", format_count(result_estimated_cycles(r)).text);
    else if (!r->detailed)
        snprintf(text, size, "functional, %s warp instructions", format_count(r->warp_instructions).text);
    else if (result_estimated_cycles(r))
        snprintf(text, size, "~%12s cycles (%s), %s timed", format_count(result_estimated_cycles(r)).text,
                 result_is_chosen(r) ? result_stop_name(r->stop) : "estimate", format_count(r->cycles).text);
    else if (r->stop != STOP_NONE)
        snprintf(text, size, "stopped at cycle %s, %s of %s CTAs", format_count(r->cycles).text,
                 format_count(r->ctas_done).text, format_count(r->ctas).text);
    else
        snprintf(text, size, "%13s cycles %10s  IPC %.2f", format_count(r->cycles).text,
                 format_time((double)r->cycles / (1e6 * r->clock_mhz)).text, metric_value(&measured, METRIC_IPC));
}

void record_line(const struct launch_record *record, char line[static RECORD_LINE])
{
    const struct kernel_result *r = &record->result;
    char name[NAME_COLUMNS + 1], dims[2 * FORMAT_TEXT + 8], text[RECORD_ERROR_NAME + 2 * FORMAT_TEXT];
    kernel_name_short(record->name, NAME_COLUMNS, name);
    snprintf(dims, sizeof dims, "(%s) x (%s)", format_dim(r->grid).text, format_dim(r->block).text);
    outcome(record, text, sizeof text);
    int used = snprintf(line, RECORD_LINE - 1, "subcore: %4ju %-*s %*s %s", (uintmax_t)record->number, NAME_COLUMNS,
                        name, DIM_COLUMNS, dims, text);
    strcpy(line + (used < LINE_COLUMNS ? used : LINE_COLUMNS), "\n");
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

bool record_open(struct record_reader *reader, const char *path, struct status *status)
{
    *reader = (struct record_reader){.file = fopen(path, "re")};
    if (reader->file || errno == ENOENT)
        return true;
    return status_fail(status, STATUS_IO, "%s: %s", path, strerror(errno));
}

static bool is_record(const struct launch_record *record)
{
    size_t small = sizeof *record - (counters_end - counters_begin);
    return record->magic == RECORD_MAGIC && record->version == RECORD_VERSION && record->layout == sizeof *record &&
           (record->bytes == sizeof *record || record->bytes == small);
}

/* Ends a text of another process, and makes it one that can be printed. */
static void end_text(char *text, size_t size)
{
    text[size - 1] = '\0';
    text_make_printable(text, "");
}

static void end_texts(struct launch_record *record)
{
    end_text(record->error_name, sizeof record->error_name);
    end_text(record->name, sizeof record->name);
    end_text(record->result.gpu, sizeof record->result.gpu);
    end_text(record->result.kernel, sizeof record->result.kernel);
    end_text(record->result.module, sizeof record->result.module);
}

static bool is_flag(const bool *flag)
{
    uint8_t value;
    memcpy(&value, flag, sizeof value);
    return value <= 1;
}

static bool is_amount(double value) { return value >= 0 && value < 1e18; }

/* Table keys, and the form of numbers. */
static bool is_sound(const struct launch_record *record)
{
    const struct kernel_result *r = &record->result;
    return is_flag(&r->detailed) && is_flag(&r->complete) && is_flag(&r->rest_executed) && r->stop < STOP_COUNT &&
           r->estimate.kind < ESTIMATE_KINDS && is_amount(r->estimate.value) && r->occupancy.limit < LIMIT_COUNT &&
           is_amount(record->begin) && is_amount(record->end) && is_amount(r->clock_mhz) &&
           is_amount(r->dram_peak_gbs) && is_amount(r->stable_ipc) && is_amount(r->host_seconds);
}

bool record_next(struct record_reader *reader, struct launch_record *record)
{
    const size_t head = offsetof(struct launch_record, number);
    *record = (struct launch_record){0};
    size_t got = reader->file && !reader->cut ? fread(record, 1, head, reader->file) : 0;
    if (got == 0)
        return false;
    char *bytes = (char *)record;
    bool ok = got == head && is_record(record);
    size_t first = ok && record->bytes < sizeof *record ? counters_begin : sizeof *record;
    ok = ok && fread(bytes + head, 1, first - head, reader->file) == first - head;
    if (ok && first < sizeof *record)
        ok = fread(bytes + counters_end, 1, sizeof *record - counters_end, reader->file) ==
             sizeof *record - counters_end;
    ok = ok && is_sound(record);
    reader->cut = !ok;
    end_texts(record);
    return ok;
}

void record_close(struct record_reader *reader)
{
    if (reader->file)
        fclose(reader->file);
    *reader = (struct record_reader){0};
}
