/* The state of the memory system in an archive, in either direction; see base/archive.h. */
#ifndef SUBCORE_MEM_SAVE_H
#define SUBCORE_MEM_SAVE_H

#include "base/archive.h"
#include "mem/group.h"
#include "mem/mem.h"
#include "mem/network.h"

void group_archive(struct archive *a, struct group *group);
void network_archive(struct archive *a, struct network *network);
/* The whole state, between two quanta of a kernel. The memory that reads it has been reset for the same kernel. */
void mem_archive(struct archive *a, struct mem *mem);

#endif
