#include "accelsim/accelsim.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "accelsim/facts.h"
#include "accelsim/input.h"
#include "accelsim/kernel.h"
#include "accelsim/list.h"
#include "base/file.h"
#include "base/text.h"

void converter_warn(const struct converter *c, const char *format, ...)
{
    char text[600];
    va_list args;
    if (!c->options->warn)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    text_make_printable(text, "");
    c->options->warn(c->options->self, text);
}

void converter_end(struct converter *c)
{
    for (unsigned i = 0; i < CONVERTER_MACHINES; i++)
        synthesis_destroy(c->machine[i].synthesis);
    free(c->unknown);
}

unsigned converter_machine(struct converter *c, const char *path, unsigned architecture, struct status *status)
{
    unsigned i = 0;
    while (i < CONVERTER_MACHINES && c->machine[i].architecture && c->machine[i].architecture != architecture)
        i++;
    if (i == CONVERTER_MACHINES) {
        status_fail(status, STATUS_UNSUPPORTED, "%s: more than %d architectures in one list", path, CONVERTER_MACHINES);
        return i;
    }
    if (c->machine[i].architecture)
        return i;
    c->machine[i].synthesis = synthesis_create(architecture, status);
    if (!c->machine[i].synthesis)
        return CONVERTER_MACHINES;
    c->machine[i].architecture = architecture;
    return i;
}

void converter_unknown(struct converter *c, const struct book_entry *e)
{
    char name[ACCELSIM_NAME];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(e->described, ". "), e->described);
    text_make_printable(name, "");
    for (uint32_t i = 0; i < c->unknown_count; i++)
        if (strcmp(c->unknown[i], name) == 0)
            return;
    char(*grown)[ACCELSIM_NAME] = realloc(c->unknown, (c->unknown_count + 1) * sizeof *grown);
    if (!grown)
        return;
    c->unknown = grown;
    memcpy(c->unknown[c->unknown_count++], name, sizeof name);
    if (c->report->unknown_mnemonics < ACCELSIM_NAMES)
        memcpy(c->report->unknown[c->report->unknown_mnemonics], name, sizeof name);
    c->report->unknown_mnemonics++;
    char stand_in[ISA_TEXT];
    isa_print(&e->isa, stand_in);
    converter_warn(c, "the mnemonic %s is not known: it is timed as '%s'", name, stand_in);
}

bool accelsim_is_list(const char *path)
{
    static const char *const begins[] = {"Memcpy", "kernel-", "-kernel name", "-kernel_", "-app_kernels_id"};
    struct status quiet = {0};
    struct input in;
    const char *text = NULL, *end = NULL;
    bool found = false;
    if (!input_open(&in, path, NULL, &quiet))
        return false;
    do
        found = input_line(&in, &text, &end, &quiet);
    while (found && (text == end || *text == '#'));
    bool is = false;
    for (size_t i = 0; found && i < sizeof begins / sizeof *begins; i++)
        is |= (size_t)(end - text) >= strlen(begins[i]) && memcmp(text, begins[i], strlen(begins[i])) == 0;
    input_close(&in);
    return is;
}

static bool is_wanted(const struct accelsim_options *o, uint64_t launch)
{
    return launch >= o->first && launch <= o->last;
}

static uint64_t bytes_to_read(const struct list *list, const struct accelsim_options *options)
{
    uint64_t launch = 0, bytes = 0;
    struct stat facts;
    for (uint32_t i = 0; i < list->count; i++)
        if (list->command[i].file && is_wanted(options, launch++) && stat(list->command[i].file, &facts) == 0)
            bytes += (uint64_t)facts.st_size;
    return bytes;
}

static bool run(struct converter *c, const struct list *list, struct status *status)
{
    uint64_t launch = 0;
    c->bytes_all = bytes_to_read(list, c->options);
    for (uint32_t i = 0; i < list->count; i++) {
        const struct list_command *command = &list->command[i];
        if (command->file) {
            uint64_t number = launch++;
            if (is_wanted(c->options, number) && !kernel_convert(c, command->file, number, status))
                return false;
        } else {
            const struct trace_copy copy = {.address = command->address, .bytes = command->bytes};
            if (!trace_writer_copy(c->writer, &copy, status))
                return false;
            c->report->copies++;
        }
    }
    return true;
}

bool accelsim_convert(const char *path, struct trace_writer *w, const struct accelsim_options *options,
                      struct accelsim_report *report, struct status *status)
{
    struct converter c = {.writer = w, .options = options, .report = report};
    struct list list;
    *report = (struct accelsim_report){0};
    if (!list_read(&list, path, status))
        return false;
    bool good = run(&c, &list, status);
    facts_summary(&c);
    converter_end(&c);
    list_free(&list);
    return good;
}

/* ---- into a file without a name ---------------------------------------------------------------------------------- */

enum { PLAIN = 1 << 26 }; /* 64 MiB stay in the host's page cache */

struct trace_file *accelsim_open(const char *list, const struct accelsim_options *options,
                                 struct accelsim_report *report, struct status *status)
{
    const struct trace_origin origin = {.source = "Accel-Sim trace"}; /* the same bytes wherever the list is */
    char folder[FILE_FOLDER], path[FILE_FOLDER + 8];
    *report = (struct accelsim_report){0};
    if (!file_temporary_make(folder, "trace", status))
        return NULL;
    snprintf(path, sizeof path, "%s/trace", folder);
    struct trace_writer *w = trace_writer_create(path, &origin, status);
    if (w)
        trace_writer_keep_plain(w, PLAIN);
    bool good = w && accelsim_convert(list, w, options, report, status) && trace_writer_finish(w, status);
    trace_writer_destroy(w);
    struct trace_file *file = good ? trace_open(path, status) : NULL;
    file_temporary_remove(folder);
    return file;
}
