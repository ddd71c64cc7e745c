#include "cli/report/check_report.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "cubin/kernel_name.h"
#include "report/format.h"

enum { SHOWN = 50, THREAD = 96 };

static const char *const memories[] = {[CHECK_NOWHERE] = "",
                                       [CHECK_GLOBAL] = "global memory",
                                       [CHECK_SHARED] = "shared memory",
                                       [CHECK_LOCAL] = "local memory"};

/* "CTA (0,0,0), warp 1, lane 3" */
static void thread_of(const struct check_place *p, char text[static THREAD])
{
    int n = snprintf(text, THREAD, "CTA (%" PRIu32 ",%" PRIu32 ",%" PRIu32 "), warp %" PRIu32, p->cta[0], p->cta[1],
                     p->cta[2], p->warp);
    if (p->lane < CHECK_NO_LANE)
        snprintf(text + n, THREAD - (size_t)n, ", lane %" PRIu32, p->lane);
}

static bool has_barrier(const struct check_finding *f)
{
    return check_kind_bit((enum check_kind)f->kind) == CHECK_BIT_SYNC;
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

static void print_place(const struct check_place *p, FILE *out)
{
    char thread[THREAD], line[CHECK_LINE];
    if (!p->present)
        return;
    thread_of(p, thread);
    snprintf(line, sizeof line, "%s", p->line);
    text_make_printable(line, "");
    fprintf(out, "  0x%04" PRIx32 "  %s%s%s  %s\n", p->pc, p->sass, line[0] ? "  " : "", line, thread);
}

static void print_finding(const struct check_finding *f, FILE *out)
{
    char text[CHECK_TEXT];
    fprintf(out, "\n%s", check_kind_name((enum check_kind)f->kind));
    if (f->memory != CHECK_NOWHERE)
        fprintf(out, " %s 0x%" PRIx64, memories[f->memory], f->address);
    else if (has_barrier(f))
        fprintf(out, " barrier %" PRIu64, f->address);
    fprintf(out, ": %s, %s time%s\n", check_kind_text((enum check_kind)f->kind), format_count(f->count).text,
            f->count == 1 ? "" : "s");
    print_place(&f->first, out);
    print_place(&f->second, out);
    snprintf(text, sizeof text, "%s", f->text);
    text_make_printable(text, "");
    if (text[0])
        fprintf(out, "  %s\n", text);
}

static bool has_lines(const struct check_finding *f)
{
    return (!f->first.present || f->first.line[0]) && (!f->second.present || f->second.line[0]);
}

static void print(const struct check_found *found, FILE *out)
{
    const char *kernel = NULL;
    bool lines = true;
    uint64_t count = check_found_count(found);
    fprintf(out, "\nChecks: %s\n", count ? format_count(count).text : "nothing found");
    for (uint32_t i = 0; i < found->count && i < SHOWN; i++) {
        const struct check_finding *f = &found->item[i];
        if (f->kernel[0] && (!kernel || strcmp(kernel, f->kernel) != 0)) {
            char name[CHECK_NAME];
            kernel_name(f->kernel, name, sizeof name);
            fputc('\n', out);
            text_print(out, name);
            fputs(":\n", out);
            kernel = f->kernel;
        }
        print_finding(f, out);
        lines = lines && has_lines(f);
    }
    if (found->count > SHOWN)
        fprintf(out, "\n... and %" PRIu32 " more; --json lists all\n", found->count - SHOWN);
    if (found->more)
        fprintf(out, "\n... and %s at further places, which are not kept\n", format_count(found->more).text);
    if (!lines)
        fputs("\nLines of the program are known to code that nvcc compiles with -lineinfo.\n", out);
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static void write_place(const char *key, const struct check_place *p, struct json *json)
{
    if (!p->present)
        return;
    json_object(json, key);
    json_uint(json, "pc", p->pc);
    json_string(json, "text", p->sass);
    json_string(json, "line", p->line[0] ? p->line : NULL);
    json_array(json, "cta");
    for (unsigned i = 0; i < 3; i++)
        json_uint(json, NULL, p->cta[i]);
    json_end(json);
    json_uint(json, "warp", p->warp);
    if (p->lane < CHECK_NO_LANE)
        json_uint(json, "lane", p->lane);
    json_end(json);
}

static void write_finding(const struct check_finding *f, struct json *json)
{
    static const char *const names[] = {
#define X(id, name, text) name,
        CHECKS(X)
#undef X
    };
    json_object(json, NULL);
    json_string(json, "check", names[check_kind_bit((enum check_kind)f->kind)]);
    json_string(json, "kind", check_kind_name((enum check_kind)f->kind));
    json_string(json, "kernel", f->kernel[0] ? f->kernel : NULL);
    json_string(json, "memory", f->memory != CHECK_NOWHERE ? memories[f->memory] : NULL);
    if (f->memory != CHECK_NOWHERE)
        json_uint(json, "address", f->address);
    else if (has_barrier(f))
        json_uint(json, "barrier", f->address);
    json_uint(json, "bytes", f->bytes);
    write_place("first", &f->first, json);
    write_place("second", &f->second, json);
    json_string(json, "detail", f->text[0] ? f->text : NULL);
    json_uint(json, "count", f->count);
    json_end(json);
}

/* ---- both -------------------------------------------------------------------------------------------------------- */

void check_report(const struct check_found *found, FILE *out, struct json *json, struct status *status)
{
    uint64_t count = check_found_count(found);
    if (out)
        print(found, out);
    if (json)
        json_array(json, "checks");
    for (uint32_t i = 0; json && i < found->count; i++)
        write_finding(&found->item[i], json);
    if (json)
        json_end(json);
    if (count)
        status_fail(status, STATUS_HAZARD, "--check found %s place%s in kernels", format_count(found->count).text,
                    found->count == 1 ? "" : "s");
}

int check_exit(const struct check_found *found, uint32_t error_exitcode)
{
    return check_found_count(found) ? (int)error_exitcode : 0;
}
