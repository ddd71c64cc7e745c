#include "runs.h"
#include "util.h"

enum { VERTICES = 6000, MAX_DEGREE = 48, THREADS = 128, LEVELS = 64 };

/* A graph in CSR form: most vertices have a few neighbours, one in 32 has many, two in 32 have none. The
 * search starts at vertex 0, which has many. */
static size_t make_graph(uint32_t *row, uint32_t *col)
{
    uint32_t seed = 8, edges = 0;
    for (uint32_t v = 0; v < VERTICES; v++) {
        row[v] = edges;
        uint32_t kind = v == 0 ? 0 : random_below(&seed, 32);
        uint32_t degree = kind == 0 ? MAX_DEGREE : kind < 3 ? 0 : 1 + random_below(&seed, 5);
        for (uint32_t i = 0; i < degree; i++)
            col[edges++] = random_below(&seed, VERTICES);
    }
    row[VERTICES] = edges;
    return edges;
}

/* Fills the levels (-1: out of reach), and how many vertices each holds. Returns the number of levels. */
static int32_t search(const uint32_t *row, const uint32_t *col, int32_t *level, uint32_t *queue, uint32_t *sizes)
{
    for (size_t v = 0; v < VERTICES; v++)
        level[v] = -1;
    size_t head = 0, tail = 1;
    queue[0] = 0;
    level[0] = 0;
    int32_t levels = 0;
    while (head < tail) {
        uint32_t v = queue[head++];
        levels = level[v] + 1;
        if (levels > LEVELS)
            return levels;
        sizes[level[v]]++;
        for (uint32_t e = row[v]; e < row[v + 1]; e++) {
            if (level[col[e]] < 0) {
                level[col[e]] = levels;
                queue[tail++] = col[e];
            }
        }
    }
    return levels;
}

struct example_result run_bfs(const struct example_device *device)
{
    struct run run = run_start(device);
    uint32_t *row = run_memory(&run, VERTICES + 1, sizeof *row);
    uint32_t *col = run_memory(&run, VERTICES * MAX_DEGREE, sizeof *col);
    int32_t *want = run_memory(&run, VERTICES, sizeof *want);
    uint32_t *queue = run_memory(&run, VERTICES, sizeof *queue);
    if (run.failed)
        return run_finish(&run, " ");
    size_t edges = make_graph(row, col);
    uint32_t sizes[LEVELS + 1] = {0};
    int32_t levels = search(row, col, want, queue, sizes);
    if (levels > LEVELS)
        run_fail(&run, "the graph has more than %d levels", LEVELS);

    struct {
        uint64_t row, col, level, frontier;
        uint32_t frontier_size;
        uint64_t next, next_size;
        int32_t next_level;
    } params = {.frontier_size = 1, .next_level = 1};
    params.row = run_upload(&run, row, (VERTICES + 1) * sizeof *row);
    params.col = run_upload(&run, col, edges * sizeof *col);
    params.level = run_output(&run, VERTICES);
    params.frontier = run_output(&run, VERTICES);
    params.next = run_output(&run, VERTICES);
    params.next_size = run_output(&run, 1);
    for (uint64_t v = 0; v < VERTICES; v++)
        run_write_word(&run, params.level + v * sizeof(uint32_t), v == 0 ? 0 : UINT32_MAX);
    run_write_word(&run, params.frontier, 0);

    while (params.frontier_size > 0 && !run.failed) {
        run_write_word(&run, params.next_size, 0);
        run_launch(&run, "bfs_level", (struct example_dim){parts(params.frontier_size, THREADS), 1, 1},
                   (struct example_dim){THREADS, 1, 1}, &params, sizeof params);
        uint32_t size = run_read_word(&run, params.next_size);
        if (size != sizes[params.next_level])
            run_fail(&run, "level %d has %u vertices, expected %u", (int)params.next_level, (unsigned)size,
                     (unsigned)sizes[params.next_level]);
        uint64_t frontier = params.frontier;
        params.frontier = params.next;
        params.next = frontier;
        params.frontier_size = size;
        params.next_level++;
    }
    run_check_ints(&run, "level", run_download(&run, params.level, VERTICES), want, VERTICES);
    run_download(&run, params.frontier, VERTICES); /* for their guards */
    run_download(&run, params.next, VERTICES);
    /* The order of vertices in the frontiers is that of the atomics, which any timing may change: cleared, so that only
     * the result is left. */
    for (uint64_t v = 0; v < VERTICES; v++) {
        run_write_word(&run, params.frontier + v * sizeof(uint32_t), 0);
        run_write_word(&run, params.next + v * sizeof(uint32_t), 0);
    }
    return run_finish(&run, "the levels of all %d vertices are right (%d levels, %zu edges)", VERTICES, (int)levels,
                      edges);
}
