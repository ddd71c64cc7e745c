#include "sm/save.h"

#include "sm/issue/scoreboard.h"
#include "sm/legacy/core.h"

void sm_archive(struct archive *a, struct sm *sm)
{
    archive_same(a, "choice of counters (--source)", sm->lines != NULL);
    archive_begin(a, "sm", sm, sizeof *sm);
    archive_keep(a, &sm->config);
    archive_keep(a, &sm->code);
    archive_keep(a, &sm->source);
    archive_keep(a, &sm->observer);
    archive_keep(a, &sm->log);
    archive_keep(a, &sm->legacy);
#define SAVE_OWN(name, type) type##_archive(a, &sm->name);
#define SAVE_PORTS(name, type) archive_keep(a, &sm->name.to);
#define SAVE_ALL(name, type) archive_keep(a, &sm->name);
#define SAVE_NONE(name, type)
#define X(name, type, begin, next, save, text) SAVE_##save(name, type)
    SM_UNITS(X)
#undef X
    for (unsigned p = 0; p < SM_SUBCORES; p++)
        subcore_archive(a, &sm->subcore[p]);
    archive_array(a, &sm->scoreboard, sm->scoreboard ? SM_WARPS : 0);
    archive_array(a, &sm->lines, sm->lines ? sm->code.count + 1u : 0);
    archive_end(a);
    if (sm->legacy)
        legacy_core_archive(a, sm->legacy);
    lsu_archive_accesses(a, &sm->lsu);
    tma_archive_commands(a, &sm->tma);
}
