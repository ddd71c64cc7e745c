/* The state of an SM in an archive, in either direction; see base/archive.h. The SM that reads it has begun the same
 * kernel. */
#ifndef SUBCORE_SM_SAVE_H
#define SUBCORE_SM_SAVE_H

#include "base/archive.h"
#include "sm/sm.h"

void sm_archive(struct archive *a, struct sm *sm);

#endif
