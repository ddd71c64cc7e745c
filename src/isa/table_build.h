/* Entries of the table that are compiled by need (isa/table.h). */
#ifndef SUBCORE_ISA_TABLE_BUILD_H
#define SUBCORE_ISA_TABLE_BUILD_H

#include "isa/table.h"

/* Makes room for what the entries become, of which none is built. Returns false if there is no memory. */
bool table_work_create(struct isa_decoder *decoder);
void table_work_destroy(struct isa_decoder *decoder);

#endif
