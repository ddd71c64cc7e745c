#include "sm/issue/nap.h"

#include <assert.h>

#include "sm/issue/issue.h"
#include "sm/sm.h"

void nap_count(struct sm *sm, unsigned subcore)
{
    struct nap *nap = &sm->subcore[subcore].nap;
    if (!nap->until || nap->from == sm->now)
        return;
    assert(nap->from < sm->now);
    issue_idle(sm, subcore, nap->eligible, nap->from, sm->now - nap->from);
    nap->from = sm->now;
}

void nap_over(struct sm *sm, unsigned subcore)
{
    nap_count(sm, subcore);
    sm->subcore[subcore].nap.until = 0;
}
