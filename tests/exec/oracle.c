#include "oracle.h"
bool oracle_step(struct oracle *o, const struct isa_inst *inst, uint32_t active){(void)o;(void)inst;(void)active;return false;}
uint32_t oracle_raw(const struct oracle_lane *l, const struct isa_operand *op, unsigned word){(void)l;(void)op;(void)word;return 0;}
