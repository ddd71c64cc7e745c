#include "gpu/placement.h"

#include <stdatomic.h>

#include "base/bits.h"
#include "base/order.h"
#include "gpu/grid_parts.h"
#include "gpu/placement_policy.h"
#include "gpu/tenants.h"
#include "gpu/timed.h"

/* SMs that are worth the waking of a team. The result is the same. */
enum { FEW = 4 };

/* Where SMs are not shared, one of a kernel that waits is empty only between two timed parts of its grid. */
static bool is_free(const struct timed *t, const struct kernel_run *k, uint32_t index)
{
    const struct timed_sm *s = &t->sms[index];
    if (index >= t->used)
        return true;
    const struct kernel_run *holder = tenants_first(s);
    return (k->shares || holder == k || !kernel_run_waits(holder)) && s->sm.ctas == 0 && s->queue.count == 0 &&
           port_quiet(&s->sm.port) && lsu_acknowledged(&s->sm.lsu);
}

static uint64_t free_from(const struct timed *t, uint32_t index)
{
    return index < t->used ? t->sms[index].free_from : 0;
}

/* Whether a kernel that follows a schedule takes an SM: it has CTAs for that, or for one behind it. The SMs that belong
 * to kernels are the first ones. */
static bool has_use(const struct timed *t, const struct kernel_run *k, uint32_t index)
{
    if (!kernel_run_follows(k) || k->follow.left[index] > 0)
        return true;
    for (uint32_t i = index + 1; index >= t->used && i < t->config->gpu.sms; i++)
        if (k->follow.left[i] > 0)
            return true;
    return false;
}

/* By time, then by number. */
static uint32_t find_free(const struct timed *t, const struct kernel_run *k, uint16_t sm[TOPOLOGY_SMS])
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < t->config->gpu.sms; i++) {
        if (!is_free(t, k, i) || !has_use(t, k, i))
            continue;
        uint32_t place = count++;
        for (; place > 0 && free_from(t, sm[place - 1]) > free_from(t, i); place--)
            sm[place] = sm[place - 1];
        sm[place] = (uint16_t)i;
    }
    return count;
}

static void widen(struct timed *t, uint32_t used)
{
    for (; t->used < used; t->used++) {
        t->sms[t->used].tenants = (struct tenants){0};
        t->sms[t->used].free_from = 0;
    }
    front_widen(t);
}

/* SMs begin a kernel side by side: they share nothing, and most of its cost is memory that the host gives them. */
struct beginning {
    struct timed *t;
    struct kernel_run *k;
    const uint16_t *sm;
    uint32_t count; /* of these */
    uint64_t left;  /* CTAs */
    atomic_bool failed;
    struct status *status; /* of the first that did */
};

static void begin_task(void *context, unsigned index)
{
    struct beginning *b = context;
    struct status status = {0};
    uint64_t share =
        kernel_run_follows(b->k) ? b->k->follow.left[b->sm[index]] : b->left / b->count + (index < b->left % b->count);
    uint32_t most = b->k->occupancy->ctas_per_sm;
    if (b->t->hybrid.on) /* CTAs of the only SM come one by one */
        share = most;
    uint32_t ctas = b->k->launch.cta_group == 1 && share < most ? (uint32_t)share : most;
    bool ok = kernel_run_take(b->t, b->k, b->sm[index], ctas, &status);
    b->t->free_slots[b->sm[index]] = ctas < SM_CTAS ? (UINT32_C(1) << ctas) - 1 : UINT32_MAX;
    if (!ok && !atomic_exchange(&b->failed, true))
        *b->status = status;
}

static bool begin_sms(struct timed *t, struct kernel_run *k, const uint16_t *sm, uint32_t count, struct status *status)
{
    uint64_t left = k->scheduler.total - k->scheduler.next;
    struct beginning b = {.t = t, .k = k, .sm = sm, .count = count, .left = left, .status = status};
    for (uint32_t i = 0; i < count; i++) {
        if (!kernel_run_make_sm(t, sm[i], status))
            return false;
        tenants_leave(t, sm[i]);
    }
    k->sms += count;
    if (count >= FEW)
        team_run(t->team, count, begin_task, &b);
    else
        for (uint32_t i = 0; i < count; i++)
            begin_task(&b, i);
    return !b.failed;
}

