/* The role of an instruction in waits between threads, copies or grids, beside barriers of a CTA. */
#ifndef SUBCORE_ISA_SYNC_H
#define SUBCORE_ISA_SYNC_H

#include "isa/isa.h"

enum isa_sync {
    ISA_SYNC_NONE,
    /* at barrier objects in shared memory */
    ISA_SYNC_WRITE,  /* SYNCS.EXCH: makes one */
    ISA_SYNC_READ,   /* SYNCS.LD */
    ISA_SYNC_ARRIVE, /* SYNCS.ARRIVE: arrives, or announces or completes bytes */
    ISA_SYNC_WAIT,   /* SYNCS.PHASECHK: tests a phase, and may wait for it */
    ISA_SYNC_FORGET, /* SYNCS.CCTL: the object is plain memory again */
    ISA_SYNC_COPIES, /* ARRIVES: arrives when the thread's copies before it have landed */
    ISA_SYNC_STORE,  /* STAS, REDAS: store, and complete their bytes */
    /* between grids */
    ISA_SYNC_PREEXIT, /* lets dependent grids start */
    ISA_SYNC_ACQUIRE  /* ACQBULK: waits for the grids before */
};

/* Returns the role of an opcode; ISA_SYNC_NONE for all others. */
enum isa_sync isa_sync_of(enum isa_op op);

/* Barriers at which threads meet, the CTA's and the cluster's. */
enum isa_meeting {
    ISA_MEETING_NONE,
    ISA_MEETING_CTA,            /* BAR: its mode says whether the warp waits */
    ISA_MEETING_CLUSTER_ARRIVE, /* UCGABAR_ARV */
    ISA_MEETING_CLUSTER_WAIT    /* UCGABAR_WAIT */
};

enum isa_meeting isa_meeting_of(enum isa_op op);

/* Returns whether the paths of a warp meet there: BSYNC. */
bool isa_converges(enum isa_op op);

/* Returns whether a warp that does not go on behind it goes on with another path. Branches may change the path as well,
 * and do not tell. */
bool isa_changes_path(enum isa_op op);

/* Returns whether threads end there: EXIT. */
bool isa_exits(enum isa_op op);

#endif
