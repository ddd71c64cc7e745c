#include "cli/code/source.h"

#include <stdlib.h>
#include <string.h>

#include "base/embed.h"
#include "base/file.h"
#include "exec/code/kernel.h"
#include "isa/pascal.h"
#include "report/source.h"

enum { MOST_BYTES = 16 << 20, PATH = 4096 };

struct source {
    const struct exec_module *module;
    const struct exec_kernel *kernel;
    struct source_line *lines;
    struct file_bytes *files;  /* [line_file_count]; read when first needed */
    struct source_file *texts; /* [line_file_count]; of these files */
    bool *tried;
};

/* ---- the program's text ------------------------------------------------------------------------------------------ */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool read_text(const char *directory, size_t length, const char *name, struct file_bytes *out)
{
    char path[PATH];
    struct status status = {0};
    const char *between = length > 0 && directory[length - 1] != '/' ? "/" : "";
    int used = snprintf(path, sizeof path, "%.*s%s%s", (int)length, directory, between, name);
    return used > 0 && (size_t)used < sizeof path && file_read(path, MOST_BYTES, out, &status);
}

/* The source of a program that comes with the simulator. */
static void find_embedded(struct source *s, uint32_t file, const char *base)
{
    const char *module = s->module->cubin.path, *dot = strrchr(base, '.');
    size_t count, length = dot ? (size_t)(dot - base) : 0;
    const struct embedded *programs = embedded_programs(&count);
    if (strpbrk(module, "/."))
        return;
    for (size_t i = 0; i < count; i++)
        if (strlen(programs[i].name) == length && memcmp(programs[i].name, base, length) == 0)
            s->texts[file] = (struct source_file){base, (const char *)programs[i].data, programs[i].size};
}

static bool read_file(struct source *s, uint32_t file, const char *name)
{
    const char *directory = cubin_line_directory(&s->module->cubin, file);
    const char *cubin = s->module->cubin.path, *base = base_name(name);
    size_t length = (size_t)(base_name(cubin) - cubin);
    char above[PATH];
    size_t named = directory && name[0] != '/' ? strlen(directory) : 0;
    int up = snprintf(above, sizeof above, "%.*s..", (int)length, cubin);
    if (read_text(directory, named, name, &s->files[file]) || read_text(cubin, length, base, &s->files[file]))
        return true;
    return (up > 0 && (size_t)up < sizeof above && read_text(above, (size_t)up, base, &s->files[file])) ||
           read_text("", 0, base, &s->files[file]);
}

/* Where the compiler found the file, beside the cubin, in the folder above it, and here. */
static void open_file(struct source *s, uint32_t file)
{
    const char *name = cubin_line_file(&s->module->cubin, file), *base = name ? base_name(name) : "";
    s->tried[file] = true;
    s->texts[file].name = base;
    if (!name)
        return;
    find_embedded(s, file, base);
    if (!s->texts[file].text && read_file(s, file, name))
        s->texts[file] = (struct source_file){base, (const char *)s->files[file].data, s->files[file].size};
}

static void find_text(struct source *s, uint32_t file, struct source_line *line)
{
    if (!s->tried[file])
        open_file(s, file);
    const char *at = s->texts[file].text, *end = at ? at + s->texts[file].size : NULL;
    for (uint32_t n = 1; at && n < line->line; n++) {
        at = memchr(at, '\n', (size_t)(end - at));
        at = at ? at + 1 : NULL;
    }
    if (!at || at == end)
        return;
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    stop = stop ? stop : end;
    line->text = at;
    line->text_length = at < stop ? (int)(stop - at) : 0;
}

static void place_lines(struct source *s, const struct cubin_line *rows, size_t count)
{
    size_t next = 0;
    for (uint32_t i = 0; i < isa_code_count(s->module->sm, s->kernel->cubin->code.size) && i < s->kernel->count; i++) {
        while (next < count && rows[next].pc <= 16 * i)
            next++;
        if (next == 0)
            continue;
        const struct cubin_line *row = &rows[next - 1];
        const char *file = cubin_line_file(&s->module->cubin, row->file);
        s->lines[i].line = row->line;
        s->lines[i].file = file ? base_name(file) : NULL;
        if (file && row->file < s->module->cubin.line_file_count)
            find_text(s, row->file, &s->lines[i]);
    }
}

/* ---- the report -------------------------------------------------------------------------------------------------- */

static bool build(struct source *s, struct status *status)
{
    size_t files = s->module->cubin.line_file_count;
    s->lines = calloc(s->kernel->count + 1u, sizeof *s->lines);
    s->files = calloc(files + 1, sizeof *s->files);
    s->texts = calloc(files + 1, sizeof *s->texts);
    s->tried = calloc(files + 1, sizeof *s->tried);
    if (!s->lines || !s->files || !s->texts || !s->tried)
        return status_fail(status, STATUS_MEMORY, "no memory for the lines of %.100s", s->kernel->cubin->name);
    for (uint32_t i = 0; i < s->kernel->count; i++) {
        bool service = 16 * i - s->kernel->services < 16 * s->kernel->service_count;
        s->lines[i].inst = service ? NULL : &s->kernel->code[i].isa;
        s->lines[i].function = kernel_function(s->module, s->kernel, 16 * i);
    }
    struct cubin_line *rows = NULL;
    size_t count = cubin_lines(&s->module->cubin, s->kernel->cubin, &rows);
    place_lines(s, rows, count);
    free(rows);
    return true;
}

static void release(struct source *s)
{
    for (size_t i = 0; s->files && i < s->module->cubin.line_file_count; i++)
        file_free(&s->files[i]);
    free(s->files);
    free(s->texts);
    free(s->tried);
    free(s->lines);
}

static bool write_csv(const struct source *s, const struct line_profile *profile, const char *path,
                      struct status *status)
{
    struct file_output file;
    if (!file_output_open(&file, path, status))
        return false;
    report_source_csv(s->lines, profile, file.stream);
    return file_output_commit(&file, status);
}

bool source_report(struct exec_module *module, const char *kernel, const struct line_profile *profile, FILE *out,
                   const char *csv, struct json *json, struct status *status)
{
    struct source s = {.module = module, .kernel = exec_module_kernel(module, kernel, status)};
    if (!s.kernel)
        return false;
    bool ok = profile->count == s.kernel->count && build(&s, status);
    if (ok && out) {
        fputc('\n', out);
        report_source(s.lines, profile, out);
    }
    if (ok && csv)
        ok = write_csv(&s, profile, csv, status);
    if (ok && json)
        report_source_json(s.lines, profile, s.texts, s.module->cubin.line_file_count, json, "source");
    release(&s);
    return ok;
}
