/* The meaning of a struct issued, without fields that mean nothing there; and files for tests. */
#ifndef SUBCORE_TESTS_TRACE_STREAM_H
#define SUBCORE_TESTS_TRACE_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/issued.h"
#include "trace/reader.h"
#include "trace/writer.h"

/* A hash of all that counts, but next_pc. `two`: shared[] counts. */
uint64_t issued_hash(uint64_t seed, const struct issued *is, bool two);
/* Of a whole stream with its next_pcs. Fails the test when it cannot be read or jumps other than it says. */
uint64_t stream_hash(struct trace_cursor *cursor, uint64_t cta, uint32_t warp, uint64_t *instructions);

/* A path in the folder for temporary files that no other test uses. */
const char *trace_test_path(char path[4096]);

/* Instructions of sm_80: every 20th is LDGSTS, the others NOP. */
enum { TEST_CODE = 400, TEST_COPY = 7, TEST_COPIES = 20 };
struct trace_launch test_launch(uint32_t ctas, uint32_t threads);
static inline bool test_copies(uint32_t pc) { return pc / 16 % TEST_COPIES == TEST_COPY; }

/* A writer in the middle of a kernel, and the file that becomes of it. */
struct trial {
    char path[4096];
    struct trace_writer *writer;
    struct trace_file *file;
    struct trace_kernel *kernel;
    struct trace_cursor *cursor;
    struct status status;
};

void trial_begin(struct trial *t, uint32_t ctas, uint32_t threads);
/* Ends kernel and file, opens the file and its first kernel. */
void trial_reopen(struct trial *t);
void trial_end(struct trial *t);

/* A warp that behaves as no program would: branches, accesses of every kind, barriers, odd lanes, from a seed. */
struct wild {
    uint64_t seed, step, hash, instructions;
    struct issued is;
    uint64_t base[4];
};

void wild_begin(struct wild *w, uint64_t seed);
/* The next instruction, in w->is. `calm` (0..100): how many of a hundred are as before. */
void wild_next(struct wild *w, unsigned calm);
/* Writes streams of all warps, in turns, each about `length` instructions long, and returns them. */
struct wild *wild_write(struct trial *t, uint32_t ctas, uint32_t warps, uint32_t length, unsigned calm);
/* Reads all of it back and compares. */
void wild_compare(struct trace_cursor *cursor, const struct wild *w, uint32_t ctas, uint32_t warps);

#endif
