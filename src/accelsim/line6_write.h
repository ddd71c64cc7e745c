/* One instruction line of version 6: PC MASK NDST DST OPCODE NSRC SRC.. [GROUP] WIDTH [ADDRESSES] IMMEDIATES, then
 * NoVal, or Val and the values of registers; behind them, for our own reader, the words of accelsim/added.h.
 * Registers have their kinds. Accel-Sim reads one destination and four sources. */
#ifndef SUBCORE_ACCELSIM_LINE6_WRITE_H
#define SUBCORE_ACCELSIM_LINE6_WRITE_H

#include "accelsim/line.h"
#include "accelsim/places.h"

/* The generic window of local memory stands behind those of 16 CTAs' shared memory. */
#define LINE6_LOCAL_WINDOW UINT64_C(0x00007e0010000000)

enum line6_kind {
    LINE6_PLAIN,
    LINE6_OBJECT, /* operates on a barrier object: values of its address and its operand */
    LINE6_ASYNC,  /* stores, and completes bytes at an object: the values of a pair */
    LINE6_COPY,   /* copied by the engine, with the places in device memory */
    LINE6_ENGINE, /* for the engine, without */
    LINE6_BARRIER /* BAR: number and threads, as immediates or as values of registers */
};

struct line6_form {
    const struct isa_inst *isa; /* borrowed */
    char front[160];            /* from behind the mask to the width */
    char back[24];              /* the immediate, with a blank before it */
    char name[LINE_MNEMONIC];
    uint16_t sleep; /* as the code has it; else the line tells it */
    uint8_t front_length, back_length;
    uint8_t name_length; /* of the mnemonic without modifiers */
    uint8_t left_out;    /* general source registers that have no place */
    uint8_t kind;        /* enum line6_kind */
    uint8_t function;    /* of an arrival, ISA_SYNCS_ARRIVE_* */
    uint8_t op;          /* index of the kind's operation: enum isa_sync of an object */
    uint8_t destinations, sources;
    bool number_in_register, threads_in_register; /* BAR */
    bool described;                               /* the instruction is made up from a text */
    bool addresses, generic, waits;
};

void line6_form_make(struct line6_form *form, const struct trace_inst *inst);

/* Lines that are written one by one. */
struct line6_writer {
    char *text; /* of the last line, '\n' included; owned */
    size_t size, room;
    struct places places;
    uint32_t path; /* that a reader takes the last line to have; of a warp's first line the threads of the warp */
    bool added;    /* lines have words for our own reader */
    bool failed;   /* no memory */
};

void line6_writer_free(struct line6_writer *writer);
/* Writes a line into writer->text. */
void line6_write(struct line6_writer *writer, const struct line6_form *form, const struct issued *issued,
                 const struct line_window *window);

#endif
