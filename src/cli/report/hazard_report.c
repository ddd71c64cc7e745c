#include "cli/report/hazard_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "isa/contract.h"
#include "isa/resources.h"
#include "report/format.h"

enum { SHOWN = 20, ADVICE = 200, PLACE = 160, NAME = 32 };

static const char *const kinds[] = {"RAW", "WAW", "WAR", "PROXY", "PHASE", "OVERRUN", "TENSOR", "LEAK", "COMMIT"};
static const char *const kind_texts[] = {"read before it is written",
                                         "overwritten before it is written",
                                         "overwritten before it is read",
                                         "read by an asynchronous operation without a fence behind the write",
                                         "read before the phase of the mbarrier has ended",
                                         "overwritten before the transfer is over",
                                         "loaded without a wait for the warp's own store",
                                         "not freed by the CTA before its end",
                                         "read before the commit of the product has been waited for"};
static const char *const causes[] = {"distance", "no_counter",    "no_wait",  "escapes",
                                     "depbar",   "no_group_wait", "no_fence", "memory"};

struct lines {
    const struct cubin *cubin;
    struct cubin_line *row;
    size_t count;
};

static struct lines lines_of(const struct cubin *cubin, const char *kernel)
{
    struct status status = {0};
    struct lines lines = {.cubin = cubin};
    const struct cubin_kernel *k = cubin ? cubin_find_kernel(cubin, kernel, &status) : NULL;
    if (k)
        lines.count = cubin_lines(cubin, k, &lines.row);
    return lines;
}

/* "file.cu:12", or empty. */
static void place_of(const struct lines *lines, uint32_t pc, char text[static PLACE])
{
    const struct cubin_line *line = NULL;
    for (size_t i = 0; i < lines->count && lines->row[i].pc <= pc; i++)
        line = &lines->row[i];
    const char *file = line ? cubin_line_file(lines->cubin, line->file) : NULL;
    text[0] = '\0';
    if (file)
        snprintf(text, PLACE, "%s:%" PRIu32, file, line->line);
}

static void name_of(const struct hazard *h, char text[static NAME])
{
    unsigned resource = h->resource;
    if (h->kind >= HAZARD_TENSOR)
        snprintf(text, NAME, "tensor memory 0x%08" PRIx32, h->offset);
    else if (hazard_of_memory(h->kind))
        snprintf(text, NAME, "shared memory 0x%" PRIx32, h->offset);
    else if (resource < RESOURCE_UNIFORM)
        snprintf(text, NAME, "R%u", resource);
    else if (resource < RESOURCE_PREDICATE)
        snprintf(text, NAME, "UR%u", resource - RESOURCE_UNIFORM);
    else if (resource < RESOURCE_UNIFORM_PREDICATE)
        snprintf(text, NAME, "P%u", resource - RESOURCE_PREDICATE);
    else
        snprintf(text, NAME, "UP%u", resource - RESOURCE_UNIFORM_PREDICATE);
}

static const struct isa_inst *inst_at(const struct hazard_kernel *kernel, uint32_t pc)
{
    return &kernel->code.isa[pc / 16];
}

/* The stall count of the first instruction with which the distance would be right. */
static unsigned right_stall(const struct hazard_kernel *kernel, const struct hazard *h)
{
    return kernel->code.at[h->first / 16].stall + (unsigned)h->needed - h->distance;
}

static void advise_memory(const struct hazard *h, char text[static ADVICE])
{
    if (h->kind == HAZARD_PROXY)
        snprintf(text, ADVICE, "behind 0x%04x its warp must execute FENCE.VIEW.ASYNC before 0x%04x reads", h->first,
                 h->second);
    else if (h->kind == HAZARD_PHASE)
        snprintf(text, ADVICE, "before 0x%04x a thread must have waited at the mbarrier of 0x%04x", h->second,
                 h->first);
    else if (h->kind == HAZARD_TENSOR)
        snprintf(text, ADVICE, "between 0x%04x and 0x%04x the warp must execute FENCE.VIEW.ASYNC.T", h->first,
                 h->second);
    else if (h->kind == HAZARD_LEAK)
        snprintf(text, ADVICE, "the allocation of 0x%04x must be freed before 0x%04x", h->first, h->second);
    else if (h->kind == HAZARD_COMMIT)
        snprintf(text, ADVICE, "before 0x%04x a thread must have waited at the mbarrier of a commit behind 0x%04x",
                 h->second, h->first);
    else
        snprintf(text, ADVICE, "0x%04x must come behind a wait for the operation that 0x%04x has started", h->second,
                 h->first);
}

