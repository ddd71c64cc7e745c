/* Turns the calls and commands of the driver into records. */
#include <stdio.h>
#include <unistd.h>

#include "cupti/callback.h"
#include "cupti/external.h"
#include "cupti/state.h"

enum { DELIVER_BYTES = 1 << 20 }; /* waiting records at which a thread delivers unasked */

static uint32_t thread_of(const struct cupti *cupti)
{
    return cupti->system_threads ? (uint32_t)gettid() : (uint32_t)(uintptr_t)pthread_self();
}

/* ---- calls ------------------------------------------------------------------------------------------------------- */

static bool is_recorded(const struct cupti *cupti, const struct profile_call *call, uint32_t *number)
{
    *number = function_number(call->api, call->name);
    return *number != 0 && bit_get(cupti->functions[call->api], *number);
}

/* External ids come before the records of commands that the call submits and waits for. */
static void enter(const struct profile_call *call)
{
    struct cupti *cupti = cupti_state();
    uint32_t number;
    pthread_mutex_lock(&cupti->lock);
    if (is_recorded(cupti, call, &number))
        external_add(cupti, call->correlation);
    pthread_mutex_unlock(&cupti->lock);
    callback_tell(cupti, call, false);
}

static void add_call(struct cupti *cupti, const struct profile_call *call, uint32_t number)
{
    cupti_add(cupti, &(struct record_api){
                         .kind = call->api == PROFILE_DRIVER ? ACTIVITY_DRIVER : ACTIVITY_RUNTIME,
                         .number = number,
                         .start = call->begin,
                         .end = call->end,
                         .process = (uint32_t)getpid(),
                         .thread = thread_of(cupti),
                         .correlation = call->correlation,
                         .result = call->result,
                     });
}

/* CUpti_ActivitySynchronizationType has the numbers of profile_wait_kind. */
static void add_wait(struct cupti *cupti, const struct profile_call *call)
{
    const struct profile_wait *wait = &call->wait;
    cupti_add(cupti, &(struct record_wait){
                         .kind = ACTIVITY_SYNCHRONIZATION,
                         .type = (uint32_t)wait->kind,
                         .start = call->begin,
                         .end = call->end,
                         .correlation = call->correlation,
                         .context = (uint32_t)wait->context,
                         .stream = wait->stream ? (uint32_t)wait->stream : NOT_APPLICABLE,
                         .event = wait->event ? (uint32_t)wait->event : NOT_APPLICABLE,
                         .result = call->result,
                     });
}

static void leave(const struct profile_call *call)
{
    struct cupti *cupti = cupti_state();
    uint32_t number;
    pthread_mutex_lock(&cupti->lock);
    if (is_recorded(cupti, call, &number))
        add_call(cupti, call, number);
    if (call->wait.kind != PROFILE_NO_WAIT && cupti->kinds[ACTIVITY_SYNCHRONIZATION])
        add_wait(cupti, call);
    bool many = cupti->pending.used > DELIVER_BYTES, first = cupti->pending.used > 0 && !cupti->has_buffer;
    pthread_mutex_unlock(&cupti->lock);
    callback_tell(cupti, call, true);
    if (many || first)
        cupti_deliver(cupti, many ? DELIVER_FULL : DELIVER_NOTHING);
}

static void context(CUcontext context, bool made) { callback_tell_context(cupti_state(), context, made); }

/* ---- commands ---------------------------------------------------------------------------------------------------- */

/* CUpti_ActivityMemoryKind */
static uint8_t memory_kind(enum profile_memory memory)
{
    static const uint8_t kinds[] = {[PROFILE_PAGEABLE] = 1, [PROFILE_PINNED] = 2,  [PROFILE_DEVICE] = 3,
                                    [PROFILE_ARRAY] = 4,    [PROFILE_MANAGED] = 5, [PROFILE_VARIABLE] = 6};
    return kinds[memory];
}

/* CUpti_ActivityMemcpyKind */
static uint8_t copy_kind(enum profile_memory from, enum profile_memory to)
{
    enum { HOST, DEVICE, ARRAY };
    static const uint8_t kinds[3][3] = {[HOST] = {[HOST] = 9, [DEVICE] = 1, [ARRAY] = 3},
                                        [DEVICE] = {[HOST] = 2, [DEVICE] = 8, [ARRAY] = 7},
                                        [ARRAY] = {[HOST] = 4, [DEVICE] = 6, [ARRAY] = 5}};
    int row = from == PROFILE_ARRAY ? ARRAY : from <= PROFILE_PINNED ? HOST : DEVICE;
    int column = to == PROFILE_ARRAY ? ARRAY : to <= PROFILE_PINNED ? HOST : DEVICE;
    return kinds[row][column];
}

