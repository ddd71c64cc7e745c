#include "cli/compare/published_window.h"

struct published_window published_window(uint64_t ctas, uint32_t sms, uint32_t gpu_sms, uint32_t ctas_per_sm,
                                         uint64_t waves)
{
    uint64_t wave = (uint64_t)ctas_per_sm * sms, all = (ctas * sms + gpu_sms - 1) / gpu_sms;
    struct published_window w = {.second = all, .ctas = all, .share = (double)ctas * sms / gpu_sms};
    if (all <= PUBLISHED_WHOLE * wave)
        return w;
    uint64_t there = all / wave, rest = all % wave, most = 1 + 2 * waves < there ? 1 + 2 * waves : there;
    w.first = wave * (1 + (most - 1) / 2) + rest;
    w.second = wave * most + rest;
    return w;
}
