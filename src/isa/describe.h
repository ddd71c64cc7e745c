/* The tables as documentation: opcodes, their forms, and the meaning of each bit in a word. */
#ifndef SUBCORE_ISA_DESCRIBE_H
#define SUBCORE_ISA_DESCRIBE_H

#include "isa/isa.h"

enum { DESCRIBE_TEXT = 1024, DESCRIBE_FIELDS = 80, DESCRIBE_NAME = 32 };

/* Bits that stand for one thing. */
struct describe_field {
    char name[DESCRIBE_NAME]; /* "Ra", "-Ra", "ROUND" */
    char bits[DESCRIBE_NAME]; /* "79:78", parts of a split field most significant first */
    unsigned width;
    uint16_t names; /* table of the values' names (UINT16_MAX: none) */
    bool fixed;     /* the bits must hold `value` */
    bool hidden;    /* not printed */
    unsigned value;
};

/* A row in one operand form, on the architectures where it is the same. */
struct describe_form {
    enum isa_op op;
    uint32_t architectures; /* bit i: isa_architecture(i) */
    unsigned opcode;        /* bits 91 and 11:0 */
    unsigned count;
    char text[DESCRIBE_TEXT]; /* "FADD{.FTZ}{.RM|.RP|.RZ}{.SAT} Rd, Ra, Rb" */
    char reads[DESCRIBE_TEXT / 4], writes[DESCRIBE_TEXT / 4];
    struct describe_field field[DESCRIBE_FIELDS];
};

struct describe_forms {
    struct describe_form *form;
    size_t count, room;
};

/* Architectures with tables, ascending; 0 past the end. */
unsigned isa_architecture(unsigned index);
/* Those on which some row has the opcode, as bits. */
uint32_t describe_architectures(enum isa_op op);
/* "sm_75-sm_90, sm_120". */
void describe_architectures_text(uint32_t architectures, char *out, size_t room);

/* All forms of a mnemonic, on one architecture or (0) on all. Free the result either way. */
bool describe_mnemonic(const char *mnemonic, unsigned sm, struct describe_forms *out, struct status *status);
void describe_free(struct describe_forms *forms);

/* Name of a field's value: empty where none is printed, NULL where the value has none. */
const char *describe_value(const struct describe_field *field, unsigned value);
const char *describe_latency(enum isa_latency latency);
const char *describe_memory(enum isa_memory memory);
const char *describe_space(enum isa_space space);

#endif
