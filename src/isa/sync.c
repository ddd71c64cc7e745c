#include "isa/sync.h"

enum isa_sync isa_sync_of(enum isa_op op)
{
    switch (op) {
    case ISA_OP_SYNCS_EXCH: return ISA_SYNC_WRITE;
    case ISA_OP_SYNCS_LD:
    case ISA_OP_SYNCS_ULD: return ISA_SYNC_READ;
    case ISA_OP_SYNCS_ARRIVE: return ISA_SYNC_ARRIVE;
    case ISA_OP_SYNCS_PHASECHK: return ISA_SYNC_WAIT;
    case ISA_OP_SYNCS_CCTL: return ISA_SYNC_FORGET;
    case ISA_OP_ARRIVES: return ISA_SYNC_COPIES;
    case ISA_OP_STAS:
    case ISA_OP_REDAS: return ISA_SYNC_STORE;
    case ISA_OP_PREEXIT: return ISA_SYNC_PREEXIT;
    case ISA_OP_ACQBULK: return ISA_SYNC_ACQUIRE;
    default: return ISA_SYNC_NONE;
    }
}

bool isa_converges(enum isa_op op) { return op == ISA_OP_BSYNC; }

bool isa_changes_path(enum isa_op op)
{
    return op == ISA_OP_BSYNC || op == ISA_OP_WARPSYNC || op == ISA_OP_YIELD || op == ISA_OP_EXIT;
}

bool isa_exits(enum isa_op op) { return op == ISA_OP_EXIT; }

enum isa_meeting isa_meeting_of(enum isa_op op)
{
    switch (op) {
    case ISA_OP_BAR: return ISA_MEETING_CTA;
    case ISA_OP_UCGABAR_ARV: return ISA_MEETING_CLUSTER_ARRIVE;
    case ISA_OP_UCGABAR_WAIT: return ISA_MEETING_CLUSTER_WAIT;
    default: return ISA_MEETING_NONE;
    }
}