static void add_copy(struct cupti *cupti, const struct profile_command *c)
{
    const struct profile_transfer *t = &c->transfer;
    cupti_add(cupti, &(struct record_copy){
                         .kind = ACTIVITY_MEMCPY,
                         .copy_kind = copy_kind(t->from, t->to),
                         .from = memory_kind(t->from),
                         .to = memory_kind(t->to),
                         .flags = c->origin.waits ? 0 : MEMCPY_ASYNC,
                         .bytes = t->bytes,
                         .start = device_time(&cupti->device, c->begin),
                         .end = device_time(&cupti->device, c->end),
                         .context = (uint32_t)c->context,
                         .stream = (uint32_t)c->stream,
                         .correlation = c->origin.correlation,
                         .runtime_correlation = c->origin.correlation,
                         .channel_type = CHANNEL_COPY,
                         .count = 1,
                     });
}

static void add_set(struct cupti *cupti, const struct profile_command *c)
{
    const struct profile_transfer *t = &c->transfer;
    cupti_add(cupti, &(struct record_set){
                         .kind = ACTIVITY_MEMSET,
                         .value = t->value,
                         .bytes = t->bytes,
                         .start = device_time(&cupti->device, c->begin),
                         .end = device_time(&cupti->device, c->end),
                         .context = (uint32_t)c->context,
                         .stream = (uint32_t)c->stream,
                         .correlation = c->origin.correlation,
                         .flags = c->origin.waits ? 0 : MEMCPY_ASYNC,
                         .memory = memory_kind(t->to),
                         .channel_type = CHANNEL_COPY,
                     });
}

static void tell_bounds(struct cupti *cupti)
{
    if (!cupti->told_bounds)
        fputs("subcore: a profiler gets the least time that the GPU needs for kernels that are executed without timing "
              "(--functional), not a simulated one\n",
              stderr);
    cupti->told_bounds = true;
}

static void add_kernel(struct cupti *cupti, const struct profile_command *c)
{
    const struct profile_kernel *k = &c->kernel;
    struct record_kernel record = {
        .kind = cupti->kinds[ACTIVITY_KERNEL] ? ACTIVITY_KERNEL : ACTIVITY_CONCURRENT_KERNEL,
        .registers = (uint16_t)k->registers,
        .global_cache_requested = GLOBAL_CACHE_NOT_SUPPORTED,
        .global_cache_executed = GLOBAL_CACHE_NOT_SUPPORTED,
        .start = device_time(&cupti->device, c->begin),
        .end = device_time(&cupti->device, c->end),
        .context = (uint32_t)c->context,
        .stream = (uint32_t)c->stream,
        .static_shared = (int32_t)k->static_shared,
        .dynamic_shared = (int32_t)k->dynamic_shared,
        .local = k->local,
        .correlation = c->origin.correlation,
        .launch = (int64_t)++cupti->launches,
        .name = names_keep(&cupti->names, k->name),
        .channel_type = CHANNEL_COMPUTE,
        .priority = k->priority,
    };
    record.completed = record.end;
    for (int i = 0; i < 3; i++) {
        record.grid[i] = (int32_t)k->grid[i];
        record.block[i] = (int32_t)k->block[i];
        record.cluster[i] = k->cluster[i];
    }
    if (record.name)
        cupti_add(cupti, &record);
    else
        cupti->dropped++;
    if (!k->timed)
        tell_bounds(cupti);
}

/* Each command advances the device's clock, with a record or without. */
static void command(const struct profile_command *c)
{
    struct cupti *cupti = cupti_state();
    const bool *kinds = cupti->kinds;
    pthread_mutex_lock(&cupti->lock);
    device_begins(&cupti->device, c->begin, c->origin.time);
    if (c->kind == PROFILE_KERNEL && (kinds[ACTIVITY_KERNEL] || kinds[ACTIVITY_CONCURRENT_KERNEL]))
        add_kernel(cupti, c);
    else if (c->kind == PROFILE_COPY && kinds[ACTIVITY_MEMCPY])
        add_copy(cupti, c);
    else if (c->kind == PROFILE_SET && kinds[ACTIVITY_MEMSET])
        add_set(cupti, c);
    pthread_mutex_unlock(&cupti->lock);
}

/* ---- whether to listen ------------------------------------------------------------------------------------------- */

static bool any(const struct cupti *cupti)
{
    bool found = callback_any(&cupti->subscriber);
    for (int i = 0; i < ACTIVITY_KINDS; i++)
        found |= cupti->kinds[i];
    for (int i = 0; i < FUNCTION_NUMBERS / 32; i++)
        found |= (cupti->functions[PROFILE_DRIVER][i] | cupti->functions[PROFILE_RUNTIME][i]) != 0;
    return found;
}

bool cupti_listen(const struct cupti *cupti)
{
    static const struct profile_listener listener = {
        .enter = enter, .leave = leave, .context = context, .command = command};
    bool on = any(cupti);
    const struct profile_listener *found = on ? NULL : &listener, *wanted = on ? &listener : NULL;
    return atomic_compare_exchange_strong(&subcore_profile.listener, &found, wanted) || !on || found == &listener;
}
