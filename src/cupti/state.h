/* The library's state, one for the process. The lock guards it, and is not held while a function of the profiler runs,
 * except for its clock. */
#ifndef SUBCORE_CUPTI_STATE_H
#define SUBCORE_CUPTI_STATE_H

#include <pthread.h>

#include "cupti/clock.h"
#include "cupti/cupti.h"
#include "cupti/functions.h"
#include "cupti/names.h"
#include "cupti/records.h"

/* CUpti_BuffersCallbackRequestFunc, CUpti_BuffersCallbackCompleteFunc */
typedef void (*buffer_request)(uint8_t **buffer, size_t *size, size_t *most_records);
typedef void (*buffer_complete)(CUcontext context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid);

/* A buffer of the profiler that is being filled. */
struct buffer {
    uint8_t *data;                    /* NULL: none */
    size_t size, used, records, most; /* most 0: no limit */
    buffer_complete complete;
};

/* Records that wait for buffers. From `settled` on their times are those of the driver's clock, and before of the
 * profiler's clock. */
struct pending {
    uint8_t *data; /* owned */
    size_t used, room, settled;
};

struct subscriber {
    void (*function)(void *data, int domain, uint32_t number, const void *what); /* NULL: there is none */
    void *data;
    uint32_t enabled[4][FUNCTION_NUMBERS / 32]; /* by CUpti_CallbackDomain of driver, runtime and resources */
};

enum { ATTRIBUTES = 10 };

struct cupti {
    pthread_mutex_t lock;
    pthread_cond_t delivered;
    bool kinds[ACTIVITY_KINDS];
    uint32_t functions[2][FUNCTION_NUMBERS / 32]; /* by profile_api: a bit each for those with records */
    buffer_request request;
    buffer_complete complete;
    struct pending pending;
    struct buffer buffer; /* of the thread that delivers */
    bool has_buffer;      /* as of the last delivery */
    bool delivering;
    pthread_t deliverer;
    size_t dropped;
    struct clock clock;
    struct device_clock device;
    struct names names; /* of kernels */
    uint64_t launches;
    bool told_bounds; /* that times are no simulated ones */
    bool told_kinds[ACTIVITY_KINDS];
    bool system_threads; /* records name threads by their number in the system */
    size_t attributes[ATTRIBUTES];
    struct subscriber subscriber;
};

/* External correlation ids. */
struct id_stack {
    uint64_t *ids; /* owned while there are any: a thread that leaves all its regions leaves nothing behind */
    size_t count, room;
};

enum { EXTERNAL_KINDS = 6 }; /* CUpti_ExternalCorrelationKind, without a kind 0 */

struct cupti_thread {
    struct id_stack external[EXTERNAL_KINDS];
    uint64_t note; /* which a subscriber keeps from the begin of a call to its end */
};

struct cupti *cupti_state(void);
/* Returns the calling thread's own state. */
struct cupti_thread *cupti_thread(void);

/* Tells the driver if anything is enabled. Returns false without telling if the other version of this library is
 * enabled. Called with the lock held. */
bool cupti_listen(const struct cupti *cupti);
/* Adds a record. Called with the lock held. */
void cupti_add(struct cupti *cupti, const void *record);
/* Converts the host times of the waiting records into the profiler's. */
void cupti_settle(const struct clock *clock, struct pending *pending);

enum delivery {
    DELIVER_NOTHING, /* asks for a buffer if there are records: a profiler without one believes that there are none */
    DELIVER_FULL,    /* completes full buffers */
    DELIVER_ALL,     /* completes each buffer with records */
    DELIVER_END      /* completes all buffers */
};

/* Delivers records to the profiler's buffers. While another thread delivers, it waits from DELIVER_ALL on, and does
 * nothing below. Called without the lock. */
void cupti_deliver(struct cupti *cupti, enum delivery delivery);

static inline bool bit_get(const uint32_t *bits, uint32_t number)
{
    return number < FUNCTION_NUMBERS && (bits[number / 32] >> (number % 32) & 1) != 0;
}

static inline void bit_put(uint32_t *bits, uint32_t number, bool on)
{
    uint32_t bit = UINT32_C(1) << (number % 32);
    bits[number / 32] = on ? bits[number / 32] | bit : bits[number / 32] & ~bit;
}

#endif