/* ---- CTA groups -------------------------------------------------------------------------------------------------- */

_Static_assert((int)CTA_GROUP_MOST == (int)EXEC_CTA_GROUP, "CTAs of a group");

static const struct placement_policy *policy_of(const struct kernel_run *k)
{
    return kernel_run_follows(k) ? &placement_scheduled : &placement_in_turn;
}

static uint32_t bit(uint32_t slot) { return UINT32_C(1) << slot; }

/* The SMs that a kernel can use now, and the slots in which they can take its CTAs. Where an SM is shared these are
 * counted on from the CTAs that it has. */
struct board {
    uint16_t sm[TOPOLOGY_SMS];
    uint32_t count;
    uint32_t free[TOPOLOGY_SMS];
};

static struct placement_view view_of(const struct timed *t, const struct kernel_run *k, const struct board *board)
{
    return (struct placement_view){.group = k->launch.cta_group,
                                   .slots = k->shares ? SM_CTAS : k->occupancy->ctas_per_sm,
                                   .count = board->count,
                                   .sm = board->sm,
                                   .free = board->free,
                                   .scheduled = kernel_run_follows(k) ? k->follow.left : NULL,
                                   .gpc = mem_network(t->mem)->model.noc->topology.gpc};
}

typedef uint64_t hand_out_function(struct cta_scheduler *, struct cta_queue *, const struct cta_placement *,
                                   uint64_t from);

/* Tells the CTAs of a cluster where the others are. They begin in one cycle, the latest of theirs. */
static void join(struct timed *t, const struct kernel_run *k, const struct cta_place *place,
                 struct cta_start *const *start, uint64_t cycle)
{
    uint32_t size = k->launch.cta_group;
    struct cluster_place cluster = {.number = (uint64_t)k->number << 40 | start[0]->order / size,
                                    .size = (uint8_t)size};
    for (uint32_t i = 0; i < size; i++)
        cluster.member[i] = (struct cluster_member){place[i].sm, start[i]->place.slot};
    for (uint32_t i = 0; i < size; i++) {
        struct cta_queue *queue = &t->sms[place[i].sm].queue;
        cluster.rank = (uint8_t)i;
        start[i]->cluster = cluster;
        start[i]->cycle = cycle;
        queue->port_free = latest(queue->port_free, cycle);
    }
}

/* The place that a policy has chosen. On an SM with CTAs of one kernel the name is exact. */
static bool choose(struct timed *t, struct kernel_run *k, const struct cta_place *chosen, struct cta_placement *place,
                   struct status *status)
{
    struct timed_sm *s = &t->sms[chosen->sm];
    uint32_t warps = k->launch.warps_per_cta;
    if (!tenants_alone(s, k))
        return tenants_choose(t, chosen->sm, k, place, status);
    t->free_slots[chosen->sm] &= ~bit(chosen->slot);
    *place = (struct cta_placement){.slot = (uint8_t)chosen->slot,
                                    .first_warp = (uint16_t)(chosen->slot * warps),
                                    .warps = (uint16_t)warps,
                                    .waits = k->waits};
    return true;
}

static bool note_place(struct timed *t, const struct kernel_run *k, uint64_t cta, uint16_t sm, struct status *status)
{
    return cta_schedule_add(&t->places->launch[k->number], (struct cta_schedule_entry){cta, sm}) ||
           status_fail(status, STATUS_MEMORY, "out of memory for the places of CTAs");
}

