#include "sm/scheduler/nap.h"

#include <assert.h>

void nap_count(struct nap *nap)
{
    uint64_t now = *nap->to.now;
    if (!nap->until || nap->from == now)
        return;
    assert(nap->from < now);
    attribute_idle(nap->to.attribution, nap->eligible, nap->from, now - nap->from);
    nap->from = now;
}

void nap_over(struct nap *nap)
{
    nap_count(nap);
    nap->until = 0;
}
