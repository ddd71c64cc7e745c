/* The listing for programs. */
#include "report/source.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

void source_instruction(const struct source_line *line, char text[static ISA_TEXT])
{
    if (line->inst)
        isa_print(line->inst, text);
    else
        snprintf(text, ISA_TEXT, "(%s)", line->function ? line->function : "?");
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static void write_counters(const struct line_counters *n, struct json *json)
{
    json_uint(json, "inst_issued", n->inst_issued);
    json_uint(json, "thread_inst_executed", n->thread_inst_executed);
    json_uint(json, "thread_inst_executed_pred_on", n->thread_inst_executed_pred_on);
    json_uint(json, "warp_cycles", line_warp_cycles(n));
    json_uint(json, "scheduler_cycles", line_scheduler_cycles(n));
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
    source_instruction(line, text);
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

/* ---- the program's text ------------------------------------------------------------------------------------------ */

/* Lines before and behind those that instructions come from, and most of a file. */
enum { AROUND = 12, LINES_MOST = 4000 };

static void write_text(const struct source_file *file, uint32_t first, uint32_t last, struct json *json)
{
    const char *at = file->text, *end = at + file->size;
    char *line = NULL;
    size_t room = 0;
    json_array(json, "lines");
    for (uint32_t n = 1; at < end && n <= last; n++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        size_t length = (size_t)((stop ? stop : end) - at);
        if (n >= first && length >= room) {
            char *more = realloc(line, 2 * length + 1);
            if (!more)
                break;
            line = more;
            room = 2 * length + 1;
        }
        if (n >= first) {
            memcpy(line, at, length);
            line[length] = '\0';
            json_string(json, NULL, line);
        }
        at = stop ? stop + 1 : end;
    }
    json_end(json);
    free(line);
}

/* Nothing of a file that no instruction that was reached comes from. */
static void write_file(const struct source_line *lines, const struct line_profile *profile,
                       const struct source_file *file, struct json *json)
{
    uint32_t first = UINT32_MAX, last = 0;
    for (uint32_t i = 0; i < profile->count; i++) {
        const struct source_line *l = &lines[i];
        if (!l->file || strcmp(l->file, file->name) != 0 || !line_warp_cycles(&profile->line[i]))
            continue;
        first = l->line < first ? l->line : first;
        last = l->line > last ? l->line : last;
    }
    if (last == 0)
        return;
    first = first > AROUND ? first - AROUND : 1;
    last = last < UINT32_MAX - AROUND ? last + AROUND : last;
    last = last - first < LINES_MOST ? last : first + LINES_MOST - 1;
    json_object(json, NULL);
    json_string(json, "file", file->name);
    json_uint(json, "first_line", first);
    write_text(file, first, last, json);
    json_end(json);
}

static void write_files(const struct source_line *lines, const struct line_profile *profile,
                        const struct source_file *files, size_t count, struct json *json)
{
    json_array(json, "files");
    for (size_t i = 0; i < count; i++) {
        bool again = false;
        for (size_t k = 0; k < i; k++)
            again |= files[k].text && files[i].text && strcmp(files[k].name, files[i].name) == 0;
        if (files[i].text && !again)
            write_file(lines, profile, &files[i], json);
    }
    json_end(json);
}

void report_source_json(const struct source_line *lines, const struct line_profile *profile,
                        const struct source_file *files, size_t file_count, struct json *json, const char *key)
{
    struct line_counters total = {0};
    json_object(json, key);
    json_array(json, "instructions");
    for (uint32_t i = 0; i < profile->count; i++) {
        line_counters_add(&total, &profile->line[i]);
        if (line_warp_cycles(&profile->line[i]))
            write_line(&lines[i], i, &profile->line[i], json);
    }
    json_end(json);
    line_counters_add(&total, &profile->line[profile->count]);
    json_uint(json, "scheduler_cycles_without_warp", total.cycle[CYCLE_NO_WARP]);
    json_object(json, "total");
    write_counters(&total, json);
    json_end(json);
    write_files(lines, profile, files, file_count, json);
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
        if (!line_warp_cycles(&profile->line[i]))
            continue;
        source_instruction(&lines[i], text);
        if (lines[i].file)
            snprintf(number, sizeof number, "%u", lines[i].line);
        fprintf(out, "0x%04x,\"%s\",", 16 * i, text);
        text_print(out, lines[i].function ? lines[i].function : "");
        fputc(',', out);
        text_print(out, lines[i].file ? lines[i].file : "");
        fprintf(out, ",%s", number);
        csv_counters(&profile->line[i], out);
    }
    fputs(",,,,", out);
    csv_counters(&profile->line[profile->count], out);
}
