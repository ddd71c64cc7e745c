/* A deferred core whose accesses to device memory a test lets take effect one by one. */
#ifndef SUBCORE_TESTS_EXEC_STORE_LOG_H
#define SUBCORE_TESTS_EXEC_STORE_LOG_H

#include "machine.h"

enum { SIZE_U8 = 0, SIZE_U16 = 2, SIZE_32 = 4, SIZE_64 = 5, SIZE_128 = 6, ADDRESS = 4, OTHER_ADDRESS = 6 };

/* A deferred machine with 4 KiB of memory, where byte i is i; R4 = lane * 4 in it. */
static inline struct machine *prepare(uint64_t *base)
{
    struct machine *m = machine_create(false, 32);
    *base = memory_alloc(m->memory, 4096);
    for (unsigned i = 0; i < 4096; i++)
        memory_at(m->memory, *base)[i] = (uint8_t)i;
    return m;
}

/* Puts the EXIT, and begins: R4 = base + 4 * lane, R6 = base, R8 = 0xa0b0c000 + lane. */
static inline void begin(struct machine *m, uint64_t base)
{
    add(m, plain(ISA_OP_EXIT, 0));
    machine_begin(m);
    set_addresses(m, 0, ADDRESS, base, 4);
    set_addresses(m, 0, OTHER_ADDRESS, base, 0);
    for (unsigned lane = 0; lane < 32; lane++)
        row(m, 8)[lane] = UINT32_C(0xa0b0c000) + lane;
}

/* Executes the next instruction, whose access has this token. */
static inline void step_with(struct machine *m, uint32_t token)
{
    m->token = token;
    machine_step(m, 0);
    assert_string_equal(m->core.fault.text, "");
}

/* Returns the word that memory has. */
static inline uint32_t word(const struct machine *m, uint64_t at)
{
    uint32_t value;
    assert_true(memory_read(m->memory, &value, at, 4));
    return value;
}

#endif