static void advise(const struct hazard_kernel *kernel, const struct hazard *h, char text[static ADVICE])
{
    unsigned stall;
    switch ((enum hazard_cause)h->cause) {
    case HAZARD_DISTANCE:
        stall = right_stall(kernel, h);
        if (stall <= ISA_STALL_MOST)
            snprintf(text, ADVICE,
                     "the control bits give %u of %u cycles; with a stall count of %u%s at 0x%04x it is right",
                     h->distance, h->needed, stall, stall >= ISA_YIELD_FROM ? " and yield" : "", h->first);
        else
            snprintf(text, ADVICE, "the control bits give %u of %u cycles; %u more are needed, with NOPs", h->distance,
                     h->needed, h->needed - h->distance);
        break;
    case HAZARD_NO_COUNTER:
        snprintf(text, ADVICE, "0x%04x must set a dependence counter, and 0x%04x or one before it wait for it",
                 h->first, h->second);
        break;
    case HAZARD_NO_WAIT:
        snprintf(text, ADVICE, "0x%04x or an instruction before it must wait for counter %u", h->second, h->counter);
        break;
    case HAZARD_ESCAPES:
        snprintf(text, ADVICE,
                 "counter %u is up %d cycles after issue, the wait comes %u after it: 0x%04x needs a stall count of %d",
                 h->counter, ISA_COUNTER_VISIBLE, h->distance, h->first, ISA_COUNTER_VISIBLE);
        break;
    case HAZARD_DEPBAR:
        snprintf(
            text, ADVICE,
            "the DEPBAR at 0x%04x protects instructions that issue %u cycles after it: it needs a stall count of %u",
            h->depbar, h->needed, h->needed);
        break;
    case HAZARD_NO_GROUP_WAIT:
        snprintf(text, ADVICE, "0x%04x needs a WARPGROUP.DEPBAR before it that waits for the group of 0x%04x",
                 h->second, h->first);
        break;
    case HAZARD_NO_FENCE:
        snprintf(text, ADVICE, "a WARPGROUP.ARRIVE is needed between 0x%04x and 0x%04x", h->first, h->second);
        break;
    case HAZARD_MEMORY: advise_memory(h, text); break;
    }
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

static void print_instruction(const struct hazard_kernel *kernel, const struct lines *lines, uint32_t pc,
                              uint64_t cycle, bool timed, int width, FILE *out)
{
    char text[ISA_TEXT], control[32], place[PLACE], when[40] = "";
    isa_print(inst_at(kernel, pc), text);
    isa_print_control(inst_at(kernel, pc)->control, control);
    place_of(lines, pc, place);
    text_make_printable(place, "");
    if (timed)
        snprintf(when, sizeof when, "  cycle %" PRIu64, cycle);
    if (!when[0] && !place[0])
        width = 0;
    fprintf(out, "  0x%04" PRIx32 "  %s  %-*s%s%s%s\n", pc, control, width, text, when, place[0] ? "  " : "", place);
}

static int width_of(const struct hazard_kernel *kernel, const struct hazard *h)
{
    char first[ISA_TEXT], second[ISA_TEXT];
    isa_print(inst_at(kernel, h->first), first);
    isa_print(inst_at(kernel, h->second), second);
    size_t a = strlen(first), b = strlen(second);
    return (int)(a > b ? a : b);
}

static void print_hazard(const struct hazard_kernel *kernel, const struct lines *lines, const struct hazard *h,
                         bool timed, FILE *out)
{
    char name[NAME], advice[ADVICE];
    name_of(h, name);
    advise(kernel, h, advice);
    fprintf(out, "%s %s: %s, %s time%s", kinds[h->kind], name, kind_texts[h->kind], format_count(h->count).text,
            h->count == 1 ? "" : "s");
    if (timed && h->kind != HAZARD_WAR && !hazard_of_memory(h->kind))
        fprintf(out, h->happened ? ", %s of them in the cycles of this run" : ", hidden by timing in this run",
                format_count(h->happened).text);
    fputc('\n', out);
    print_instruction(kernel, lines, h->first, h->first_cycle, timed && !hazard_of_memory(h->kind), width_of(kernel, h),
                      out);
    print_instruction(kernel, lines, h->second, h->second_cycle, timed && !hazard_of_memory(h->kind),
                      width_of(kernel, h), out);
    fprintf(out, "  %s\n  such as warp %" PRIu32 " of CTA %" PRIu64 ", lanes 0x%08" PRIx32 "\n", advice, h->warp,
            h->cta, h->lanes);
}

static void print_kernel(const struct hazard_kernel *kernel, const struct lines *lines, bool timed, FILE *out)
{
    const struct hazard_found *found = &kernel->found;
    if (found->count) {
        fputc('\n', out);
        text_print(out, kernel->name);
        fprintf(out, ": %" PRIu32 " hazard%s\n", found->count, found->count == 1 ? "" : "s");
    }
    for (uint32_t i = 0; i < found->count && i < SHOWN; i++) {
        fputc('\n', out);
        print_hazard(kernel, lines, &found->item[i], timed, out);
    }
    if (found->count > SHOWN)
        fprintf(out, "\n... and %" PRIu32 " more; --json lists all\n", found->count - SHOWN);
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static void write_instruction(const struct hazard_kernel *kernel, const struct lines *lines, const char *key,
                              uint32_t pc, uint64_t cycle, bool timed, struct json *json)
{
    char text[ISA_TEXT], control[32], place[PLACE];
    isa_print(inst_at(kernel, pc), text);
    isa_print_control(inst_at(kernel, pc)->control, control);
    place_of(lines, pc, place);
    json_object(json, key);
    json_uint(json, "pc", pc);
    json_string(json, "control", control);
    json_string(json, "text", text);
    json_string(json, "line", place[0] ? place : NULL);
    if (timed)
        json_uint(json, "cycle", cycle);
    json_end(json);
}

static void write_hazard(const struct hazard_kernel *kernel, const struct lines *lines, const struct hazard *h,
                         bool timed, struct json *json)
{
    char name[NAME], advice[ADVICE];
    name_of(h, name);
    advise(kernel, h, advice);
    json_object(json, NULL);
    json_string(json, "kernel", kernel->name);
    json_string(json, "kind", kinds[h->kind]);
    json_string(json, "cause", causes[h->cause]);
    json_string(json, "register", hazard_of_memory(h->kind) ? NULL : name);
    if (hazard_of_memory(h->kind))
        json_uint(json, "offset", h->offset);
    write_instruction(kernel, lines, "first", h->first, h->first_cycle, timed && !hazard_of_memory(h->kind), json);
    write_instruction(kernel, lines, "second", h->second, h->second_cycle, timed && !hazard_of_memory(h->kind), json);
    if (!hazard_of_memory(h->kind))
        json_uint(json, "distance", h->distance);
    if (h->needed)
        json_uint(json, "needed", h->needed);
    if (h->cause == HAZARD_DISTANCE)
        json_uint(json, "right_stall", right_stall(kernel, h));
    if (h->counter != ISA_NO_SB)
        json_uint(json, "counter", h->counter);
    json_string(json, "advice", advice);
    json_uint(json, "count", h->count);
    if (timed)
        json_uint(json, "happened", h->happened);
    json_uint(json, "cta", h->cta);
    json_uint(json, "warp", h->warp);
    json_uint(json, "lanes", h->lanes);
    json_end(json);
}

/* ---- both -------------------------------------------------------------------------------------------------------- */

void hazard_report(const struct hazards *hazards, const struct cubin *cubin, FILE *out, struct json *json,
                   struct status *status)
{
    uint64_t count = hazards_count(hazards);
    if (out)
        fprintf(out, "\nHazards: %s\n", count ? format_count(count).text : "none");
    if (json)
        json_array(json, "hazards");
    for (uint32_t k = 0; k < hazards->kernels; k++) {
        const struct hazard_kernel *kernel = &hazards->kernel[k];
        struct lines lines = lines_of(cubin, kernel->name);
        if (out)
            print_kernel(kernel, &lines, hazards->timed, out);
        for (uint32_t i = 0; json && i < kernel->found.count; i++)
            write_hazard(kernel, &lines, &kernel->found.item[i], hazards->timed, json);
        free(lines.row);
    }
    if (json)
        json_end(json);
    if (count && status->code == STATUS_OK)
        status_fail(status, STATUS_HAZARD,
                    "%s hazard%s: control bits, or fences and waits in shared memory, do not cover all dependences",
                    format_count(count).text, count == 1 ? "" : "s");
}
