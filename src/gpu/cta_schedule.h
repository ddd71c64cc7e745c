/* The places where the CTAs of a run began: the SM of each CTA in each timed launch, and their order on it. A run keeps
 * such a schedule, and another run, or a replay, follows it.
 *
 * A launch that follows a schedule has the same name and as many CTAs. Each SM takes its CTAs in their order, each as
 * soon as it has room: the schedule says where a CTA runs, not when. Launches are timed whole. A running CTA gets no
 * work that others would do (cluster launch control). Launches of clusters are refused: the CTAs of a cluster begin
 * together, and lists of single SMs do not say that.
 *
 * The file is text. A line that begins with # is a comment.
 *
 *   launch NUMBER CTAS NAME    a timed launch, counted from 1. NAME: the kernel, mangled, to the end of the line
 *   sm NUMBER CTA CTA ...      the CTAs of an SM in their order. A CTA is z * grid.y * grid.x + y * grid.x + x
 *
 * A file of HyFiSS (issue.config) is read as well. It has a line `-trace_issued_sm_id_S COUNT,S,(K,CTA,TIME),...` for
 * each SM S, with K the launch, counted from 1, and neither names nor numbers of CTAs. */
#ifndef SUBCORE_GPU_CTA_SCHEDULE_H
#define SUBCORE_GPU_CTA_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/status.h"
#include "mem/topology.h"

enum { CTA_SCHEDULE_LAUNCHES = 1 << 20, CTA_SCHEDULE_BYTES = 1 << 30 };

struct cta_schedule_entry {
    uint64_t cta;
    uint16_t sm;
};

struct cta_schedule_launch {
    char *kernel;                     /* owned (NULL: the file names none) */
    uint64_t ctas;                    /* of the grid (0: the file does not say) */
    struct cta_schedule_entry *entry; /* owned; in the order in which they began, at least on each SM */
    size_t count, room;
};

struct cta_schedule {
    struct cta_schedule_launch *launch; /* owned; by number, less 1 */
    size_t count, room;
};

/* The schedule has no launches. */
void cta_schedule_begin(struct cta_schedule *s);
void cta_schedule_free(struct cta_schedule *s);

/* Returns timed launch `number`, counted from 0, with this kernel and so many CTAs where the schedule does not know
 * them yet (NULL and 0: nor does the caller). Launches before it are there, too. NULL when the host has no memory. */
struct cta_schedule_launch *cta_schedule_launch(struct cta_schedule *s, uint32_t number, const char *kernel,
                                                uint64_t ctas);
/* Appends a CTA that begins on an SM. Returns false if the host has no memory. */
bool cta_schedule_add(struct cta_schedule_launch *l, struct cta_schedule_entry entry);
/* Sorts the CTAs of a launch by SM. cta[l->count] receives them, and count[sm] how many an SM has. */
void cta_schedule_sort(const struct cta_schedule_launch *l, uint64_t *cta, uint32_t count[TOPOLOGY_SMS]);

/* Reads text in one of the two formats; `path` is for messages. False, with status, where it is none: there is nothing
 * to free then. */
bool cta_schedule_parse(struct cta_schedule *s, const char *text, size_t size, const char *path, struct status *status);
bool cta_schedule_read(struct cta_schedule *s, const char *path, struct status *status);
/* Writes it as text. The stream keeps its errors. Returns false if the host has no memory. */
bool cta_schedule_write(const struct cta_schedule *s, FILE *out);

/* The rest of a launch that follows a schedule. */
struct cta_follow {
    uint64_t *cta;               /* owned; SM by SM. NULL: the launch follows none */
    uint64_t end[TOPOLOGY_SMS];  /* of an SM's part in `cta` */
    uint32_t left[TOPOLOGY_SMS]; /* of these, at its end */
};

/* Prepares timed launch `number`, counted from 0, of a grid with so many CTAs on a GPU with so many SMs. Each CTA has
 * to be there once. False, with status, where the schedule does not fit. */
bool cta_follow_begin(struct cta_follow *f, const struct cta_schedule *s, uint32_t number, const char *kernel,
                      uint64_t ctas, uint32_t sms, struct status *status);
void cta_follow_free(struct cta_follow *f);
/* Takes the next CTA of an SM, which has one left. */
static inline uint64_t cta_follow_take(struct cta_follow *f, uint32_t sm) { return f->cta[f->end[sm] - f->left[sm]--]; }

#endif
