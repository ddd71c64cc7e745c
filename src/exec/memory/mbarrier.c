#include "exec/memory/mbarrier.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "exec/core.h"
#include "exec/cta.h"
#include "exec/fault.h"
#include "exec/fault_report.h"
#include "exec/launch.h"

enum { COUNT_BITS = 20, BYTES_BITS = 21, EXPECTED = 1, TRANSACTION = 21, PENDING = 43, PHASE = 63 };

static uint64_t ones(unsigned bits) { return (UINT64_C(1) << bits) - 1; }

static uint64_t field(uint64_t object, unsigned low, unsigned bits) { return object >> low & ones(bits); }

static uint64_t with_field(uint64_t object, unsigned low, unsigned bits, uint64_t value)
{
    uint64_t mask = ones(bits) << low;
    return (object & ~mask) | (value << low & mask);
}

/* The field holds 2^20 - count. */
static uint32_t count_at(uint64_t object, unsigned low)
{
    return -(uint32_t)field(object, low, COUNT_BITS) & MBARRIER_MOST;
}

static uint64_t with_count(uint64_t object, unsigned low, uint32_t count)
{
    return with_field(object, low, COUNT_BITS, UINT64_C(0) - count);
}

uint64_t mbarrier_object(uint32_t count) { return with_count(with_count(0, EXPECTED, count), PENDING, count); }

unsigned mbarrier_phase(uint64_t object) { return (unsigned)(object >> PHASE); }

uint32_t mbarrier_pending(uint64_t object) { return count_at(object, PENDING); }

uint32_t mbarrier_expected(uint64_t object) { return count_at(object, EXPECTED); }

int32_t mbarrier_bytes(uint64_t object)
{
    enum { SIGN = 1 << (BYTES_BITS - 1) };
    return SIGN - ((int32_t)field(object, TRANSACTION, BYTES_BITS) ^ SIGN);
}

enum mbarrier_error mbarrier_operate(uint64_t *object, struct mbarrier_arrival by)
{
    uint64_t o = *object;
    uint32_t pending = mbarrier_pending(o), expected = mbarrier_expected(o);
    int64_t bytes = mbarrier_bytes(o) + by.bytes;
    if (o == 0)
        return MBARRIER_UNUSED;
    if (by.count > pending || by.dropped > expected)
        return MBARRIER_PENDING;
    if (bytes > MBARRIER_MOST || bytes < -MBARRIER_MOST)
        return MBARRIER_RANGE;
    pending -= by.count;
    o = with_count(o, EXPECTED, expected - by.dropped);
    if (pending == 0 && bytes == 0) {
        o ^= UINT64_C(1) << PHASE;
        pending = expected - by.dropped;
    }
    o = with_field(o, TRANSACTION, BYTES_BITS, UINT64_C(0) - (uint64_t)bytes);
    *object = with_count(o, PENDING, pending);
    return MBARRIER_OK;
}

void mbarrier_describe(uint32_t offset, uint64_t object, char text[static MBARRIER_NAME])
{
    snprintf(text, MBARRIER_NAME,
             "mbarrier 0x%" PRIx32 " (phase %u, %" PRIu32 " of %" PRIu32 " arrivals and %" PRId32 " bytes pending)",
             offset, mbarrier_phase(object), mbarrier_pending(object), mbarrier_expected(object),
             mbarrier_bytes(object));
}

const char *mbarrier_error_text(enum mbarrier_error error)
{
    switch (error) {
    case MBARRIER_UNUSED: return "no thread has initialized it, or all of its threads have dropped out";
    case MBARRIER_PENDING: return "there are more arrivals than are pending";
    case MBARRIER_RANGE: return "the bytes of its transactions leave -1048575 to 1048575";
    default: return "";
    }
}

/* ---- objects of a CTA ------------------------------------------------------------------------------------------- */

bool mbarrier_inside(const struct exec_cta *cta, uint32_t offset)
{
    return offset % MBARRIER_BYTES == 0 && (uint64_t)offset + MBARRIER_BYTES <= cta->launch->shared_bytes;
}

uint64_t mbarrier_read(const struct exec_cta *cta, uint32_t offset)
{
    uint64_t object;
    memcpy(&object, cta->shared + offset, sizeof object);
    return object;
}

void mbarrier_write(struct exec_cta *cta, uint32_t offset, uint64_t object)
{
    memcpy(cta->shared + offset, &object, sizeof object);
}

bool mbarrier_arrive(struct exec_core *core, struct exec_cta *cta, uint32_t offset, struct mbarrier_arrival by)
{
    if (!mbarrier_inside(cta, offset)) {
        exec_fault_core(core, EXEC_FAULT_ADDRESS,
                        "illegal address 0x%" PRIx32 " of a barrier object: CTA (%" PRIu32 ",%" PRIu32 ",%" PRIu32
                        ") has %" PRIu32 " bytes of shared memory, and objects are aligned to 8",
                        offset, cta->index.x, cta->index.y, cta->index.z, cta->launch->shared_bytes);
        return false;
    }
    uint64_t object = mbarrier_read(cta, offset);
    enum mbarrier_error error = mbarrier_operate(&object, by);
    if (error == MBARRIER_OK) {
        mbarrier_write(cta, offset, object);
        return true;
    }
    char text[MBARRIER_NAME];
    mbarrier_describe(offset, object, text);
    exec_fault_core(core, EXEC_FAULT_OTHER,
                    "%s of CTA (%" PRIu32 ",%" PRIu32 ",%" PRIu32 "), %" PRIu32 " arrivals and %" PRId64 " bytes: %s",
                    text, cta->index.x, cta->index.y, cta->index.z, by.count, by.bytes, mbarrier_error_text(error));
    return false;
}

bool mbarrier_complete(struct exec_core *core, struct exec_cta *cta, uint32_t offset, uint32_t bytes)
{
    return mbarrier_arrive(core, cta, offset, (struct mbarrier_arrival){.bytes = -(int64_t)bytes});
}
