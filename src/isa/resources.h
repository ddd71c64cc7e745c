/* The reads and writes of an instruction, as numbers: registers, uniform registers, predicates, convergence
 * barriers. */
#ifndef SUBCORE_ISA_RESOURCES_H
#define SUBCORE_ISA_RESOURCES_H

#include "isa/isa.h"

enum {
    RESOURCE_REGISTER = 0,
    RESOURCE_UNIFORM = 256,
    RESOURCE_PREDICATE = 512,
    RESOURCE_UNIFORM_PREDICATE = 520,
    RESOURCE_BARRIER = 528,
    RESOURCES = 544
};

struct resources {
    uint16_t items[128];
    unsigned count;
};

/* Sources without the guard; the guard; results. More sources than there are do no harm. */
void resources_read(const struct isa_inst *inst, struct resources *out);
void resources_guard(const struct isa_inst *inst, struct resources *out);
void resources_written(const struct isa_inst *inst, struct resources *out);

static inline bool resource_is_predicate(unsigned resource)
{
    return resource >= RESOURCE_PREDICATE && resource < RESOURCE_BARRIER;
}

#endif
