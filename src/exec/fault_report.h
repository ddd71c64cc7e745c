/* The bad end of a kernel, in parts. exec/fault.h puts it together. */
#ifndef SUBCORE_EXEC_FAULT_REPORT_H
#define SUBCORE_EXEC_FAULT_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "exec/sizes.h"
#include "isa/isa.h"

/* Why a kernel came to a bad end. */
enum exec_fault_kind {
    EXEC_FAULT_NONE,
    EXEC_FAULT_ADDRESS,     /* nothing is allocated there, or shared memory ends before it */
    EXEC_FAULT_MISALIGNED,  /* the address is no multiple of the access's size */
    EXEC_FAULT_INSTRUCTION, /* a word that is no instruction */
    EXEC_FAULT_PC,          /* a jump to where the module has no code, or the end of the code passed */
    EXEC_FAULT_SPACE,       /* an operation that does not exist for the address's memory (an atomic one on local) */
    EXEC_FAULT_STACK,       /* local memory ends before the address */
    EXEC_FAULT_ASSERT,
    EXEC_FAULT_TRAP,
    EXEC_FAULT_UNSUPPORTED, /* right, but not simulated */
    EXEC_FAULT_MEMORY,      /* the host has no memory left */
    EXEC_FAULT_DEADLOCK,    /* threads wait that nothing can wake */
    EXEC_FAULT_OTHER        /* a misuse of barriers, printf or the device heap */
};

/* A fault in parts. The sentence is in the status. */
struct exec_fault_report {
    enum exec_fault_kind kind;
    char kernel[256], sass[ISA_TEXT];
    char line[128]; /* of the program, "saxpy.cu:12" (empty: the code has no line tables) */
    uint32_t pc;
    struct exec_dim cta;
    uint32_t warp;  /* in the CTA */
    uint32_t lane;  /* EXEC_LANES: no one lane */
    bool has_place; /* false: kernel only, without pc, SASS, CTA, warp and lane */
    bool has_address;
    uint64_t address; /* global, or the offset in shared or local memory */
    char text[400];   /* the event, without the place */
};

const char *exec_fault_name(enum exec_fault_kind kind); /* "illegal address" */

#endif
