#include "report/perfetto_ranges.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/perfetto_write.h"

enum { DEPTH = 2 * RANGES_MOST };

/* A track, and the ends of the ranges that are open on it, the outermost first. */
struct lane {
    uint64_t open[DEPTH];
    unsigned depth;
    uint64_t track;
};

struct lanes {
    struct lane *lane; /* of one thread and domain */
    size_t count, room;
    uint64_t tracks; /* of all */
};

static uint64_t nanoseconds(double seconds) { return (uint64_t)(1e9 * seconds + 0.5); }

static int compare_groups(const struct range_one *a, const struct range_one *b)
{
    if (a->process != b->process)
        return a->process < b->process ? -1 : 1;
    if ((a->kind == RANGE_START) != (b->kind == RANGE_START))
        return a->kind == RANGE_START ? 1 : -1;
    if (a->kind != RANGE_START && a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    return strcmp(a->domain, b->domain);
}

/* An outer range comes before those that it holds. */
static int compare(const void *left, const void *right)
{
    const struct range_one *a = *(const struct range_one *const *)left, *b = *(const struct range_one *const *)right;
    int group = compare_groups(a, b);
    if (group)
        return group;
    if (a->begin != b->begin)
        return a->begin < b->begin ? -1 : 1;
    if (a->end != b->end)
        return a->end > b->end ? -1 : 1;
    return a->id < b->id ? -1 : a->id > b->id;
}

/* "process 1, thread 2, DOMAIN" */
static void name_lane(struct perfetto *p, const struct range_one *one, uint64_t process, const struct lane *lane)
{
    char name[RANGE_DOMAIN + 64], first[32] = "", thread[32] = "whole process";
    if (process > 0)
        snprintf(first, sizeof first, "process %" PRIu64 ", ", process);
    if (one->kind != RANGE_START)
        snprintf(thread, sizeof thread, "thread %" PRIu64, one->thread);
    snprintf(name, sizeof name, "%s%s%s%s", first, thread, one->domain[0] ? ", " : "", one->domain);
    perfetto_name_track(p, "thread", PID_RANGES, lane->track, name);
}

static struct lane *new_lane(struct lanes *lanes)
{
    if (lanes->count == lanes->room) {
        size_t room = lanes->room ? 2 * lanes->room : 8;
        struct lane *more = realloc(lanes->lane, room * sizeof *more);
        if (!more)
            return NULL;
        lanes->lane = more;
        lanes->room = room;
    }
    struct lane *lane = &lanes->lane[lanes->count++];
    *lane = (struct lane){.track = PID_RANGES * TRACKS + lanes->tracks++};
    return lane;
}

static bool takes(struct lane *lane, uint64_t begin, uint64_t end)
{
    while (lane->depth > 0 && lane->open[lane->depth - 1] <= begin)
        lane->depth--;
    return lane->depth < DEPTH && (lane->depth == 0 || lane->open[lane->depth - 1] >= end);
}

static void put_range(struct perfetto *p, const struct range_sum *sum, const struct range_one *one, uint64_t track)
{
    const struct range_row *row = &sum->row[one->row];
    perfetto_begin_slice(p, PID_RANGES, track, "range", one->name, nanoseconds(one->begin), nanoseconds(one->end));
    fprintf(p->out, "\"ranges_of_this_name\":%" PRIu64 ",\"their_launches\":%" PRIu64 "}}", row->ranges, row->launches);
}

static void put_mark(struct perfetto *p, const struct range_one *one, uint64_t track)
{
    fprintf(p->out, ",\n{\"ph\":\"i\",\"s\":\"t\",\"pid\":%d,\"tid\":%" PRIu64 ",\"cat\":\"mark\"", PID_RANGES, track);
    perfetto_put_time(p, "ts", nanoseconds(one->begin));
    perfetto_put_string(p, "name", one->name);
    fputs("}", p->out);
}

/* Marks stand on the first track of their group. */
static struct lane *lane_of(struct perfetto *p, struct lanes *lanes, const struct range_one *one, uint64_t process)
{
    uint64_t begin = nanoseconds(one->begin), end = nanoseconds(one->end);
    size_t i = 0;
    while (i < lanes->count && one->kind != RANGE_MARK && !takes(&lanes->lane[i], begin, end))
        i++;
    if (i < lanes->count)
        return &lanes->lane[i];
    struct lane *lane = new_lane(lanes);
    if (lane)
        name_lane(p, one, process, lane);
    return lane;
}

void perfetto_ranges(struct perfetto *p, const struct range_sum *sum, uint64_t (*process)(const void *self, int32_t id),
                     const void *self)
{
    struct lanes lanes = {0};
    const struct range_one **order = malloc((sum->ones + 1) * sizeof *order);
    p->failed |= !order;
    for (size_t i = 0; order && i < sum->ones; i++)
        order[i] = &sum->one[i];
    if (order && sum->ones > 0) {
        qsort(order, sum->ones, sizeof *order, compare);
        perfetto_name_track(p, "process", PID_RANGES, PID_RANGES * TRACKS, "Ranges (NVTX)");
    }
    for (size_t i = 0; order && i < sum->ones; i++) {
        const struct range_one *one = order[i];
        if (i > 0 && compare_groups(order[i - 1], one) != 0)
            lanes.count = 0;
        struct lane *lane = lane_of(p, &lanes, one, process(self, one->process));
        p->failed |= !lane;
        if (lane && one->kind == RANGE_MARK)
            put_mark(p, one, lane->track);
        else if (lane) {
            lane->open[lane->depth++] = nanoseconds(one->end);
            put_range(p, sum, one, lane->track);
        }
    }
    free(order);
    free(lanes.lane);
}
