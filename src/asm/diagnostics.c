#include "asm/diagnostics.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

bool diagnose(struct diagnostics *all, unsigned line, unsigned column, const char *format, ...)
{
    for (unsigned i = 0; i < all->count; i++)
        if (all->items[i].line == line)
            return false;
    if (all->count == DIAGNOSTICS_MOST) {
        all->dropped++;
        return false;
    }
    struct diagnostic *d = &all->items[all->count++];
    *d = (struct diagnostic){.line = line, .column = column};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(d->message, sizeof d->message, format, arguments);
    va_end(arguments);
    text_make_printable(d->message, "\n\t");
    return false;
}

static int by_place(const void *a, const void *b)
{
    const struct diagnostic *x = a, *y = b;
    return x->line != y->line ? (x->line > y->line) - (x->line < y->line)
                              : (x->column > y->column) - (x->column < y->column);
}

void diagnostics_sort(struct diagnostics *all) { qsort(all->items, all->count, sizeof *all->items, by_place); }

static void print_line(const char *text, size_t size, unsigned line, unsigned column, FILE *out)
{
    const char *at = text, *end = text + size;
    for (unsigned n = 1; n < line && at; n++) {
        at = memchr(at, '\n', (size_t)(end - at));
        at = at ? at + 1 : NULL;
    }
    if (!at)
        return;
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    size_t length = (size_t)((newline ? newline : end) - at);
    fputs("    ", out);
    text_print_part(out, at, length, "\t");
    fputs("\n    ", out);
    for (size_t i = 0; i + 1 < column; i++)
        fputc(i < length && at[i] == '\t' ? '\t' : ' ', out);
    fputs("^\n", out);
}

void diagnostics_print(const struct diagnostics *all, const char *name, const char *text, size_t size, FILE *out)
{
    for (unsigned i = 0; i < all->count; i++) {
        const struct diagnostic *d = &all->items[i];
        text_print(out, name);
        fprintf(out, ":%u:%u: error: %s\n", d->line, d->column, d->message);
        print_line(text, size, d->line, d->column, out);
        if (d->forms[0])
            fprintf(out, "    forms: %s\n", d->forms);
    }
    if (all->dropped)
        fprintf(out, "%s: %u more lines with errors\n", name, all->dropped);
}
