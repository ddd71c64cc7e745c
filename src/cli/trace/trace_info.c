#include <inttypes.h>
#include <string.h>

#include "cli/document.h"
#include "cli/trace/trace.h"
#include "cubin/kernel_name.h"
#include "report/format.h"

enum { NAME_COLUMNS = 32, NOTE = 96, DIGITS = 6 };

/* A kernel as the table and the document show it. */
struct shown {
    struct trace_summary summary;
    const struct trace_launch *launch; /* NULL: it cannot be read */
    struct status damage;
};

static double per_instruction(uint64_t bytes, uint64_t instructions)
{
    return instructions ? (double)bytes / (double)instructions : 0;
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

static void print_heading(FILE *out, const struct trace_file *file, const struct trace_totals *t)
{
    const char *program = trace_origin_program(file), *gpu = trace_origin_gpu(file),
               *source = trace_origin_source(file);
    fprintf(out, "%s: %s kernel%s, %s warp instructions, %s, %s bytes each\n", trace_path(file),
            format_count(t->kernels).text, t->kernels == 1 ? "" : "s", format_count(t->instructions).text,
            format_size(t->bytes).text, format_fixed(per_instruction(t->bytes, t->instructions), 2).text);
    const char *const origin[][2] = {{"program", program}, {"GPU", gpu}, {"source", source}};
    for (unsigned i = 0; i < 3; i++)
        if (origin[i][1][0])
            fprintf(out, "%-8s %s\n", origin[i][0], origin[i][1]);
    if (t->copies > 0)
        fprintf(out, "%-8s %s from the host, %s\n", "copies", format_count(t->copies).text,
                format_size(t->copied).text);
    fprintf(out, "\n%5s  %-*s %14s %14s %17s %11s %6s\n", "#", NAME_COLUMNS, "kernel", "grid", "CTA",
            "warp instructions", "bytes", "each");
}

static void notes(const struct shown *s, char out[NOTE])
{
    const struct trace_launch *l = s->launch;
    size_t used = 0;
    out[0] = '\0';
    if (!l) {
        snprintf(out, NOTE, "damaged");
        return;
    }
    used += (size_t)snprintf(out, NOTE, "sm_%u", l->architecture);
    if (l->stream != 0 && used < NOTE)
        used += (size_t)snprintf(out + used, NOTE - used, ", stream %" PRIu64, l->stream);
    if (!l->control_bits && used < NOTE)
        used += (size_t)snprintf(out + used, NOTE - used, ", no control bits");
    if (!s->summary.complete && used < NOTE)
        snprintf(out + used, NOTE - used, ", incomplete");
}

static void print_kernel(FILE *out, uint32_t number, const struct shown *s)
{
    static const uint32_t unknown[3] = {0, 0, 0};
    char name[256], fitting[256], note[NOTE];
    kernel_name(s->summary.name, name, sizeof name);
    kernel_name_short(name, NAME_COLUMNS, fitting);
    notes(s, note);
    struct format grid = format_dim(s->launch ? s->launch->grid : unknown);
    struct format block = format_dim(s->launch ? s->launch->block : unknown);
    fprintf(out, "%5u  %-*s %14s %14s %17s %11s %6s  %s\n", number, NAME_COLUMNS, fitting, s->launch ? grid.text : "-",
            s->launch ? block.text : "-", format_count(s->summary.instructions).text,
            format_size(s->summary.bytes).text,
            format_fixed(per_instruction(s->summary.bytes, s->summary.instructions), 2).text, note);
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static void json_dim(struct json *json, const char *key, const uint32_t dim[3])
{
    json_array(json, key);
    for (unsigned i = 0; i < 3; i++)
        json_uint(json, NULL, dim[i]);
    json_end(json);
}

static void json_launch(struct json *json, const struct trace_launch *l)
{
    json_uint(json, "launch", l->number);
    json_uint(json, "stream", l->stream);
    json_uint(json, "architecture", l->architecture);
    json_dim(json, "grid", l->grid);
    json_dim(json, "block", l->block);
    json_uint(json, "registers", l->registers);
    json_uint(json, "static_shared_bytes", l->static_shared);
    json_uint(json, "dynamic_shared_bytes", l->dynamic_shared);
    json_uint(json, "local_bytes", l->local_bytes);
    json_uint(json, "code_instructions", l->code_count);
    json_bool(json, "cooperative", l->cooperative);
    json_bool(json, "control_bits", l->control_bits);
}

static void json_kernel(struct json *json, const struct shown *s)
{
    char name[256];
    kernel_name(s->summary.name, name, sizeof name);
    json_object(json, NULL);
    json_string(json, "name", name);
    json_string(json, "mangled", s->summary.name);
    json_uint(json, "ctas", s->summary.ctas);
    json_uint(json, "warps", s->summary.warps);
    json_uint(json, "warp_instructions", s->summary.instructions);
    json_uint(json, "bytes", s->summary.bytes);
    json_number(json, "bytes_per_instruction", per_instruction(s->summary.bytes, s->summary.instructions), DIGITS);
    json_bool(json, "complete", s->summary.complete);
    json_string(json, "damage", s->damage.code == STATUS_OK ? NULL : s->damage.text);
    if (s->launch)
        json_launch(json, s->launch);
    json_end(json);
}

static void json_commands(struct json *json, const struct trace_file *file)
{
    json_array(json, "commands");
    for (uint32_t i = 0; i < trace_commands(file); i++) {
        const struct trace_command *c = trace_command(file, i);
        json_object(json, NULL);
        json_string(json, "kind", c->kind == TRACE_COPY ? "copy" : "launch");
        if (c->kind == TRACE_COPY) {
            document_hash(json, "address", c->copy.address);
            json_uint(json, "bytes", c->copy.bytes);
            json_uint(json, "stream", c->copy.stream);
        } else {
            json_uint(json, "kernel", c->kernel);
        }
        json_end(json);
    }
    json_end(json);
}

static void json_heading(struct json *json, const struct trace_file *file, const struct trace_totals *t,
                         const struct status *damage)
{
    json_string(json, "trace", trace_path(file));
    json_string(json, "program", trace_origin_program(file));
    json_string(json, "gpu", trace_origin_gpu(file));
    json_string(json, "source", trace_origin_source(file));
    json_string(json, "damage", damage->code == STATUS_OK ? NULL : damage->text);
    json_uint(json, "bytes", t->bytes);
    json_uint(json, "warp_instructions", t->instructions);
    json_number(json, "bytes_per_instruction", per_instruction(t->bytes, t->instructions), DIGITS);
}

/* ---- both -------------------------------------------------------------------------------------------------------- */

static void show_kernel(struct trace_file *file, uint32_t number, FILE *out, struct document *document)
{
    struct shown s = {0};
    trace_summary(file, number, &s.summary);
    struct trace_kernel *kernel = trace_kernel_open(file, number, &s.damage);
    s.launch = kernel ? trace_kernel_launch(kernel) : NULL;
    if (out)
        print_kernel(out, number, &s);
    if (document->wanted)
        json_kernel(&document->json, &s);
    if (kernel)
        trace_kernel_close(kernel);
}

bool trace_info(const struct cli_options *options, const char *path, struct status *status)
{
    struct document document;
    struct status damage = {0};
    struct trace_file *file = trace_input(path, &damage, status);
    if (!file)
        return false;
    if (damage.code != STATUS_OK)
        trace_warn("%s; the undamaged part is shown", damage.text);
    bool ok = document_begin(&document, options->json, status);
    FILE *out = ok ? document_text_stream(options->json, options->quiet) : NULL;
    struct trace_totals t = trace_totals(file);
    if (out)
        print_heading(out, file, &t);
    if (ok && document.wanted) {
        json_heading(&document.json, file, &t, &damage);
        json_array(&document.json, "kernels");
    }
    for (uint32_t k = 0; ok && k < t.kernels; k++)
        show_kernel(file, k, out, &document);
    if (ok && document.wanted) {
        json_end(&document.json);
        json_commands(&document.json, file);
    }
    ok = ok && document_commit(&document, status);
    trace_close(file);
    return ok;
}
