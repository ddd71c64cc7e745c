/* The state of a run in a file: one function for each structure, which serves both directions. Its data is written, or
 * read into place. When it is read the structure has been made as for a new run, so that all storage is there.
 *
 *     void queue_archive(struct archive *a, struct queue *q)
 *     {
 *         archive_begin(a, "queue", q, sizeof *q);     all of it, as it is ...
 *         archive_keep(a, &q->config);                 ... but for fields that belong to the process
 *         archive_array(a, &q->entry, q->size);        and arrays that it owns
 *         archive_end(a);
 *     }
 *
 * Members that are no pointers need no word. Functions of structures inside others are called between the outer
 * begin and end, as long as they only keep, and own arrays. Where the entries of an array have pointers in turn it is
 * kept, and gets a begin and an end of its own.
 *
 * The file is one zstd frame with a checksum, behind a header that names its layout of structures. */
#ifndef SUBCORE_BASE_ARCHIVE_H
#define SUBCORE_BASE_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/status.h"

struct archive;

/* Writes a file, which appears when archive_close succeeds. `layout` tells builds apart that cannot read each other's
 * files. */
struct archive *archive_create(const char *path, uint64_t layout, struct status *status);
/* Reads one, which has been checked from end to end when this returns. */
struct archive *archive_open(const char *path, uint64_t layout, struct status *status);
/* Neither: goes through the state. `look` is given everything that would be written (NULL: no function). */
struct archive *archive_digest(void (*look)(void *self, const void *bytes, size_t size), void *self);

/* False, with status, when something went wrong since the beginning. Frees in any case. */
bool archive_close(struct archive *a, struct status *status);
/* Frees, and leaves no file. */
void archive_abandon(struct archive *a);
/* Of all that went through, so far. */
uint64_t archive_value(const struct archive *a);

bool archive_reading(const struct archive *a);
/* Nothing has gone wrong. After an error nothing is read or written, and the data read must not be used. */
bool archive_ok(const struct archive *a);
/* Notes an error from outside. The first counts. */
void archive_fail(struct archive *a, enum status_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Bytes without pointers. */
void archive_plain(struct archive *a, void *data, size_t bytes);
/* A number that must be the same when it is read; `what` is for the message. */
void archive_same(struct archive *a, const char *what, uint64_t value);

/* A structure. Its name is in the file, so that a function that has lost its place finds out. */
void archive_begin(struct archive *a, const char *name, void *object, size_t bytes);
void archive_end(struct archive *a);

/* Between the two, members of the structure: */

/* A pointer, or another member, that stays unchanged in this process. */
#define archive_keep(a, member) archive_keep_bytes((a), (member), sizeof *(member))
void archive_keep_bytes(struct archive *a, void *member, size_t bytes);
/* An array that the structure owns, of a size that is the same in both processes. `member`: of a pointer. */
#define archive_array(a, member, count) archive_array_bytes((a), (member), (count) * sizeof **(member))
void archive_array_bytes(struct archive *a, void *member, size_t bytes);
/* An array that grows, from `arena`, or from malloc when that is NULL; `room` and `used`, uint32_t of the same
 * structure, are the entries that it has and those at its begin that hold something. */
#define archive_room(a, arena, member, room, used)                                                                     \
    archive_room_size((a), (arena), (member), (room), (used), sizeof **(member))
void archive_room_size(struct archive *a, struct arena *arena, void *member, uint32_t *room, const uint32_t *used,
                       size_t size);
/* A pointer to one of the `count` entries at `base`. A pointer elsewhere becomes NULL. */
#define archive_entry(a, member, base, count) archive_entry_size((a), (member), (base), (count), sizeof *(base))
void archive_entry_size(struct archive *a, void *member, const void *base, size_t count, size_t size);

#endif
