/* The barrier objects of the CTAs on an SM in a replay. A trace has no values, except for the operations on barrier
 * objects, and so a wait lasts until arrivals and transfers of the replay have ended its phase: a warp waits for this
 * run's cycles, not for those of the recording.
 *
 * The objects are those of sm_90. Operations of other SMs' warps and engines arrive by messages
 * (sm/memory/remote_path.h, sm/engine/tma.h), and is done by the thread of the SM that has the object. */
#ifndef SUBCORE_GPU_TRACE_OBJECTS_H
#define SUBCORE_GPU_TRACE_OBJECTS_H

#include "base/archive.h"
#include "base/status.h"
#include "isa/issued.h"
#include "port/message.h"
#include "sm/cluster.h"
#include "trace/launch.h"

struct trace_objects;

/* Returns whether the launch has anything that these are for. */
bool trace_objects_needed(const struct trace_launch *launch);

/* Makes the objects of `ctas` CTAs on an SM. Returns NULL, with status, if out of memory. */
struct trace_objects *trace_objects_create(const struct trace_launch *launch, uint32_t ctas, struct status *status);
void trace_objects_destroy(struct trace_objects *objects);

/* A CTA begins in this slot: its memory has no object. */
void trace_objects_start(struct trace_objects *objects, uint32_t cta, const struct cluster_place *place);

/* Does the operation of an instruction on objects, for the warp in `slot`, under `token`. Writes the later effects into
 * `out`. */
void trace_objects_step(struct trace_objects *objects, uint32_t slot, uint32_t token, struct issued *out);

/* As sm_source has them. trace_objects_complete returns false if the token is none of an access to objects. */
bool trace_objects_complete(struct trace_objects *objects, uint32_t token);
bool trace_objects_ready(struct trace_objects *objects, uint32_t token);
bool trace_objects_awake(const struct trace_objects *objects, uint32_t slot);
/* `from`: those of the SM that has sent the message. */
void trace_objects_serve(struct trace_objects *objects, const struct trace_objects *from,
                         const struct request *message);

void trace_objects_archive(struct archive *a, struct trace_objects *objects);

#endif