/* The CTAs of the grid's next group start here at `cycle`, or later as the scheduler says. */
static bool hand_out(struct timed *t, struct kernel_run *k, const struct cta_place *place, uint64_t cycle,
                     hand_out_function *begin, struct status *status)
{
    struct cta_start *start[CTA_GROUP_MOST];
    struct cta_placement at;
    uint64_t last = 0;
    if (k->first_cta == UINT64_MAX && k->launched > 0)
        mem_counters(t->mem, &k->before);
    for (uint32_t i = 0; i < k->launch.cta_group; i++) {
        struct timed_sm *s = &t->sms[place[i].sm];
        if (!choose(t, k, &place[i], &at, status))
            return false;
        tenants_take(s, &at);
        last = latest(last, begin(&k->scheduler, &s->queue, &at, cycle));
        start[i] = &s->queue.start[s->queue.count - 1];
        if (kernel_run_follows(k))
            start[i]->order = cta_follow_take(&k->follow, place[i].sm);
        if (t->places && !note_place(t, k, start[i]->order, place[i].sm, status))
            return false;
    }
    if (k->launch.cta_group > 1)
        join(t, k, place, start, last);
    for (uint32_t i = 0; i < k->launch.cta_group; i++)
        front_wake(t, place[i].sm, start[i]->cycle);
    k->first_cta = earliest(cycle, k->first_cta);
    return true;
}

/* All CTAs of a group start when the last of their SMs can take one. */
static bool begin_group(struct timed *t, struct kernel_run *k, const struct cta_place *place, struct status *status)
{
    uint64_t from = latest(k->launched + k->latency, t->now);
    for (uint32_t i = 0; i < k->launch.cta_group; i++)
        from = latest(from, t->sms[place[i].sm].free_from);
    return hand_out(t, k, place, from, cta_scheduler_place, status);
}

/* Slots of an SM for the kernel's CTAs, beside those that it has. */
static uint32_t left_slots(const struct timed *t, const struct kernel_run *k, uint32_t index)
{
    const struct timed_sm *s = &t->sms[index];
    if (tenants_alone(s, k))
        return t->free_slots[index];
    uint32_t room = k->shares ? tenants_room(t, index, k) : 0;
    uint64_t slots = ((UINT64_C(1) << room) - 1) << s->tenants.count;
    return (uint32_t)slots;
}

/* SMs, beside those of the board, with slots in which no group has fitted, or that others have left. */
static void add_partly_free(const struct timed *t, const struct kernel_run *k, struct board *board)
{
    bool listed[TOPOLOGY_SMS] = {false};
    for (uint32_t i = 0; i < board->count; i++) {
        listed[board->sm[i]] = true;
        board->free[board->sm[i]] = t->free_slots[board->sm[i]];
    }
    for (uint32_t i = 0; (k->launch.cta_group > 1 || k->shares) && i < t->used; i++) {
        if (listed[i])
            continue;
        board->free[i] = left_slots(t, k, i);
        if (board->free[i])
            board->sm[board->count++] = (uint16_t)i;
    }
}

static void strike_out(struct board *board, const struct kernel_run *k, const struct cta_place *place)
{
    for (uint32_t i = 0; i < k->launch.cta_group; i++)
        board->free[place[i].sm] &= ~bit(place[i].slot);
}

/* SMs on which nothing is under way become the kernel's. Single CTAs take no more SMs than there are CTAs. Groups take
 * all, because each needs several of one GPC. */
static bool take_free(struct timed *t, struct kernel_run *k, struct board *board, struct status *status)
{
    uint64_t left = k->scheduler.total - k->scheduler.next;
    uint32_t used = t->used;
    board->count = t->hybrid.on && t->used > 0 ? 0 : find_free(t, k, board->sm);
    if (t->hybrid.on)
        left = board->count > 0;
    if (board->count > left && k->launch.cta_group == 1 && !kernel_run_follows(k))
        board->count = (uint32_t)left;
    for (uint32_t i = 0; i < board->count; i++)
        used = board->sm[i] >= used ? board->sm[i] + 1u : used;
    if (used > t->used)
        widen(t, used);
    return board->count == 0 || begin_sms(t, k, board->sm, board->count, status);
}

static bool place(struct timed *t, struct kernel_run *k, struct status *status)
{
    struct board board = {.count = 0};
    struct cta_place place[CTA_GROUP_MOST];
    if (!kernel_run_waits(k))
        return true;
    if (!take_free(t, k, &board, status))
        return false;
    if (board.count == 0 && !k->shares)
        return true;
    add_partly_free(t, k, &board);
    struct placement_view view = view_of(t, k, &board);
    while (kernel_run_waits(k) && policy_of(k)->first(&view, place)) {
        if (!begin_group(t, k, place, status))
            return false;
        strike_out(&board, k, place);
    }
    return grid_parts_ask(t, k, status);
}

