#include <math.h>
#include <string.h>

#include "host.h"
#include "workloads.h"

enum { THREADS = 256, CENTRES = 8, FEATURES = 4, PLACES = 32, RANGE = 32 };

static float *whole_numbers(struct run *run, uint32_t seed, size_t count, uint32_t range)
{
    float *to = run_memory(run, count, sizeof *to);
    for (size_t i = 0; to && i < count; i++)
        to[i] = (float)random_below(&seed, range);
    return to;
}

static int32_t assign(const float *point, size_t points, size_t i, const float *centre)
{
    float least = INFINITY;
    int32_t best = 0;
    for (int32_t c = 0; c < CENTRES; c++) {
        float sum = 0;
        for (size_t f = 0; f < FEATURES; f++) {
            const float difference = point[f * points + i] - centre[c * FEATURES + (int32_t)f];
            sum += difference * difference;
        }
        if (sum < least) {
            least = sum;
            best = c;
        }
    }
    return best;
}

static struct example_result kmeans(const struct example_device *device, const struct workload_scale *scale)
{
    struct run run = run_start(device);
    const uint32_t ctas = host_ctas(scale, 6);
    const size_t points = (size_t)ctas * THREADS;
    const float *point = whole_numbers(&run, 57, FEATURES * points, RANGE);
    const float *centre = whole_numbers(&run, 58, CENTRES * FEATURES, RANGE);
    int32_t *nearest = run_memory(&run, points, sizeof *nearest), counts[CENTRES] = {0};
    float sums[CENTRES * FEATURES] = {0};
    if (run.failed)
        return run_finish(&run, " ");
    for (size_t i = 0; i < points; i++) {
        nearest[i] = assign(point, points, i, centre);
        counts[nearest[i]]++;
        for (size_t f = 0; f < FEATURES; f++)
            sums[(size_t)nearest[i] * FEATURES + f] += point[f * points + i];
    }
    struct {
        uint64_t point, centre, nearest;
        int32_t points;
    } first = {.points = (int32_t)points};
    struct {
        uint64_t point, nearest, sums, counts;
        int32_t points;
    } second = {.points = (int32_t)points};
    first.point = second.point = run_upload(&run, point, FEATURES * points * sizeof *point);
    first.centre = run_upload(&run, centre, CENTRES * FEATURES * sizeof *centre);
    first.nearest = second.nearest = run_output(&run, points);
    second.sums = run_output(&run, CENTRES * FEATURES);
    second.counts = run_output(&run, CENTRES);
    for (uint64_t i = 0; i < CENTRES * FEATURES; i++)
        run_write_word(&run, second.sums + i * sizeof(float), 0);
    for (uint64_t i = 0; i < CENTRES; i++)
        run_write_word(&run, second.counts + i * sizeof(uint32_t), 0);
    host_launch(&run, "kmeans_assign", ctas, THREADS, &first, sizeof first);
    run_check_ints(&run, "nearest", run_download(&run, first.nearest, points), nearest, points);
    host_launch(&run, "kmeans_update", ctas, THREADS, &second, sizeof second);
    run_check_ints(&run, "count", run_download(&run, second.counts, CENTRES), counts, CENTRES);
    const size_t all = CENTRES * FEATURES;
    run_check_floats(&run, "sum", run_download(&run, second.sums, all), sums, all);
    return run_finish(&run, "the centres of %zu points are right", points);
}

static void check_best(struct run *run, const float *distance, const uint64_t *best, uint32_t ctas)
{
    for (uint32_t i = 0; i < ctas && !run->failed; i++) {
        uint32_t want = i * THREADS;
        for (uint32_t k = want; k < (i + 1) * THREADS; k++)
            if (distance[k] < distance[want])
                want = k;
        uint32_t bits;
        memcpy(&bits, distance + want, sizeof bits);
        if (best[i] != ((uint64_t)bits << 32 | want))
            run_fail(run, "the nearest of piece %u is %u, expected %u", i, (uint32_t)best[i], want);
    }
}

