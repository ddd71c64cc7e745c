/* The configuration files of a HyFiSS trace, as hyfiss.c reads them. */
#ifndef SUBCORE_ACCELSIM_HYFISS_PARTS_H
#define SUBCORE_ACCELSIM_HYFISS_PARTS_H

#include "accelsim/hyfiss.h"

enum { HYFISS_NAME = 512, HYFISS_FORM = 192 };

struct hyfiss_launch {
    char name[HYFISS_NAME];
    uint64_t registers, shared, stream, shared_base, local_base;
    uint64_t grid[3], block[3];
};

/* Which addresses a line of the instruction has. */
enum hyfiss_place { HYFISS_NONE, HYFISS_MEMORY, HYFISS_SHARED };

struct hyfiss_inst {
    uint32_t pc;
    enum hyfiss_place place;
    unsigned width;
    char form[HYFISS_FORM]; /* " 1 R8 LDG.E 1 R6 4", from behind the mask on */
};

struct hyfiss_code {
    struct hyfiss_inst *inst; /* owned; by pc */
    uint32_t count;
};

/* A line of a text; `at` goes on behind it. Lines with a '#' are left out. Returns false at the end. */
struct hyfiss_lines {
    const struct hyfiss_text *text;
    const char *at, *line, *end;
    uint64_t number;
};
bool hyfiss_next_line(struct hyfiss_lines *l);
/* Fails with "path:line: ...". */
bool hyfiss_fail(const struct hyfiss_lines *l, struct status *status, const char *what);

bool hyfiss_read_launch(const struct hyfiss_source *s, struct hyfiss_launch *launch, struct status *status);
/* On failure nothing is left to free. */
bool hyfiss_read_code(const struct hyfiss_source *s, struct hyfiss_code *code, struct status *status);
/* Returns the instruction, or NULL. */
const struct hyfiss_inst *hyfiss_inst_at(const struct hyfiss_code *code, uint32_t pc);

#endif
