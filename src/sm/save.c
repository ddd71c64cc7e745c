#include "sm/save.h"

#include "sm/issue/scoreboard.h"

/* ---- caches ------------------------------------------------------------------------------------------------------ */

static void caches_archive(struct archive *a, struct sm *sm)
{
    l1i_archive(a, &sm->l1i);
    l15_archive(a, &sm->l15);
    constant_vl_archive(a, &sm->ldc_constants);
}

/* ---- the SM ------------------------------------------------------------------------------------------------------ */

void sm_archive(struct archive *a, struct sm *sm)
{
    archive_same(a, "choice of counters (--source)", sm->lines != NULL);
    archive_begin(a, "sm", sm, sizeof *sm);
    archive_keep(a, &sm->config);
    archive_keep(a, &sm->code);
    archive_keep(a, &sm->source);
    archive_keep(a, &sm->observer);
    archive_keep(a, &sm->gates);
    archive_keep(a, &sm->retire.to);
    archive_keep(a, &sm->barriers);
    archive_keep(a, &sm->fp64.path);
    for (unsigned p = 0; p < SM_SUBCORES; p++)
        subcore_archive(a, &sm->subcore[p]);
    caches_archive(a, sm);
    archive_array(a, &sm->scoreboard, sm->scoreboard ? SM_WARPS : 0);
    lsu_archive(a, &sm->lsu);
    port_archive(a, &sm->port);
    archive_array(a, &sm->lines, sm->lines ? sm->code.count + 1u : 0);
    archive_end(a);
    lsu_archive_accesses(a, &sm->lsu, &sm->code);
}
