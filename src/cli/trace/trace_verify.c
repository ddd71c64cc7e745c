#include <inttypes.h>

#include "cli/document.h"
#include "cli/trace/trace.h"
#include "report/format.h"
#include "trace/verify.h"

enum { LINES = 20, LISTED = 1000 };

struct verifying {
    struct trace_work work;
    struct document document;
    FILE *out;
    uint64_t shown;
};

static void json_damage(struct json *json, const struct trace_damage *d)
{
    json_object(json, NULL);
    json_uint(json, "kernel", d->kernel);
    if (!d->whole_kernel) {
        json_uint(json, "cta", d->cta);
        json_uint(json, "warp", d->warp);
    }
    json_string(json, "damage", d->text);
    json_end(json);
}

static void show_damage(void *self, const struct trace_damage *d)
{
    struct verifying *v = self;
    v->shown++;
    if (v->out && v->shown <= LINES) {
        trace_work_end(&v->work);
        fprintf(v->out, "%s\n", d->text);
    }
    if (v->document.wanted && v->shown <= LISTED)
        json_damage(&v->document.json, d);
}

/* Damage of the file itself, which belongs to no kernel. */
static void show_file_damage(struct verifying *v, const struct status *damage)
{
    if (v->out)
        fprintf(v->out, "%s\n", damage->text);
    if (!v->document.wanted)
        return;
    json_object(&v->document.json, NULL);
    json_string(&v->document.json, "damage", damage->text);
    json_end(&v->document.json);
}

static void show_progress(void *self, uint64_t done, uint64_t all)
{
    struct verifying *v = self;
    trace_work_show(&v->work, done, all);
}

static void show_verified(struct verifying *v, const struct trace_file *file, uint64_t damages)
{
    const struct trace_totals t = trace_totals(file);
    if (v->out && damages > LINES)
        fprintf(v->out, "... and %s more\n", format_count(damages - LINES).text);
    if (v->out && damages == 0)
        fprintf(v->out, "%s: %s kernel%s, %s warp instructions: all of it is whole\n", trace_path(file),
                format_count(t.kernels).text, t.kernels == 1 ? "" : "s", format_count(t.instructions).text);
    if (v->out && t.incomplete > 0)
        fprintf(v->out, "%s of %s kernels lack CTAs or ends of warps, as they were written\n",
                format_count(t.incomplete).text, format_count(t.kernels).text);
    if (!v->document.wanted)
        return;
    struct json *json = &v->document.json;
    json_end(json);
    json_string(json, "trace", trace_path(file));
    json_uint(json, "kernels", t.kernels);
    json_uint(json, "warp_instructions", t.instructions);
    json_uint(json, "damaged", damages);
    json_uint(json, "incomplete_kernels", t.incomplete);
}

static bool verify(struct verifying *v, const struct cli_options *options, struct trace_file *file,
                   const struct status *damage, struct status *status)
{
    uint64_t damages = 0;
    if (!document_begin(&v->document, options->json, status))
        return false;
    if (v->document.wanted)
        json_array(&v->document.json, "damages");
    v->out = document_text_stream(options->json, options->quiet);
    if (damage->code != STATUS_OK)
        show_file_damage(v, damage);
    trace_work_begin(&v->work, "verify", options->quiet);
    const struct trace_check check = {show_damage, show_progress, v, v->work.stop};
    bool ok = trace_verify(file, &check, &damages, status);
    trace_work_end(&v->work);
    if (!ok) {
        document_abandon(&v->document);
        return false;
    }
    damages += damage->code != STATUS_OK;
    show_verified(v, file, damages);
    if (!document_commit(&v->document, status))
        return false;
    return damages == 0 || status_fail(status, STATUS_CHECK, "%.300s: damaged in %s place%s", trace_path(file),
                                       format_count(damages).text, damages == 1 ? "" : "s");
}

bool trace_verify_file(const struct cli_options *options, const char *path, struct status *status)
{
    struct verifying v = {0};
    struct status damage = {0};
    struct trace_file *file = trace_input(path, &damage, status);
    bool ok = file && verify(&v, options, file, &damage, status);
    if (file)
        trace_close(file);
    return ok;
}
