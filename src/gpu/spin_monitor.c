#include "gpu/spin_monitor.h"

#include <stdlib.h>

#include "exec/exec.h"
#include "gpu/timed.h"

void spin_monitor_begin(struct spin_monitor *s, const struct gpu_options *options)
{
    spin_monitor_free(s);
    s->after = options->spins.after ? options->spins.after : SPIN_AFTER_CYCLES;
}

void spin_monitor_free(struct spin_monitor *s)
{
    free(s->warp);
    *s = (struct spin_monitor){0};
}

/* The kernel, when it is alone and has registers that can be looked at. */
static const struct kernel_run *subject(const struct timed *t)
{
    const struct kernel_run *k = t->kernels;
    return k && t->in_flight == 1 && !k->ended && !k->next && k->launch.machine.each_warp ? k : NULL;
}

static void take_warp(void *self, const struct exec_warp *warp)
{
    struct spin_monitor *s = self;
    if (s->count == s->room) {
        uint32_t room = s->room ? 2 * s->room : 64;
        struct spin_monitor_warp *grown = realloc(s->warp, room * sizeof *grown);
        s->wrong |= !grown;
        if (!grown)
            return;
        s->warp = grown;
        s->room = room;
    }
    struct spin_monitor_warp *w = &s->warp[s->count++];
    *w = (struct spin_monitor_warp){.warp = warp, .back = spin_waits(warp), .branches = warp->backward_branches};
    if (!w->back) {
        w->pc = exec_pc(warp);
        w->state = spin_state(warp);
    }
}

static void compare_warp(void *self, const struct exec_warp *warp)
{
    struct spin_monitor *s = self;
    struct spin_monitor_warp *w = s->seen < s->count ? &s->warp[s->seen++] : NULL;
    s->wrong |= !w || w->warp != warp;
    if (s->wrong || w->back)
        return;
    if (spin_waits(warp)) {
        s->wrong = true;
        return;
    }
    w->moved |= exec_pc(warp) != w->pc || warp->backward_branches != w->branches;
    if (!w->moved || exec_pc(warp) != w->pc)
        return;
    w->back = spin_state(warp) == w->state;
    s->wrong = !w->back;
}

static void add_warp(void *self, const struct exec_warp *warp) { spin_add(self, warp); }

static void tell(struct timed *t, const struct kernel_run *k, const struct gpu_options *options)
{
    struct spin_monitor *s = &t->spin;
    struct spin_report report = {0};
    k->launch.machine.each_warp(k->launch.machine.self, t, add_warp, &report);
    s->looks = 0;
    if (report.loops == 0)
        return;
    s->told = s->holds = true;
    spin_text(&report, t->now - s->moved, "cycles", s->text);
    spin_monitor_again(t, options);
}

static void look(struct timed *t, const struct kernel_run *k, const struct gpu_options *options)
{
    struct spin_monitor *s = &t->spin;
    uint32_t back = 0;
    s->seen = 0;
    k->launch.machine.each_warp(k->launch.machine.self, t, compare_warp, s);
    for (uint32_t i = 0; i < s->count; i++)
        back += s->warp[i].back;
    s->looks = s->wrong || s->seen != s->count ? 0 : s->looks - 1;
    if (s->looks > 0 && back == s->count)
        tell(t, k, options);
    else if (s->looks == 0)
        s->after *= 2;
}

void spin_monitor_check(struct timed *t, const struct gpu_options *options)
{
    struct spin_monitor *s = &t->spin;
    const struct kernel_run *k = subject(t);
    uint64_t ctas = k ? k->scheduler.next + k->scheduler.done : 0;
    if (!k || !options->spins.tell)
        return;
    if (ctas != s->ctas || s->moved == 0) {
        s->ctas = ctas;
        s->moved = t->now;
        s->looks = 0;
        s->holds = false;
    } else if (s->looks > 0) {
        look(t, k, options);
    } else if (!s->told && t->now - s->moved >= s->after) {
        s->count = 0;
        s->wrong = false;
        k->launch.machine.each_warp(k->launch.machine.self, t, take_warp, s);
        s->looks = s->wrong ? 0 : SPIN_LOOKS;
    }
}

void spin_monitor_again(const struct timed *t, const struct gpu_options *options)
{
    const struct kernel_run *k = subject(t);
    if (k && t->spin.holds)
        options->spins.tell(options->spins.self, k->launch.kernel, t->spin.text);
}
