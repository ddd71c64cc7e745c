/* Code that is open for reading. A program launches few kernels often, so that its trace has the same code in many
 * launches. A file decodes a code once and remembers the last ones. */
#ifndef SUBCORE_TRACE_CODE_H
#define SUBCORE_TRACE_CODE_H

#include <stdint.h>

#include "base/status.h"
#include "trace/bytes.h"
#include "trace/identity.h"
#include "trace/launch.h"

struct trace_code {
    uint32_t users;                 /* kernels that are open, and the file while it remembers the code */
    uint32_t architecture;          /* 75, 80, ... */
    struct trace_bytes bytes;       /* as they are in the trace */
    struct trace_identity identity; /* of these bytes */
    struct trace_inst *inst;        /* [count], decoded if `reach` is there */
    uint8_t *reach;                 /* [count] enum trace_reach */
    uint32_t count;
};

/* A file remembers so many codes, with so many instructions together. */
enum { TRACE_CODES = 64, TRACE_CODES_INSTRUCTIONS = 1 << 16 };

struct trace_codes {
    struct trace_code *last[TRACE_CODES]; /* a ring */
    uint32_t oldest, count;               /* its first place, and its codes */
    uint32_t instructions;                /* of all codes */
    struct isa_decoder *decoder;          /* NULL: none so far */
    uint32_t architecture;                /* the decoder's; 0 none */
};

void trace_codes_free(struct trace_codes *codes);

/* Takes the rest of a launch's block (trace_metadata_take): a code that is remembered, or a new one, not yet decoded.
 * Returns NULL if the bytes are damaged or the host has no memory. */
struct trace_code *trace_codes_take(struct trace_codes *codes, uint32_t architecture, struct trace_view *rest);
/* Decodes it, if that is not done. `isa_table` knows its architecture. Returns false without memory. */
bool trace_codes_decode(struct trace_codes *codes, struct trace_code *code, struct status *status);
/* Ends the use by a kernel (NULL: nothing). */
void trace_code_leave(struct trace_code *code);

#endif
