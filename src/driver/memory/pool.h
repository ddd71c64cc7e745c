/* Pools of memory for stream-ordered allocation. An allocation takes its addresses when it is submitted and gives
 * them back when its free is reached in its stream. In between the streams' order counts, which the program has to
 * respect as on hardware. A pool's reserve is a number: memory that is accounted to it beyond the used part. */
#ifndef SUBCORE_DRIVER_POOL_H
#define SUBCORE_DRIVER_POOL_H

#include "driver/abi/memory_structs.h"
#include "driver/queue/command.h"
#include "driver/state/context.h"

struct CUmemPoolHandle_st {
    struct CUmemPoolHandle_st *next; /* behind the default pool */
    CUmemPoolProps properties;
    bool destroyed; /* waits for its last allocation to be freed */
    size_t allocations;
    size_t leaving; /* of these, with a free on its way */
    bool follow_events, opportunistic, internal_dependencies;
    uint64_t threshold;
    uint64_t reserved, reserved_high, used, used_high;
};

/* The device's default pool (NULL: out of memory). */
struct CUmemPoolHandle_st *pool_default(struct driver *driver);
/* Returns the pool of cuMemAllocAsync, or NULL if out of memory. */
struct CUmemPoolHandle_st *pool_current(struct driver *driver);
/* With these properties (NULL: out of memory). */
struct CUmemPoolHandle_st *pool_create(struct driver *driver, const CUmemPoolProps *properties);
/* Not the default one. */
void pool_destroy(struct driver *driver, struct CUmemPoolHandle_st *pool);
/* Returns true if the pool can be used by programs. */
bool pool_is(const struct driver *driver, const struct CUmemPoolHandle_st *pool);

/* Accounts an allocation to the pool; false when the device or the pool has not so much. */
bool pool_take(struct driver *driver, struct CUmemPoolHandle_st *pool, uint64_t bytes);
/* An allocation of that size is gone. */
void pool_give(struct driver *driver, struct CUmemPoolHandle_st *pool, uint64_t bytes);
/* Lets go of the reserve but `keep` bytes of it. */
void pool_trim(struct driver *driver, struct CUmemPoolHandle_st *pool, uint64_t keep);
/* No pool keeps a reserve. */
void pools_trim(struct driver *driver);
/* Returns true if an allocation of a pool has its free on the way. */
bool pools_leaving(const struct driver *driver);
/* With the primary context go the pools that programs made. */
void pools_clear(struct CUctx_st *context);

/* Ends memory that was freed in a stream. On the executor thread with the lock held, while no command runs. */
CUresult pool_free_execute(struct execution *execution);

#endif
