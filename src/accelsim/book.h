/* The static instructions of a kernel, as its trace brings them: found again by the characters of the line, which is
 * much faster than reading them again. */
#ifndef SUBCORE_ACCELSIM_BOOK_H
#define SUBCORE_ACCELSIM_BOOK_H

#include <string.h>

#include "accelsim/code.h"
#include "accelsim/payload.h"
#include "accelsim/synthesis.h"

struct book_entry {
    struct book_entry *next;    /* another instruction at the same pc */
    char *text;                 /* of the line, from behind the mask on; owned */
    uint32_t length;            /* of it: up to behind the width, or of an instruction without addresses to the end */
    bool has_address;           /* the address comes behind the text */
    bool is_unknown;            /* its mnemonic */
    bool exact;                 /* it is from the machine code */
    bool is_copy;               /* LDGSTS */
    bool is_engine;             /* it is for the engine of copies */
    bool is_object;             /* it operates on a barrier object, or completes bytes at one */
    bool effects;               /* others may wait for its effect */
    bool plain;                 /* it has nothing of all that, and no `space` and `sleep`: its line has a mask only */
    bool exits, waits, arrives; /* EXIT; a barrier that waits. One that only arrives */
    uint8_t barrier;            /* number of the barrier, as far as it is known; 16: the cluster's */
    uint16_t barrier_warps;     /* 0: all */
    uint16_t sleep;             /* cycles */
    uint16_t registers;         /* the highest that it names, + 1 */
    uint8_t space, bytes;       /* enum isa_space; a lane accesses */
    uint32_t constant;          /* bank times 64 KiB and offset, of LDC */
    uint32_t pc;                /* in the trace */
    uint32_t native;            /* in the native trace: each instruction has its own */
    uint64_t executed;
    char *line;                  /* the last line from the pc on, up to where `text` ends; owned */
    uint32_t line_length;        /* 0: none */
    uint32_t mask;               /* of that line */
    struct payload_memo payload; /* of the last line with distances */
    struct book_entry *follows;  /* the instruction after it the last time (NULL: none yet) */
    struct line_run *run;        /* plain lines behind it, once they were tried (accelsim/line_run.h); owned */
    char *described;             /* mnemonic and registers; owned */
    const uint32_t *place;       /* LDGSTS: of the lanes in shared memory, from the code file (NULL: side by side) */
    struct isa_inst isa;
};

struct book {
    struct synthesis *synthesis; /* borrowed */
    const struct isa_decoder *decoder;
    const struct code *code;                /* borrowed (NULL: none) */
    uint32_t binary;                        /* architecture, which says how long instructions are */
    bool immediates;                        /* lines end with one */
    uint16_t stack, descriptor, parameters; /* offsets in constant bank 0 */
    uint32_t comparisons;                   /* seen so far */
    struct book_entry **by_pc;              /* owned */
    uint32_t pc_room;
    struct book_entry **by_native; /* [native_room]; owned */
    uint32_t native_room, native_count, overflow;
};

void book_begin(struct book *book, struct synthesis *synthesis, const struct code *code, const struct header *header);
void book_end(struct book *book);

/* Returns the instruction at a pc of the trace with this rest of the line, if it was seen before. */
static inline struct book_entry *book_find(const struct book *book, uint64_t pc, const char *text, const char *end)
{
    if (pc / 8 >= book->pc_room)
        return NULL;
    struct book_entry *e = book->by_pc[pc / 8];
    while (e && ((size_t)(end - text) + 1 < e->length || memcmp(text, e->text, e->length) != 0))
        e = e->next;
    return e;
}

/* The line is again the one that came after `before` the last time: neither pc nor mask have to be read. */
static inline struct book_entry *book_guess(const struct book_entry *before, const char *line, const char *end)
{
    struct book_entry *e = before ? before->follows : NULL;
    return e && (size_t)(end - line) + 1 >= e->line_length && memcmp(line, e->line, e->line_length) == 0 ? e : NULL;
}

/* For the next guess: `line` begins with the pc, and the entry's text with `text`. False: no memory. */
bool book_remember(struct book_entry *before, struct book_entry *e, const char *line, const char *text, uint32_t mask);

/* Reads the line after the mask, adds the instruction, and moves *at behind the width. `before` is the warp's previous
 * instruction, or NULL. Returns NULL, with a status, if the line is wrong. */
struct book_entry *book_enter(struct book *book, uint64_t pc, const char **at, const char *end,
                              const struct book_entry *before, const struct input *in, struct status *status);

/* Sets the fields that follow from the entry's instruction and its line. */
void book_effects(struct book_entry *e, const struct sketch *sketch);

/* Registers that a thread needs for all entries, at least 1. */
uint32_t book_registers(const struct book *book);

/* The code of the launch, from all entries or from the machine code. False: no memory. */
bool book_code(const struct book *book, struct trace_launch *launch);

#endif
