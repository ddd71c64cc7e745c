#include "sm/wire.h"

#include "sm/legacy/core.h"
#include "sm/lines.h"
#include "sm/sm.h"

/* L0 -> L1 -> L1.5 -> port to the L2, for instructions and constants. */
static void wire_instructions(struct sm *sm)
{
    sm->l15.to = (struct l15_ports){&sm->port, &sm->code, &sm->n};
    sm->l1i.to.l15 = &sm->l15;
    sm->l1i.to.n = &sm->n;
    struct constant_way way = {&sm->config->constant, &sm->l1i, &sm->l15}; /* of both L0s */
    sm->ldc_constants.way = way;
    sm->ldc_constants.n = &sm->n;
    for (unsigned subcore = 0; subcore < SM_SUBCORES; subcore++) {
        struct subcore *p = &sm->subcore[subcore];
        p->constants.way = way;
        p->l0i.l1i = &sm->l1i;
        p->l0i.code = &sm->code;
        p->l0i.n = &sm->n;
        sm->l1i.to.stream[subcore] = &p->l0i.stream;
        p->fetch.to = (struct fetch_ports){.l0i = &p->l0i,
                                           .gate = &sm->gates.subcore[subcore],
                                           .order = fetch_order_policy(sm->config->core.fetch_order),
                                           .warp = sm->warp,
                                           .calendar = &sm->calendar,
                                           .core = &sm->config->core,
                                           .n = &sm->n,
                                           .subcore = (uint8_t)subcore};
    }
}

/* Scheduler -> nap -> gate. */
static void wire_gate(struct sm *sm, unsigned subcore)
{
    struct subcore *p = &sm->subcore[subcore];
    const struct config_core *core = &sm->config->core;
    scheduler_init(&p->scheduler, core->scheduler, core->scheduler_warps, p->scheduler_state);
    scheduler_renew(&p->scheduler, core->scheduler_renewal);
    p->attribution = (struct attribution_ports){.scheduler = &p->scheduler,
                                                .units = &p->units,
                                                .choice = &sm->unit_choice,
                                                .warp = sm->warp,
                                                .code = &sm->code,
                                                .lines = &sm->lines,
                                                .window = sm->window,
                                                .log = &sm->log,
                                                .n = &sm->n,
                                                .warps = sm->event_warps,
                                                .subcore = (uint8_t)subcore};
    p->nap.to = (struct nap_ports){.attribution = &p->attribution, .now = &sm->now};
    p->naps = sm->config->run.skip_idle;
    sm->gates.subcore[subcore] = (struct warp_gate){&p->scheduler, &p->nap};
}

/* Eligibility -> issue -> dependences, units, queues, memory. */
static void wire_issue(struct sm *sm, unsigned subcore)
{
    struct subcore *p = &sm->subcore[subcore];
    const struct warp_gate *gate = &sm->gates.subcore[subcore];
    const struct config_core *core = &sm->config->core;
    p->eligibility.to = (struct eligibility_ports){.gate = gate,
                                                   .dispatch = &p->dispatch,
                                                   .constants = &p->constants,
                                                   .warp = sm->warp,
                                                   .code = &sm->code,
                                                   .calendar = &sm->calendar,
                                                   .core = core,
                                                   .n = &sm->n,
                                                   .subcore = (uint8_t)subcore};
    p->dependence.to = (struct dependence_ports){.gate = gate,
                                                 .warp = sm->warp,
                                                 .scoreboard = &sm->scoreboard,
                                                 .registers = &p->registers,
                                                 .code = &sm->code,
                                                 .calendar = &sm->calendar,
                                                 .retire = &sm->retire,
                                                 .core = core,
                                                 .subcore = (uint8_t)subcore};
    p->issue = (struct issue){.fetch = &p->fetch,
                              .eligibility = &p->eligibility,
                              .gate = gate,
                              .attribution = &p->attribution,
                              .dispatch = &p->dispatch,
                              .dependence = &p->dependence,
                              .barriers = &sm->barriers,
                              .clusters = &sm->clusters,
                              .memory = &sm->lsu,
                              .objects = &sm->objects,
                              .grids = &sm->grids,
                              .products = &sm->products,
                              .tma = &sm->tma,
                              .tensor_engine = &sm->tensor_engine,
                              .retire = &sm->retire,
                              .source = &sm->source,
                              .observer = &sm->observer,
                              .issued = &sm->issued,
                              .warp = sm->warp,
                              .cta = sm->cta,
                              .code = &sm->code,
                              .calendar = &sm->calendar,
                              .core = core,
                              .n = &sm->n,
                              .window = sm->window,
                              .lines = &sm->lines,
                              .sm = sm->id,
                              .subcore = (uint8_t)subcore};
}