/* ---- whose turn it is -------------------------------------------------------------------------------------------- */

/* Where kernels share SMs they take nothing before their first CTAs can start. */
static bool has_arrived(const struct timed *t, const struct kernel_run *k)
{
    return !k->shares || k->launched + k->latency < t->now + t->quantum;
}

/* The kernel whose CTAs are handed out. */
static struct kernel_run *turn(const struct timed *t)
{
    struct kernel_run *head = NULL;
    for (struct kernel_run *k = t->kernels; k; k = k->next)
        if (!k->ended && kernel_run_waits(k) && has_arrived(t, k) && (!head || k->priority < head->priority))
            head = k;
    return head;
}

uint64_t placement_next(const struct timed *t)
{
    uint64_t next = UINT64_MAX;
    for (const struct kernel_run *k = t->kernels; k; k = k->next)
        if (k->shares && !k->ended && kernel_run_waits(k) && !has_arrived(t, k))
            next = earliest(next, k->launched + k->latency);
    return next;
}

bool placement_run(struct timed *t, struct status *status)
{
    for (struct kernel_run *k = turn(t); k; k = turn(t)) {
        if (!place(t, k, status))
            return false;
        if (kernel_run_waits(k))
            break;
    }
    return true;
}

/* ---- a CTA has ended --------------------------------------------------------------------------------------------- */

/* The next CTAs of the kernel take the place, and further places that its policy lets them take. */
static bool replace(struct timed *t, struct kernel_run *k, struct cta_place freed, uint64_t start,
                    struct status *status)
{
    struct board board = {.count = 0};
    struct cta_place place[CTA_GROUP_MOST];
    if (k->launch.cta_group > 1)
        add_partly_free(t, k, &board);
    const struct placement_view view = view_of(t, k, &board);
    return !policy_of(k)->next(&view, freed, place) || hand_out(t, k, place, start, cta_scheduler_replace, status);
}

/* CTAs of the kernels whose turn it is take the room that the SM has left. Groups wait for the next round. */
static bool fill(struct timed *t, uint32_t index, uint64_t start, struct status *status)
{
    for (struct kernel_run *k = turn(t); k && k->shares && k->launch.cta_group == 1; k = turn(t)) {
        uint32_t slots = left_slots(t, k, index);
        if (!slots || (kernel_run_follows(k) && k->follow.left[index] == 0))
            return true;
        struct cta_place place = {(uint16_t)index, (uint16_t)lowest_bit32(slots)};
        if (!hand_out(t, k, &place, start, cta_scheduler_replace, status))
            return false;
    }
    return true;
}

bool placement_cta_ended(struct timed *t, uint32_t index, const struct sm_finished *f, struct status *status)
{
    struct timed_sm *s = &t->sms[index];
    struct kernel_run *k = tenants_of_slot(s, f->cta_slot);
    uint64_t start = latest(f->cycle + t->config->launch.cta_latency, t->end);
    if (tenants_alone(s, k))
        t->free_slots[index] |= bit(f->cta_slot);
    tenants_release(t, index, f->cta_slot);
    if (t->log)
        run_log_cta(t->log, (uint16_t)index, (uint16_t)f->cta_slot, f->linear, s->began[f->cta_slot], f->cycle);
    s->free_from = start;
    front_wake(t, index, start);
    k->scheduler.done++;
    k->preexits += !f->preexited;
    k->preexit_cycle = f->preexited ? k->preexit_cycle : latest(k->preexit_cycle, f->cycle);
    k->last_cta_end = latest(k->last_cta_end, f->cycle);
    bool ok = true;
    if (tenants_alone(s, k) && kernel_run_waits(k) && (!t->shares || turn(t) == k))
        ok = replace(t, k, (struct cta_place){(uint16_t)index, (uint16_t)f->cta_slot}, start, status);
    else if (t->shares)
        ok = fill(t, index, start, status);
    return ok && grid_parts_ask(t, k, status);
}
