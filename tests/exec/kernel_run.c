#include "kernel_run.h"

#include "base/file.h"
#include "deferred_run.h"
#include "tests/launch_begin.h"
#include "tests/unit.h"

void kernel_run(struct kernel_run *r, const char *kernel, uint32_t threads)
{
    struct exec_launch launch;
    struct exec_totals totals;
    struct status status = {0};
    const uint64_t arguments[2] = {r->argument, r->object};
    const struct cubin_kernel *found = cubin_find_kernel(&r->module.cubin, kernel, &status);
    bool ok =
        found && launch_begin(&launch, &r->module, kernel, (struct exec_dim){1, 1, 1}, (struct exec_dim){threads, 1, 1},
                              0, arguments, found->parameter_bytes, 8, 256, &status);
    if (ok) {
        ok = r->seed ? deferred_run(&launch, r->seed, &totals, &status)
                     : exec_run(&launch, NULL, NULL, NULL, &totals, &status);
        exec_launch_end(&launch);
    }
    if (!ok)
        fail_msg("sm_%u, seed %u: %s", r->sm, (unsigned)r->seed, status.text);
}

void kernel_run_each(const char *name, const unsigned *architectures, unsigned count,
                     void (*check)(struct kernel_run *r))
{
    enum { SEEDS = 3 };
    for (unsigned i = 0; i < count * SEEDS; i++) {
        struct kernel_run r = {.sm = architectures[i / SEEDS], .seed = i % SEEDS};
        struct status status = {0};
        struct file_bytes file;
        char path[4096], place[96];
        snprintf(place, sizeof place, "tests/exec/cubin/%s.sm_%u.cubin", name, r.sm);
        assert_true(file_read(unit_path(path, place), 1 << 20, &file, &status));
        r.memory = memory_create(1 << 24, &status);
        assert_non_null(r.memory);
        assert_true(exec_module_load(&r.module, r.memory, (struct cubin_bytes){file.data, file.size}, place, &status));
        r.argument = memory_alloc(r.memory, 4 * KERNEL_WORDS);
        r.out = (uint32_t *)(void *)memory_at(r.memory, r.argument);
        check(&r);
        exec_module_unload(&r.module);
        memory_destroy(r.memory);
        file_free(&file);
    }
}
