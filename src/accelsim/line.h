/* One instruction line of a .traceg: PC MASK NDST DST OPCODE NSRC SRC.. WIDTH [MODE ADDRESSES] IMMEDIATE. All but mask
 * and addresses is the same whenever the instruction executes, and is made once. */
#ifndef SUBCORE_ACCELSIM_LINE_H
#define SUBCORE_ACCELSIM_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa/issued.h"
#include "trace/launch.h"

enum {
    LINE_SOURCES = 4,   /* Accel-Sim's reader refuses more */
    LINE_MNEMONIC = 64, /* the longest mnemonic, with its modifiers */
    LINE_MOST = 8 + 256 + 32 * 24
};

/* The generic windows that Subcore's files name. Accel-Sim takes an address from the first up to the second for shared
 * memory, and one in the 16 KiB from the second on for local memory. */
#define LINE_SHARED_WINDOW UINT64_C(0x00007e0000000000)
#define LINE_LOCAL_WINDOW UINT64_C(0x00007e0001000000)
/* The place of the local lanes of an access that also goes to global memory, in a native trace (exec/sizes.h). */
#define LINE_TRACE_LOCAL_WINDOW UINT64_C(0x00007d0000000000)
#define LINE_WINDOW_BYTES UINT64_C(0x0000000001000000)

struct line_form {
    char front[128]; /* " 1 R8 LDG.E 1 R6 4", from behind the mask to the width */
    char back[24];   /* " 0\n" */
    uint8_t front_length, back_length;
    uint8_t name_length; /* of the mnemonic without modifiers, which begins at front + name */
    uint8_t name;
    uint8_t left_out; /* sources beyond LINE_SOURCES */
    bool addresses;   /* the line has them */
    bool generic;
    bool exits; /* its lanes end */
};

void line_form_make(struct line_form *form, const struct trace_inst *inst);

/* The line of an instruction in text: mnemonic and operands. Returns the begin of the operands. */
enum { LINE_TEXT = ISA_TEXT };
const char *line_text(const struct trace_inst *inst, char printed[static LINE_TEXT],
                      char mnemonic[static LINE_MNEMONIC]);

/* From version 6 on: the begin of the generic window of local memory, and the rank of the warp's CTA, the upper part of
 * its offsets in shared memory. */
struct line_window {
    uint64_t local;
    uint32_t rank;
};

/* The addresses that a line has of each lane. */
void line_places(uint64_t to[32], bool generic, const struct issued *issued, const struct line_window *window);

/* Writes a number. Returns the place after it. */
char *line_hexadecimal(char *out, uint64_t value, unsigned digits);
char *line_decimal(char *out, int64_t value);

/* The operand in `text` ends at a comma outside of brackets, or at the end: returns where. */
const char *line_operand_end(const char *text);
/* Whether the operand is a whole number. Descriptions have decimal ones. */
bool line_is_number(const char *at, const char *end, bool described, int64_t *value);

/* Writes the line, its '\n' included, and returns its length. */
size_t line_write(char out[static LINE_MOST], const struct line_form *form, const struct issued *issued);

/* Bytes that a lane accesses, as Accel-Sim reads them from the mnemonic: the first modifier N or UN gives N / 8.
 * Without one it is 4. */
unsigned line_width(const char *mnemonic);

/* MODE ADDRESSES for the lanes of `mask`, without a terminating zero. Returns the length. */
size_t line_addresses(char *out, const uint64_t address[32], uint32_t mask);

#endif
