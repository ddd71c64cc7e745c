/* Findings of the checks: each pair of a kernel's instructions once, with the threads of its first occurrence. A
 * finding is one record without pointers, so that a program's process can append it to a file (check/record.h). */
#ifndef SUBCORE_CHECK_FOUND_H
#define SUBCORE_CHECK_FOUND_H

#include <stdbool.h>
#include <stdint.h>

/* The checks, as --check names them. */
#define CHECKS(X)                                                                                                      \
    X(MEMORY, "memory", "accesses outside of allocations, misaligned or in the wrong space")                           \
    X(RACE, "race", "accesses of different threads that nothing orders")                                               \
    X(INIT, "init", "reads of memory that no thread has written")                                                      \
    X(SYNC, "sync", "barriers that threads reach apart, or in numbers that do not fit")                                \
    X(LEAK, "leak", "allocations that a program has not given back at its end")

enum check_bit {
#define X(id, name, text) CHECK_BIT_##id,
    CHECKS(X)
#undef X
        CHECK_BITS
};
#define CHECK_SET(id) (1u << CHECK_BIT_##id)

/* X(id, check, name, sentence) */
#define CHECK_KINDS(X)                                                                                                 \
    X(RAW, RACE, "RAW", "the second thread reads a value that the first writes, and nothing orders them")              \
    X(WAW, RACE, "WAW", "both threads write, and nothing orders them")                                                 \
    X(WAR, RACE, "WAR", "the second thread writes a place that the first reads, and nothing orders them")              \
    X(COPY, RACE, "COPY", "an asynchronous copy is used before its group has been waited for")                         \
    X(PROXY, RACE, "PROXY", "an asynchronous operation reads bytes that a thread has written, without a fence")        \
    X(PHASE, RACE, "PHASE", "the destination of a transfer is read before the phase of its mbarrier has ended")        \
    X(OVERRUN, RACE, "OVERRUN", "the source or destination of a transfer is overwritten before it has ended")          \
    X(UNWRITTEN, INIT, "UNWRITTEN", "a thread reads bytes that no thread has written")                                 \
    X(DIVERGENT, SYNC, "DIVERGENT", "threads of a warp are at different instructions when they reach a barrier")       \
    X(COUNT, SYNC, "COUNT", "warps arrive at a barrier with different numbers of threads")                             \
    X(LEFT, SYNC, "LEFT", "a barrier has arrivals and will never complete")                                            \
    X(OUTSIDE, MEMORY, "OUTSIDE", "an access lies outside of all allocations, in a page that is mapped")               \
    X(FAULT, MEMORY, "FAULT", "the kernel did something illegal")                                                      \
    X(LEAK, LEAK, "LEAK", "an allocation was not given back")

enum check_kind {
#define X(id, check, name, text) CHECK_##id,
    CHECK_KINDS(X)
#undef X
        CHECK_KIND_COUNT
};

const char *check_kind_name(enum check_kind kind);
const char *check_kind_text(enum check_kind kind);
/* Returns the check, of enum check_bit, that the kind belongs to. */
enum check_bit check_kind_bit(enum check_kind kind);
/* Reads a list such as "race,init", or "all". Returns 0 when a word is none of the checks. */
uint32_t check_parse(const char *text);

enum { CHECK_NAME = 256, CHECK_SASS = 96, CHECK_LINE = 160, CHECK_TEXT = 240, CHECK_NO_LANE = 32 };

/* A thread at an instruction. */
struct check_place {
    bool present;
    uint32_t pc;
    uint32_t cta[3];
    uint32_t warp; /* in the CTA */
    uint32_t lane; /* CHECK_NO_LANE: all, or not one alone */
    char sass[CHECK_SASS];
    char line[CHECK_LINE]; /* "file.cu:12" (empty: the code has no line tables) */
};

enum check_memory { CHECK_NOWHERE, CHECK_GLOBAL, CHECK_SHARED, CHECK_LOCAL };

struct check_finding {
    char kernel[CHECK_NAME]; /* mangled (empty: of no kernel) */
    uint8_t kind, memory;    /* enum check_kind, enum check_memory */
    struct check_place first, second;
    uint64_t address; /* global, or the offset in shared or local memory */
    uint32_t bytes;
    uint64_t count; /* occurrences; */
    uint64_t told;  /* of these, appended to a file (check/record.h) */
    char text[CHECK_TEXT];
};

/* A list in which an instruction pair stands once for a kernel. Further pairs than CHECK_MOST are counted only. */
enum { CHECK_MOST = 500 };
struct check_found {
    struct check_finding *item;
    uint32_t count, room;
    uint32_t bucket[2 * CHECK_MOST]; /* index + 1, by kind and pcs */
    uint64_t more;                   /* occurrences of pairs that have no room */
    bool failed;                     /* the host had no memory */
};

/* Returns the finding of this kernel, kind, memory and pcs, with one occurrence more. `is_new` tells that the caller
 * has to fill in the rest. NULL: there is no room. */
struct check_finding *check_found_at(struct check_found *found, const char *kernel, enum check_kind kind,
                                     enum check_memory memory, uint32_t first, uint32_t second, bool *is_new);
/* Adds a finding of another list. */
void check_found_merge(struct check_found *found, const struct check_finding *finding);
/* Returns the occurrences of all kinds. */
uint64_t check_found_count(const struct check_found *found);
void check_found_free(struct check_found *found);

#endif
