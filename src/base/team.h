/* A team of host threads that runs one function over a range of indices, then waits for all of them.
 * The caller takes part, so a team of one runs everything in the caller. Which thread runs which index is
 * unspecified: the work must not depend on it. */
#ifndef SUBCORE_BASE_TEAM_H
#define SUBCORE_BASE_TEAM_H

#include <stdatomic.h>
#include <stdbool.h>

struct team;

/* 1 to 256 threads, the caller included. NULL when threads cannot be made. */
struct team *team_create(unsigned threads);
void team_destroy(struct team *team);
unsigned team_size(const struct team *team);

/* Calls work(context, i) once for each i in 0..count-1 and returns when all have returned. The workers' writes are
 * visible to the caller afterwards, and the caller's earlier writes are visible to them. */
void team_run(struct team *team, unsigned count, void (*work)(void *context, unsigned index), void *context);

/* Waits until `word` holds `value`, which another index of the run in progress stores. Indices are taken in ascending
 * order, so an index may wait for lower ones. */
void team_await(const atomic_uint *word, unsigned value);

#endif
