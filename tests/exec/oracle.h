/* The effects of instructions, written a second time: one lane, one small function at a time, in exact integer
 * arithmetic. */
#ifndef SUBCORE_TESTS_EXEC_ORACLE_H
#define SUBCORE_TESTS_EXEC_ORACLE_H

#include "isa/isa.h"

enum { ORACLE_REGISTERS = 64, ORACLE_BANKS = 5, ORACLE_BANK_BYTES = 65536, ORACLE_LANES = 32 };

struct oracle {
    uint32_t reg[ORACLE_REGISTERS][ORACLE_LANES];
    uint32_t pred[8];
    uint32_t ureg[256];
    uint8_t upred;
    const uint8_t (*bank)[ORACLE_BANK_BYTES];
};

/* One lane's view of an instruction. */
struct oracle_lane {
    struct oracle *o;
    const struct isa_inst *inst;
    unsigned lane;
    bool uniform;        /* of the uniform datapath */
    uint32_t d[2];       /* results: words of the destination */
    bool u, v;           /* predicates */
    uint8_t set, values; /* R2P: which of P0..P6, and their values */
};

typedef void oracle_fn(struct oracle_lane *l);

/* Executes `inst` for the active lanes; false when the oracle does not know the opcode. */
bool oracle_step(struct oracle *o, const struct isa_inst *inst, uint32_t active);

/* Operand word as stored, without modifiers; and as a 32-bit integer with them. */
uint32_t oracle_raw(const struct oracle_lane *l, const struct isa_operand *op, unsigned word);
uint32_t oracle_integer(const struct oracle_lane *l, const struct isa_operand *op);
uint64_t oracle_pair(const struct oracle_lane *l, const struct isa_operand *op); /* two words */
bool oracle_predicate(const struct oracle_lane *l, struct isa_predicate p);

/* NULL where the opcode is of another file. A uniform opcode has the function of its vector twin. */
oracle_fn *oracle_integer_function(unsigned op);
oracle_fn *oracle_video_function(unsigned op);
oracle_fn *oracle_logic_function(unsigned op);
oracle_fn *oracle_float_function(unsigned op);
oracle_fn *oracle_half_function(unsigned op);
oracle_fn *oracle_convert_function(unsigned op);
oracle_fn *oracle_double_function(unsigned op);
oracle_fn *oracle_format_function(unsigned op);
oracle_fn *oracle_packed_function(unsigned op);

#endif
