/* A GPU in the middle of a timed launch, in an archive (base/archive.h). Its reader has begun the same launch, with
 * the same configuration, on a GPU in which the same allocations have been made. */
#ifndef SUBCORE_GPU_SAVE_H
#define SUBCORE_GPU_SAVE_H

#include "base/archive.h"
#include "gpu/gpu.h"

/* Tells builds apart whose structures differ. `version` of the program. */
uint64_t gpu_layout(const char *version);

/* Reads or writes everything; only from the functions of struct gpu_pause. */
void gpu_archive(struct gpu *gpu, struct archive *a);

#endif
