#include "sm/legacy/core.h"

bool legacy_core_init(struct legacy_core *core, struct arena *arena)
{
    return legacy_pipelines_init(&core->pipelines, arena) && legacy_load_store_init(&core->memory, arena);
}

void legacy_core_begin(struct legacy_core *core)
{
    legacy_fetch_begin(&core->fetch);
    core->issued = core->ready = (struct legacy_latches){0};
    legacy_collectors_begin(&core->collectors);
    legacy_pipelines_begin(&core->pipelines);
    legacy_load_store_begin(&core->memory);
    core->age = 0;
}

bool legacy_core_results(struct legacy_core *core, uint64_t now)
{
    return legacy_pipelines_write(&core->pipelines, now);
}

bool legacy_core_execute(struct legacy_core *core, uint64_t now)
{
    bool moved = core->ready.count && legacy_pipelines_cycle(&core->pipelines, now);
    return legacy_load_store_cycle(&core->memory, now) || moved;
}

bool legacy_core_read_operands(struct legacy_core *core)
{
    if (!core->issued.count && legacy_collectors_idle(&core->collectors))
        return false;
    return legacy_collectors_cycle(&core->collectors);
}

bool legacy_core_idle(const struct legacy_core *core)
{
    return !core->issued.count && !core->ready.count && !core->pipelines.count &&
           legacy_collectors_idle(&core->collectors) && legacy_load_store_idle(&core->memory);
}

void legacy_core_archive(struct archive *a, struct legacy_core *core)
{
    archive_begin(a, "legacy", core, sizeof *core);
    archive_keep(a, &core->fetch.to);
    archive_keep(a, &core->scheduler);
    archive_keep(a, &core->collectors.to);
    archive_keep(a, &core->pipelines.to);
    archive_array(a, &core->pipelines.results, LEGACY_SPAN);
    legacy_load_store_archive(a, &core->memory);
    archive_end(a);
}
