#include "sm/wire.h"

#include "sm/sm.h"

static void wire_subcore(struct sm *sm, unsigned subcore)
{
    struct subcore *p = &sm->subcore[subcore];
    p->attribution = (struct attribution_ports){.scheduler = &p->scheduler,
                                                .units = &p->units,
                                                .choice = &sm->unit_choice,
                                                .warp = sm->warp,
                                                .code = &sm->code,
                                                .lines = &sm->lines,
                                                .n = &sm->n,
                                                .subcore = (uint8_t)subcore};
    p->nap.to = (struct nap_ports){.attribution = &p->attribution, .now = &sm->now};
    sm->gates.subcore[subcore] = (struct warp_gate){&p->scheduler, &p->nap};
}

void sm_wire(struct sm *sm)
{
    for (unsigned subcore = 0; subcore < SM_SUBCORES; subcore++)
        wire_subcore(sm, subcore);
    sm->retire.to = (struct retire_ports){&sm->calendar, &sm->code, &sm->observer, sm->id};
}