/* Dispatch -> input latches, queued units -> register file. */
static void wire_execution(struct sm *sm, unsigned subcore)
{
    struct subcore *p = &sm->subcore[subcore];
    const struct warp_gate *gate = &sm->gates.subcore[subcore];
    const struct config_core *core = &sm->config->core;
    p->clock.sm_at = &sm->queues_at;
    p->dispatch = (struct dispatch){.units = &p->units,
                                    .choice = &sm->unit_choice,
                                    .queues = &p->queues,
                                    .memory = &p->memory,
                                    .textures = &sm->textures,
                                    .tma = &sm->tma,
                                    .tensor_engine = &sm->tensor_engine,
                                    .registers = &p->registers,
                                    .results = &p->results,
                                    .uniform_results = &p->uniform_results,
                                    .gate = gate,
                                    .retire = &sm->retire,
                                    .products_full = &sm->products.full[subcore],
                                    .core = core,
                                    .lsu = &sm->config->lsu,
                                    .n = &sm->n,
                                    .subcore = (uint8_t)subcore};
    p->queues.to = (struct unit_ports){.core = core,
                                       .registers = &p->registers,
                                       .constants = &sm->ldc_constants,
                                       .returns = &p->returns,
                                       .gate = gate,
                                       .retire = &sm->retire,
                                       .clock = &p->clock,
                                       .fp64 = &sm->fp64,
                                       .warp = sm->warp,
                                       .code = &sm->code,
                                       .n = &sm->n};
    p->write_back.to = (struct write_back_ports){&sm->lsu.table, &p->registers.write, &sm->retire, &p->clock};
    sm->fp64.to.path[subcore] = &p->queues.fp64;
    sm->products.to.units[subcore] = &p->units;
}

/* Acceptor -> shared memory, L1, constants; all -> delivery -> return paths. */
static void wire_memory(struct sm *sm)
{
    const struct config *config = sm->config;
    struct lsu *lsu = &sm->lsu;
    lsu->to = (struct lsu_ports){.warp = sm->warp,
                                 .source = &sm->source,
                                 .objects = &sm->objects,
                                 .retire = &sm->retire,
                                 .code = &sm->code,
                                 .config = config};
    lsu->delivery = (struct delivery){.table = &lsu->table, .retire = &sm->retire};
    lsu->acceptor.to = (struct acceptor_ports){.gates = &sm->gates,
                                               .table = &lsu->table,
                                               .shared = &lsu->shared,
                                               .objects = &sm->objects,
                                               .global = &lsu->global,
                                               .config = &config->lsu,
                                               .core = &config->core,
                                               .n = &sm->n};
    for (unsigned subcore = 0; subcore < SM_SUBCORES; subcore++) {
        struct subcore *p = &sm->subcore[subcore];
        lsu->to.queue[subcore] = lsu->acceptor.to.queue[subcore] = &p->memory;
        lsu->acceptor.to.registers[subcore] = &p->registers;
        lsu->delivery.path[subcore] = &p->returns;
    }
    lsu->shared.to = (struct shared_memory_ports){&lsu->delivery, &config->shared, &config->lsu, &sm->n};
    lsu->global.to = (struct global_path_ports){.table = &lsu->table,
                                                .l1 = &lsu->l1,
                                                .data = &lsu->shared,
                                                .port = &sm->port,
                                                .copies = &lsu->copies,
                                                .delivery = &lsu->delivery,
                                                .fences = &lsu->fences,
                                                .gates = &sm->gates,
                                                .warp = sm->warp,
                                                .config = &config->l1,
                                                .lsu = &config->lsu,
                                                .n = &sm->n};
    lsu->remote = (struct remote_path){.table = &lsu->table,
                                       .shared = &lsu->shared,
                                       .port = &sm->port,
                                       .delivery = &lsu->delivery,
                                       .objects = &sm->objects,
                                       .fences = &lsu->fences,
                                       .source = &sm->source,
                                       .warp = sm->warp,
                                       .cta = sm->cta,
                                       .config = &config->shared,
                                       .n = &sm->n};
    lsu->constants.to = (struct constant_load_ports){&lsu->table, &sm->ldc_constants, &lsu->delivery, &config->lsu};
    lsu->copies = (struct async_copies){.warp = sm->warp,
                                        .table = &lsu->table,
                                        .shared = &lsu->shared,
                                        .delivery = &lsu->delivery,
                                        .objects = &sm->objects,
                                        .retire = &sm->retire,
                                        .calendar = &sm->calendar,
                                        .config = &config->lsu};
    lsu->fences.to = (struct fence_ports){sm->warp, &lsu->table, &sm->gates, &sm->calendar, &config->lsu};
}

