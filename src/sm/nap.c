#include "sm/nap.h"

#include <assert.h>

#include "sm/issue.h"
#include "sm/sm.h"

void nap_count(struct sm *sm, unsigned partition)
{
    struct nap *nap = &sm->partition[partition].nap;
    if (!nap->until || nap->from == sm->now)
        return;
    assert(nap->from < sm->now);
    issue_idle(sm, partition, nap->eligible, nap->from, sm->now - nap->from);
    nap->from = sm->now;
}

void nap_over(struct sm *sm, unsigned partition)
{
    nap_count(sm, partition);
    sm->partition[partition].nap.until = 0;
}
