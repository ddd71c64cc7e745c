#include "trace/predict.h"

#include <stdlib.h>

bool trace_predictor_init(struct trace_predictor *p, uint32_t flows, uint32_t accesses)
{
    *p = (struct trace_predictor){.flows = flows < TRACE_FLOW_SLOTS ? flows : TRACE_FLOW_SLOTS,
                                  .accesses = accesses < TRACE_ACCESS_SLOTS ? accesses : TRACE_ACCESS_SLOTS};
    p->flow = calloc(p->flows + 1u, sizeof *p->flow);
    p->access = calloc(p->accesses + 1u, sizeof *p->access);
    if (p->flow && p->access)
        return true;
    trace_predictor_free(p);
    return false;
}

void trace_predictor_free(struct trace_predictor *p)
{
    free(p->flow);
    free(p->access);
    free(p->transfer);
    *p = (struct trace_predictor){0};
}

void trace_predictor_start(struct trace_predictor *p, uint32_t flows, uint32_t accesses, uint32_t pc, uint32_t path)
{
    memset(p->flow, 0, (flows < p->flows ? flows : p->flows) * sizeof *p->flow);
    memset(p->access, 0, (accesses < p->accesses ? accesses : p->accesses) * sizeof *p->access);
    if (p->transfer)
        memset(p->transfer, 0, TRACE_TRANSFERS * sizeof *p->transfer);
    p->near[0] = p->near[1] = 0;
    p->pc = pc;
    p->path = path;
}

bool trace_predictor_transfers(struct trace_predictor *p)
{
    if (!p->transfer)
        p->transfer = calloc(TRACE_TRANSFERS, sizeof *p->transfer);
    return p->transfer != NULL;
}
