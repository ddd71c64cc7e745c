/* Kernels whose traces hold rare records: recorded, and compared with a second run field by field. */
#include "rig.h"

#include <unistd.h>

static const char path[] = "record-kernels.trace";

struct what {
    const char *file, *kernel;
    uint32_t ctas, threads, number;
    bool cooperative, number_only_where_asked; /* kernels of one argument */
};

static void launch(struct rig *r, const struct what *what)
{
    const struct {
        uint64_t out, second;
        uint32_t number, unused;
    } three = {r->out, r->out + 4 * 8192, what->number, 0};
    const struct {
        uint64_t out;
        uint32_t number, unused;
    } two = {r->out, what->number, 0};
    struct gpu_launch l = {.kernel = what->kernel,
                           .grid = {what->ctas, 1, 1},
                           .block = {what->threads, 1, 1},
                           .parameters = &two,
                           .parameter_bytes = what->number_only_where_asked ? 8 : 12,
                           .cooperative = what->cooperative};
    if (what->cooperative) { /* neighbours(out, cell, rounds) */
        l.parameters = &three;
        l.parameter_bytes = 20;
    }
    if (!rig_launch(r, &l))
        fail_msg("%s: %s", what->kernel, r->status.text);
}

static struct match_seen recorded_and_compared(const struct what *what, const char *gpu, unsigned sm)
{
    struct rig *r = malloc(sizeof *r);
    char place[128];
    assert_non_null(r);
    snprintf(place, sizeof place, "%s.sm_%u.cubin", what->file, sm);
    for (unsigned compare = 0; compare < 2; compare++) {
        rig_begin(r, gpu, path, !compare);
        rig_load_file(r, place);
        launch(r, what);
        rig_end(r);
    }
    struct match_seen seen = r->check.seen;
    assert_in_range(seen.instructions, 1, UINT64_MAX);
    unlink(path);
    free(r);
    return seen;
}

static struct match_seen run(const struct what what)
{
    recorded_and_compared(&what, "h200", 90);
    return recorded_and_compared(&what, "a100", 80);
}

#define OWN "tests/record/cubin/kernels"
#define GENERIC "tests/exec/cubin/generic"
#define LAUNCHES "tests/gpu/cubin/launches"
#define LINKED "tests/exec/cubin/linked"

static void arrivals_at_named_barriers_and_naps(void **state)
{
    (void)state;
    struct match_seen seen = run((struct what){OWN, "arrivals", 5, 256, 4, false, false});
    assert_int_equal(seen.arrivals, 5 * 4 * 4);       /* CTAs, warps, rounds */
    assert_int_equal(seen.barriers, 5 * 4 * (4 + 8)); /* and all eight warps at the other one */
    assert_int_equal(seen.sleeps, 5 * 4 * 3);         /* nobody sleeps in round 0 */
}

static void copies_to_shared_memory_that_fill_in_zeros(void **state)
{
    (void)state;
    struct match_seen seen = run((struct what){OWN, "fills", 1, 256, 64, false, false});
    assert_int_equal(seen.copies, 8);
    assert_int_equal(seen.zero_filled, 8);
    seen = run((struct what){GENERIC, "copies", 1, 128, 0, false, true});
    assert_int_equal(seen.copies, 3 * 4);
}

static void cache_policies(void **state)
{
    (void)state;
    run((struct what){OWN, "policies", 2, 64, 64, false, false});
}

static void divergent_branches_and_early_exits(void **state)
{
    (void)state;
    struct match_seen seen = run((struct what){OWN, "branches", 3, 96, 20, false, false});
    assert_in_range(seen.divergent, 100, UINT64_MAX);
}

static void lanes_of_one_access_in_different_memories(void **state)
{
    (void)state;
    struct match_seen seen = run((struct what){GENERIC, "pointers", 1, 96, 0, false, true});
    assert_in_range(seen.mixed, 3, UINT64_MAX);
    assert_in_range(seen.local, 3, UINT64_MAX);
}

static void atomics_on_generic_pointers(void **state)
{
    (void)state;
    struct match_seen seen = run((struct what){GENERIC, "atomics", 1, 128, 0, false, true});
    assert_in_range(seen.atomics, 4, UINT64_MAX);
    assert_in_range(seen.generic, 4, UINT64_MAX);
}

static void barrier_objects_and_address_queries(void **state)
{
    (void)state;
    run((struct what){GENERIC, "barrier_object", 1, 96, 0, false, true});
    run((struct what){GENERIC, "queries", 1, 32, 0, false, true});
}

static void a_recursion_on_a_stack_in_local_memory(void **state)
{
    (void)state;
    struct match_seen seen = run((struct what){LAUNCHES, "recursion", 7, 64, 9, false, false});
    assert_in_range(seen.local, 7 * 2 * 9 * 4, UINT64_MAX);
}

static void indirect_calls_and_functions_of_the_driver(void **state)
{
    (void)state;
    run((struct what){LINKED, "calls_of_functions", 1, 128, 3, false, false});
    run((struct what){LINKED, "threads_together", 1, 128, 5, false, false});
}

static void the_ctas_of_a_cooperative_grid(void **state)
{
    (void)state;
    struct match_seen seen = run((struct what){LAUNCHES, "neighbours", 24, 64, 3, true, false});
    assert_in_range(seen.turns, 3 * 24, UINT64_MAX); /* they go on in turn */
}

static void ctas_that_are_put_aside_while_they_wait(void **state)
{
    (void)state;
    enum { CTAS = 20 };
    struct match_seen seen = run((struct what){OWN, "backwards", CTAS, 64, 100000, false, false});
    assert_in_range(seen.turns, CTAS + 1, UINT64_MAX);
}

static void barrier_objects_copies_and_clusters_of_sm_90(void **state)
{
    static const char pipelines[] = "tests/gpu/cubin/pipelines", clusters[] = "tests/gpu/cubin/clusters";
    (void)state;
    recorded_and_compared(&(struct what){pipelines, "stores", 3, 128, 9, false, false}, "h200", 90);
    recorded_and_compared(&(struct what){pipelines, "ring", 8, 64, 5, false, false}, "h200", 90);
    recorded_and_compared(&(struct what){pipelines, "spread", 8, 64, 5, false, false}, "h200", 90);
    recorded_and_compared(&(struct what){clusters, "ring", 8, 64, 4, false, false}, "h200", 90);
    recorded_and_compared(&(struct what){clusters, "phases", 8, 64, 4, false, false}, "h200", 90);
}

UNIT_TESTS(UNIT(arrivals_at_named_barriers_and_naps), UNIT(copies_to_shared_memory_that_fill_in_zeros),
           UNIT(cache_policies), UNIT(divergent_branches_and_early_exits),
           UNIT(lanes_of_one_access_in_different_memories), UNIT(atomics_on_generic_pointers),
           UNIT(barrier_objects_and_address_queries), UNIT(a_recursion_on_a_stack_in_local_memory),
           UNIT(indirect_calls_and_functions_of_the_driver), UNIT(the_ctas_of_a_cooperative_grid),
           UNIT(ctas_that_are_put_aside_while_they_wait), UNIT(barrier_objects_copies_and_clusters_of_sm_90))
