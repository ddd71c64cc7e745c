/* The cache hints of compiled code.
 *
 * In the instruction (nvcc 13.0, sm_75 to sm_120): ld.cs and L1::evict_first are .EF, L1::evict_last .EL, ld.lu .LU,
 * L1::evict_unchanged .EU, L1::no_allocate .NA; ld.cg and ld.cv are strong loads, which pass by the L1; L2::64B, 128B
 * and 256B are .LTC64B, .LTC128B and .LTC256B. 256-bit accesses of sm_100 and later have a priority for the L2 of their
 * own. The PTX ISA gives .cs to both levels, and stores take no line of the L1: .EF and .EL go on to the L2.
 *
 * In a descriptor: the 64-bit policy for createpolicy and L2::cache_hint, in a pair of uniform registers (sm_80 to
 * sm_120). It is for the L2 only. */
#ifndef SUBCORE_SM_CACHE_POLICY_H
#define SUBCORE_SM_CACHE_POLICY_H

#include <stdint.h>

#include "isa/isa.h"
#include "port/message.h"
#include "sm/memory/l1_tags.h"

struct cache_hint {
    enum l1_keep keep;
    enum request_policy policy;
    uint8_t fetch; /* as struct request has it */
};

struct cache_hint cache_hint_of(const struct isa_inst *inst);

/* The hint of such a policy for a line. Upper word: bit 28 set, bit 27 a range, else a fraction; bits 26:25 the
 * primary priority (0 unchanged, 1 evict first, 2 evict last, 3 evict normal); bit 24 the secondary one (0
 * unchanged, 1 evict first). Fraction: bits 23:20 and one, in sixteenths; which lines belong to it is not known,
 * here a hash decides. Range: blocks of 2^(bits 23:20 + 12) bytes, bits 11:5 of them from block bits 18:12 on,
 * modulo 128. Read off compiled createpolicy. A descriptor without a policy keeps the instruction's hint. */
enum request_policy cache_policy_of(uint64_t policy, uint64_t line, enum request_policy otherwise);

#endif
