/* Where an SM's instructions come from: a functional machine, a trace, or a test. The SM decides the time. The
 * source decides the instructions. */
#ifndef SUBCORE_SM_SOURCE_H
#define SUBCORE_SM_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/issued.h"
#include "port/message.h"

struct sm_source {
    void *self;
    /* The warp in this slot issues its next instruction now. `clock` is the value of clock reads. `token` names the
     * access until `complete` if it is one. */
    void (*step)(void *self, uint32_t slot, uint32_t token, uint64_t clock, struct issued *out);
    /* Passes the warp's next instructions, at most `most`, as far as each goes on to the next one with all lanes of its
     * path, which *lanes receives. They are arithmetic, and issue without a step. Returns how many (NULL: each
     * instruction needs its step). */
    uint32_t (*pass)(void *self, uint32_t slot, uint32_t most, uint32_t *lanes);
    /* The deferred access is complete: its result may reach the registers. */
    void (*complete)(void *self, uint32_t token);
    /* Returns whether the wait at barrier objects that the access is need not last any longer, since its event has
     * happened. Asked of deferred SYNCS.PHASECHK only, whenever a phase may have ended. */
    bool (*ready)(void *self, uint32_t token);
    /* Returns whether the event of the warp's last wait at barrier objects has happened, so that NANOSLEEP.SYNCS
     * ends. */
    bool (*awake)(void *self, uint32_t slot);
    /* Lanes message->lanes of access message->token of the SM message->sm take effect in the shared memory of
     * this SM (NULL: no access of another SM has an effect). */
    void (*serve)(void *self, const struct request *message);
    /* The CTA barrier at which the warp waits has completed. Returns the pc at which it continues. */
    uint32_t (*release)(void *self, uint32_t slot);
    /* A deferred SYNCS.PHASECHK lasts until it is ready, beyond its time limit: the warp's next instructions are
     * known. */
    bool patient;
};

#endif
