/* Runs: lines of plain instructions that a warp executes one after another. They come again in each warp and in each
 * iteration of a loop. Then they are compared as one text, and not read line by line. */
#ifndef SUBCORE_ACCELSIM_LINE_RUN_H
#define SUBCORE_ACCELSIM_LINE_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "accelsim/input.h"
#include "accelsim/warp.h"

/* Behind one entry of the book. */
struct line_run {
    char *text;      /* the lines with their ends; owned */
    uint32_t length; /* of the text (0: too few lines, which are read one by one) */
    uint32_t count;  /* lines, for which entries follow in the native trace one after another */
    uint32_t mask;   /* their lanes, the same in all */
};

void line_run_free(struct line_run *run); /* NULL is allowed */

/* Writes down runs as lines are read. All bytes 0: none has been read. */
struct line_recorder {
    struct book_entry *start; /* whose run is written down (NULL: none) */
    bool follows;             /* the last line was plain, and so was the one before it */
};

/* Writes the line down, or ends a run. Out of memory, the lines are read one by one. */
void line_recorder_write(struct line_recorder *r, const struct warp *w, struct book_entry *before, const char *text,
                         const char *end);

/* Notes a line from `text` to `end`, the place of its '\n', that the warp has added after `before`. */
static inline void line_recorder_add(struct line_recorder *r, const struct warp *w, struct book_entry *before,
                                     const char *text, const char *end)
{
    if (r->start || (w->follows_plain && r->follows && !before->run))
        line_recorder_write(r, w, before, text, end);
    r->follows = w->follows_plain;
}

/* Reads the run after the warp's last instruction, if the text in `in` continues with it and if it has at most `left`
 * lines, and adds its instructions to the warp. Returns their number (0: the next line must be read alone). */
uint32_t line_run_read(struct line_recorder *r, struct warp *w, const struct book *book, struct input *in,
                       uint64_t left);

#endif
