/* DWARF line tables (.debug_line, versions 2 to 5): unit headers and line programs. */
#ifndef SUBCORE_CUBIN_LINE_H
#define SUBCORE_CUBIN_LINE_H

#include "cubin/bytes.h"

/* A reader that stops at its end instead of passing it: `bad` is set and everything reads as 0 from then on. */
struct line_reader {
    const uint8_t *data;
    size_t at, end;
    bool bad;
};

uint64_t line_read(struct line_reader *r, unsigned bytes); /* 1, 2, 4 or 8 */
uint64_t line_read_uleb(struct line_reader *r);
int64_t line_read_sleb(struct line_reader *r);
const char *line_read_string(struct line_reader *r);
void line_skip(struct line_reader *r, uint64_t bytes);

struct line_unit {
    unsigned version, offset_bytes; /* 4 or 8: 32-bit or 64-bit DWARF */
    uint8_t instruction_bytes, line_range, opcode_base;
    int8_t line_base;
    const uint8_t *operand_counts;   /* of opcodes 1 to opcode_base - 1 */
    size_t program, end;             /* in the section */
    uint32_t first_file, file_count; /* in cubin.line_files */
};

struct line_walk {
    struct cubin_bytes section, strings, line_strings; /* .debug_line, .debug_str, .debug_line_str */
    size_t at;                                         /* start of the next unit */
    uint32_t files;                                    /* files of the units before */
    struct cubin_line_file *table;                     /* grows when `collect` */
    size_t capacity;
    bool collect, no_memory;
    const char *problem; /* the error of the unit at problem_at (NULL: none) */
    size_t problem_at;
};

/* False at the end of the section. A unit that cannot be read is skipped and noted in `problem`. */
bool line_next_unit(struct line_walk *w, struct line_unit *unit);

/* A row of the table. The address belongs to whatever the last set_address named. */
struct line_state {
    uint64_t address, file, line;
    uint64_t context; /* number of the row in the sequence, from 1, into which this line was inlined (0: none) */
};

struct line_sink {
    void *context;
    /* Operand of a set_address at `offset` in the section. Returns the address. */
    uint64_t (*set_address)(void *context, size_t offset, uint64_t operand);
    void (*row)(void *context, const struct line_unit *unit, const struct line_state *state);
    void (*end_sequence)(void *context);
};

/* Runs a unit's program. Returns false if it is cut or malformed. The rows up to there have been delivered. */
bool line_run(struct cubin_bytes section, const struct line_unit *unit, const struct line_sink *sink);

#endif
