/* What a struct issued says, without what it holds where that means nothing; and files for tests. */
#ifndef SUBCORE_TESTS_TRACE_STREAM_H
#define SUBCORE_TESTS_TRACE_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/issued.h"
#include "trace/reader.h"

/* A hash of all that counts, but next_pc. `two`: shared[] counts. */
uint64_t issued_hash(uint64_t seed, const struct issued *is, bool two);
/* Of a whole stream with its next_pcs; fails the test when it cannot be read or jumps other than it says. */
uint64_t stream_hash(struct trace_cursor *cursor, uint64_t cta, uint32_t warp, uint64_t *instructions);

/* A path in the folder for temporary files that no other test uses. */
const char *trace_test_path(char path[4096]);

/* 32 instructions of sm_80, all of them NOP. */
struct trace_launch launch_of_nops(uint32_t ctas, uint32_t threads);

#endif
