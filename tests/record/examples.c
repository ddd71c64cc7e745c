/* Every example: the record is equal to the execution, and to that of a second run. */
#include "rig.h"

#include <unistd.h>

static void run_all(const char *gpu)
{
    size_t count;
    const struct example *examples = example_list(&count);
    struct rig *r = malloc(sizeof *r);
    assert_non_null(r);
    for (size_t i = 0; i < count; i++) {
        char path[128];
        snprintf(path, sizeof path, "record-examples-%s.trace", gpu);
        rig_begin(r, gpu, path, true);
        rig_example(r, &examples[i]);
        rig_end(r);
        rig_begin(r, gpu, path, false);
        rig_example(r, &examples[i]);
        rig_end(r);
        assert_in_range(r->check.seen.instructions, 1000, UINT64_MAX);
        unlink(path);
    }
    free(r);
}

static void examples_of_sm_80_are_recorded_as_they_execute(void **state)
{
    (void)state;
    run_all("a100");
}

static void examples_of_sm_86_are_recorded_as_they_execute(void **state)
{
    (void)state;
    run_all("rtx-a6000");
}

static void examples_of_sm_90_are_recorded_as_they_execute(void **state)
{
    (void)state;
    run_all("h200");
}

UNIT_TESTS(UNIT(examples_of_sm_80_are_recorded_as_they_execute), UNIT(examples_of_sm_86_are_recorded_as_they_execute),
           UNIT(examples_of_sm_90_are_recorded_as_they_execute))