/* Issue -> products of warpgroups -> tensor cores, shared memory. */
static void wire_products(struct sm *sm)
{
    struct warpgroup_ports *to = &sm->products.to;
    to->warp = sm->warp;
    to->cta = sm->cta;
    to->code = &sm->code;
    to->gates = &sm->gates;
    to->shared = &sm->lsu.shared;
    to->retire = &sm->retire;
    to->core = &sm->config->core;
}

/* Texture unit -> L1. Acceptor -> tensor memory -> delivery. Waits beyond the memory unit: objects in shared memory,
 * other grids. */
static void wire_waits(struct sm *sm)
{
    const struct config *config = sm->config;
    struct lsu *lsu = &sm->lsu;
    lsu->to.textures = &sm->textures;
    sm->textures.to = (struct texture_unit_ports){
        .table = &lsu->table, .global = &lsu->global, .retire = &sm->retire, .gates = &sm->gates, .config = config};
    lsu->to.tensor = &sm->tensor;
    sm->tensor.to = (struct tensor_memory_ports){.table = &lsu->table,
                                                 .delivery = &lsu->delivery,
                                                 .retire = &sm->retire,
                                                 .config = &config->tmem,
                                                 .lsu = &config->lsu,
                                                 .n = &sm->n};
    sm->grids.to = (struct grid_link_ports){&sm->gates, sm->warp, sm->cta};
    sm->objects.to = (struct mbarrier_unit_ports){.table = &lsu->table,
                                                  .shared = &lsu->shared,
                                                  .delivery = &lsu->delivery,
                                                  .gates = &sm->gates,
                                                  .source = &sm->source,
                                                  .config = &config->mbarrier,
                                                  .lsu = &config->lsu};
}

/* Bulk and tensor copies -> port, shared memory. Products of tcgen05 -> shared memory, and messages to engines of other
 * SMs. */
static void wire_engines(struct sm *sm)
{
    sm->tma.to = (struct tma_ports){.port = &sm->port,
                                    .objects = &sm->objects,
                                    .retire = &sm->retire,
                                    .source = &sm->source,
                                    .gates = &sm->gates,
                                    .warp = sm->warp,
                                    .cta = sm->cta,
                                    .noc = &sm->config->noc,
                                    .code = &sm->code,
                                    .config = &sm->config->tma,
                                    .n = &sm->n};
    sm->tensor_engine.to = (struct tensor_engine_ports){.shared = &sm->lsu.shared,
                                                        .port = &sm->port,
                                                        .retire = &sm->retire,
                                                        .source = &sm->source,
                                                        .objects = &sm->objects,
                                                        .gates = &sm->gates,
                                                        .warp = sm->warp,
                                                        .cta = sm->cta,
                                                        .config = sm->config,
                                                        .n = &sm->n};
}

