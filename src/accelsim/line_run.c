#include "accelsim/line_run.h"

#include <stdlib.h>

enum { LEAST = 4, MOST = 64, ROOM = 1 << 13 }; /* lines, lines, bytes */

void line_run_free(struct line_run *run)
{
    if (run)
        free(run->text);
    free(run);
}

static void close_run(struct line_recorder *r)
{
    struct line_run *run = r->start ? r->start->run : NULL;
    if (run && run->count < LEAST)
        run->length = 0;
    char *exact = run && run->length ? realloc(run->text, run->length) : NULL;
    if (exact)
        run->text = exact;
    r->start = NULL;
}

static void open_run(struct line_recorder *r, struct book_entry *before, uint32_t mask)
{
    before->run = calloc(1, sizeof *before->run);
    if (!before->run)
        return;
    before->run->mask = mask;
    before->run->text = malloc(ROOM);
    if (before->run->text)
        r->start = before;
}

void line_recorder_write(struct line_recorder *r, const struct warp *w, struct book_entry *before, const char *text,
                         const char *end)
{
    size_t length = (size_t)(end - text) + 1;
    if (!w->follows_plain || (r->start && (r->start->run->mask != w->last.active || r->start->run->count == MOST ||
                                           r->start->run->length + length > ROOM)))
        close_run(r);
    if (w->follows_plain && !r->start && r->follows && !before->run)
        open_run(r, before, w->last.active);
    if (!r->start || length > ROOM - r->start->run->length)
        return;
    struct line_run *run = r->start->run;
    memcpy(run->text + run->length, text, length);
    run->length += (uint32_t)length;
    run->count++;
}

static bool goes_on(const struct line_run *run, const struct warp *w, const struct input *in, uint64_t left)
{
    if (!run || !run->length || run->count > left || run->length > in->end - in->begin || run->mask != w->last.active)
        return false;
    return !w->waiting && !w->hold.count && memcmp(in->buffer + in->begin, run->text, run->length) == 0;
}

uint32_t line_run_read(struct line_recorder *r, struct warp *w, const struct book *book, struct input *in,
                       uint64_t left)
{
    const struct line_run *run = w->entry && w->follows_plain ? w->entry->run : NULL;
    if (!goes_on(run, w, in, left))
        return 0;
    warp_add_run(w, book, run->count);
    close_run(r);
    r->follows = true;
    in->begin += run->length;
    in->line += run->count;
    return run->count;
}