static struct example_result nearest(const struct example_device *device, const struct workload_scale *scale)
{
    struct run run = run_start(device);
    const uint32_t ctas = host_ctas(scale, 8);
    const size_t places = (size_t)ctas * THREADS;
    const float *place = whole_numbers(&run, 59, 2 * places, 2000);
    float *want = run_memory(&run, places, sizeof *want);
    if (run.failed)
        return run_finish(&run, " ");
    struct {
        uint64_t place, distance;
        float x, y;
    } first = {.x = 700, .y = 1300};
    for (size_t i = 0; i < places; i++) {
        const float x = place[2 * i] - first.x, y = place[2 * i + 1] - first.y;
        want[i] = sqrtf(x * x + y * y);
    }
    struct {
        uint64_t distance, best;
    } second;
    first.place = run_upload(&run, place, 2 * places * sizeof *place);
    first.distance = second.distance = run_output(&run, places);
    second.best = run_output(&run, (size_t)2 * ctas);
    host_launch(&run, "nearest_distances", ctas, THREADS, &first, sizeof first);
    run_check_floats(&run, "distance", run_download(&run, first.distance, places), want, places);
    host_launch(&run, "nearest_best", ctas, THREADS, &second, sizeof second);
    check_best(&run, want, run_download(&run, second.best, (size_t)2 * ctas), ctas);
    return run_finish(&run, "the nearest of %zu places are right", places);
}

static void insert(float *least, float square)
{
    for (int i = 0; i < 4; i++)
        if (square < least[i]) {
            const float moved = least[i];
            least[i] = square;
            square = moved;
        }
}

static struct example_result four(const struct example_device *device, const struct workload_scale *scale)
{
    struct run run = run_start(device);
    const uint32_t ctas = host_ctas(scale, 4);
    const size_t queries = (size_t)ctas * THREADS;
    const float *query = whole_numbers(&run, 60, 2 * queries, 2000), *place = whole_numbers(&run, 61, 2 * PLACES, 2000);
    float *want = run_memory(&run, 4 * queries, sizeof *want);
    if (run.failed)
        return run_finish(&run, " ");
    for (size_t i = 0; i < queries; i++) {
        for (size_t k = 0; k < 4; k++)
            want[4 * i + k] = INFINITY;
        for (size_t k = 0; k < PLACES; k++) {
            const float x = query[2 * i] - place[2 * k], y = query[2 * i + 1] - place[2 * k + 1];
            insert(want + 4 * i, x * x + y * y);
        }
    }
    struct {
        uint64_t query, place, squares;
    } params;
    params.query = run_upload(&run, query, 2 * queries * sizeof *query);
    params.place = run_upload(&run, place, 2 * PLACES * sizeof *place);
    params.squares = run_output(&run, 4 * queries);
    host_launch(&run, "nearest_four", ctas, THREADS, &params, sizeof params);
    run_check_floats(&run, "square", run_download(&run, params.squares, 4 * queries), want, 4 * queries);
    return run_finish(&run, "the neighbours of %zu places are right", queries);
}

const struct workload workload_kmeans = {
    .name = "kmeans",
    .module = "clusters",
    .class = "data mining",
    .summary = "nearest centres, and their sums by float atomics in shared memory",
    .arch = 60,
    .run = kmeans,
};

const struct workload workload_nearest = {
    .name = "nearest",
    .module = "clusters",
    .class = "data mining",
    .summary = "distances to a place, and the least of each piece by 64-bit shuffles",
    .arch = 60,
    .run = nearest,
};

const struct workload workload_nearest_four = {
    .name = "nearest-four",
    .module = "clusters",
    .class = "data mining",
    .summary = "the four nearest of 32 places, sorted in registers, a branch for each",
    .arch = 60,
    .run = four,
};
