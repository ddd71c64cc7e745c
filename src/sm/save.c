#include "sm/save.h"

#include "sm/issue/scoreboard.h"

/* ---- caches ------------------------------------------------------------------------------------------------------ */

static void l1_archive(struct archive *a, struct l1 *l1)
{
    archive_keep(a, &l1->config);
    archive_keep(a, &l1->tags.config);
    archive_array(a, &l1->tags.lines, l1->tags.room);
    archive_array(a, &l1->tags.set, l1->tags.room);
    archive_array(a, &l1->mshr, MSHR_TABLE);
    archive_array(a, &l1->waiter, MSHR_WAITERS);
}

static void caches_archive(struct archive *a, struct sm *sm)
{
    l1i_archive(a, &sm->l1i);
    l15_archive(a, &sm->l15);
    constant_vl_archive(a, &sm->ldc_constants);
    l1_archive(a, &sm->l1);
}

static void port_archive(struct archive *a, struct port *p)
{
    archive_keep(a, &p->to);
    archive_keep(a, &p->utlb.config);
    archive_array(a, &p->utlb.entry, p->utlb.config->entries);
    archive_room(a, NULL, &p->in.heap, &p->in.room, &p->in.count);
    archive_room(a, NULL, &p->out.request, &p->out.room, &p->out.count);
}

/* ---- the SM ------------------------------------------------------------------------------------------------------ */

static void accesses_archive(struct archive *a, const struct sm *sm, struct pending_table *t)
{
    archive_begin(a, "accesses", t->access, t->records * sizeof *t->access);
    for (unsigned i = 0; i < t->records; i++) {
        archive_entry(a, &t->access[i].code, sm->code.code, sm->code.count + 1u);
        archive_keep(a, &t->access[i].line);
    }
    archive_end(a);
}

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
    archive_keep(a, &sm->lsu.table.access);
    archive_array(a, &sm->lsu.table.line, sm->lsu.table.records * 32);
    port_archive(a, &sm->port);
    archive_array(a, &sm->lines, sm->lines ? sm->code.count + 1u : 0);
    archive_end(a);
    accesses_archive(a, sm, &sm->lsu.table);
}
