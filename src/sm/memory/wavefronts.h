/* Passes of an access to global or local memory through the L1.
 *
 * Tag stage: up to four lines in a pass, with all their sectors (NVIDIA: the tag stage of GV100 and later resolves 4
 * sets of 4 sectors a cycle). That lines of one set (there are four) by an unknown hash, need a pass each is
 * left out: a stride of 512 bytes takes 9 passes on an RTX 5090 and 8 here.
 *
 * Data stage: the array is shared memory's, 32 banks of 4 bytes whatever the line. 32 bits go by the warp, 64 by
 * halves, 128 by quarters. In each, as many passes as the most different words in one bank, and their sum. Unlike
 * shared memory, a load whose words all fit one pass is no exception. Profiler counts of an RTX 5090
 * (cicuvc/nvidia-sass-document). */
#ifndef SUBCORE_SM_WAVEFRONTS_H
#define SUBCORE_SM_WAVEFRONTS_H

#include <stdint.h>

#include "sm/memory/bank_conflicts.h"

/* `bytes` a lane at these addresses, which are aligned to them. */
struct bank_passes wavefronts_global(const uint64_t address[32], uint32_t lanes, unsigned bytes);

/* Local memory has word w of a lane in the lane's bank: a pass a word. */
struct bank_passes wavefronts_local(uint32_t lanes, unsigned bytes);

/* LDGSTS: its data are not read from the array but go from the tag stage to shared memory, in as many passes as the
 * more scattered side needs. Each pass of the tag stage beyond the first costs one more. `shared`: of the
 * destination. */
struct bank_passes wavefronts_copy(struct bank_passes shared, struct bank_passes source, unsigned tag_passes);

#endif