/* Data and code -> port, and the replies back. */
static void wire_port(struct sm *sm)
{
    sm->port.to =
        (struct port_wires){.noc = &sm->config->noc, .n = &sm->n, .credits = sm->config->l1.mshrs, .sm = sm->id};
    port_connect(&sm->port, PORT_DATA, (struct port_receiver){&sm->lsu.global, global_path_reply});
    port_connect_peers(&sm->port, PORT_CLUSTER, (struct port_peer_receiver){&sm->clusters, cluster_barrier_hear});
    port_connect_peers(&sm->port, PORT_REMOTE, (struct port_peer_receiver){&sm->lsu.remote, remote_path_take});
    port_connect(&sm->port, PORT_CODE, (struct port_receiver){sm, sm_line_arrives});
    port_connect(&sm->port, TMA_CLIENT, (struct port_receiver){&sm->tma, tma_reply});
    port_connect_peers(&sm->port, TMA_CLIENT, (struct port_peer_receiver){&sm->tma, tma_message});
    port_connect_peers(&sm->port, ENGINE_CLIENT,
                       (struct port_peer_receiver){&sm->tensor_engine, tensor_engine_message});
}

/* Issue -> latches -> collectors -> latches -> pipelines, LD/ST unit -> port. */
static void wire_legacy(struct sm *sm)
{
    struct legacy_core *core = sm->legacy;
    const struct config *config = sm->config;
    core->fetch.to = (struct legacy_fetch_ports){config, &sm->gates, sm->warp};
    core->collectors.to = (struct legacy_collector_ports){.config = &config->legacy,
                                                          .code = &sm->code,
                                                          .gates = &sm->gates,
                                                          .in = &core->issued,
                                                          .out = &core->ready,
                                                          .n = &sm->n};
    core->pipelines.to = (struct legacy_pipeline_ports){.config = &config->legacy,
                                                        .code = &sm->code,
                                                        .in = &core->ready,
                                                        .collectors = &core->collectors,
                                                        .retire = &sm->retire,
                                                        .warp = sm->warp};
    core->memory.to = (struct legacy_load_store_ports){.config = config,
                                                       .code = &sm->code,
                                                       .in = &core->ready,
                                                       .collectors = &core->collectors,
                                                       .lsu = &sm->lsu,
                                                       .port = &sm->port,
                                                       .retire = &sm->retire,
                                                       .gates = &sm->gates,
                                                       .warp = sm->warp,
                                                       .n = &sm->n};
    for (unsigned subcore = 0; subcore < SM_SUBCORES; subcore++) {
        struct subcore *p = &sm->subcore[subcore];
        core->memory.to.dependence[subcore] = &p->dependence;
        core->scheduler[subcore].to = (struct legacy_scheduler_ports){.config = &config->legacy,
                                                                      .code = &sm->code,
                                                                      .issue = &p->issue,
                                                                      .nap = &p->nap,
                                                                      .out = &core->issued,
                                                                      .memory = &core->memory,
                                                                      .age = &core->age,
                                                                      .naps = config->run.skip_idle};
    }
    port_connect(&sm->port, PORT_DATA, (struct port_receiver){&core->memory, legacy_load_store_reply});
}

void sm_wire(struct sm *sm)
{
    wire_instructions(sm);
    for (unsigned subcore = 0; subcore < SM_SUBCORES; subcore++) {
        wire_gate(sm, subcore);
        wire_issue(sm, subcore);
        wire_execution(sm, subcore);
    }
    unit_choice_init(&sm->unit_choice, &sm->config->core);
    sm->barriers = (struct barrier_unit){sm->cta, &sm->calendar, &sm->config->core};
    sm->clusters = (struct cluster_barriers){sm->cta, &sm->calendar, &sm->port, &sm->config->core};
    sm->retire.to = (struct retire_ports){&sm->calendar, &sm->code, &sm->observer, sm->id};
    wire_memory(sm);
    wire_waits(sm);
    wire_products(sm);
    wire_engines(sm);
    wire_port(sm);
    if (sm->legacy)
        wire_legacy(sm);
}
