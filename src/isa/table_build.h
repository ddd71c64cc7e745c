/* Entries of the table that are compiled by need (isa/table.h). */
#ifndef SUBCORE_ISA_TABLE_BUILD_H
#define SUBCORE_ISA_TABLE_BUILD_H

#include "isa/table.h"

/* Reserves the room for building entries, and marks all as not built. Returns false if out of memory. */
bool table_work_create(struct isa_decoder *decoder);
void table_work_destroy(struct isa_decoder *decoder);

#endif
