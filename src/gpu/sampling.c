#include "gpu/sampling.h"

#include "gpu/tenants.h"

bool sampling_begin(struct timed *t, const struct gpu_options *options, struct status *status)
{
    t->samples = options->samples;
    if (!t->samples)
        return true;
    t->next_sample = t->samples->first_period;
    return sample_series_reset(t->samples) ||
           status_fail(status, STATUS_MEMORY, "out of memory for %u samples of the counters", t->samples->most);
}

void sampling_quantum(struct timed *t)
{
    const struct kernel_run *k = t->kernels;
    if (!t->samples || t->now < t->next_sample || !k || k->ended)
        return;
    struct sample *sample = sample_series_next(t->samples);
    front_catch_up(t);
    *sample = (struct sample){.cycle = t->now, .sm = k->result->sm};
    for (uint32_t i = 0; i < t->used; i++)
        if (tenants_has(&t->sms[i], k))
            sm_counters_add(&sample->sm, &t->sms[i].sm.n);
    mem_counters(t->mem, &sample->mem);
    mem_counters_subtract(&sample->mem, &k->before);
    t->next_sample = (t->now / t->samples->period + 1) * t->samples->period;
}
