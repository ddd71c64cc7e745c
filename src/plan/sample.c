#include "plan/sample.h"

#include <math.h>
#include <stdlib.h>

#include "base/hash.h"

#define NORMAL 1.96 /* quantile of a two-sided 95 % interval */
#define MARGIN 0.7  /* share of the asked error that the choice counts with */
#define FIRST_SPREAD 0.1
#define EVIDENCE 1.25 /* a mode that one launch in twenty has is missed once in twenty programs of 2,000 launches */
/* The same if launches repeat others. With 1.25 the interval held in 903 of 1,000 programs in which one trace in twenty
 * takes three times as long, with 0.6 in 932 (tests/plan/sample.c). */
#define EVIDENCE_OF_TRACES 0.6

enum { FIRST_PAIRS = 2, KERNEL_PAIRS = 4 };

/* ---- groups ------------------------------------------------------------------------------------------------------ */

static struct sample_group *find(const struct sample_choice *c, uint64_t likeness)
{
    size_t index = keys_find(&c->likenesses, likeness);
    return index < KEYS_NONE ? &c->groups[index] : NULL;
}

/* Room for the launch is made first: keys and items stay in step. */
static bool make_room(struct sample_choice *c)
{
    void *groups = keys_items(c->groups, &c->group_room, c->likenesses.count + 1, sizeof *c->groups);
    c->groups = groups ? groups : c->groups;
    void *kernels = keys_items(c->kernels, &c->kernel_room, c->names.count + 1, sizeof *c->kernels);
    c->kernels = kernels ? kernels : c->kernels;
    return groups && kernels;
}

static struct sample_group *add_group(struct sample_choice *c, uint64_t kernel, uint64_t likeness)
{
    size_t own = make_room(c) ? keys_add(&c->names, kernel) : KEYS_NONE;
    size_t index = own < KEYS_NONE ? keys_add(&c->likenesses, likeness) : KEYS_NONE;
    if (index == KEYS_NONE)
        return NULL;
    c->groups[index].kernel = own;
    return &c->groups[index];
}

void sample_forget(struct sample_choice *choice)
{
    free(choice->groups);
    free(choice->kernels);
    keys_free(&choice->likenesses);
    keys_free(&choice->names);
    *choice = (struct sample_choice){.error = choice->error};
}

/* ---- the choice -------------------------------------------------------------------------------------------------- */

bool sample_takes(struct sample_choice *choice, uint64_t kernel, uint64_t likeness)
{
    struct sample_group *group = find(choice, likeness);
    if (!group)
        group = add_group(choice, kernel, likeness);
    return !group || group->seen++ >= group->next;
}

/* Standard deviation of the group's cycles. */
static double spread(const struct sample_choice *c, const struct sample_group *g)
{
    const struct sample_kernel *k = &c->kernels[g->kernel];
    double of_kernel = (k->squares + FIRST_PAIRS * FIRST_SPREAD * FIRST_SPREAD) / (double)(k->pairs + FIRST_PAIRS);
    return fit_mean(&g->fit) * sqrt((g->squares + KERNEL_PAIRS * of_kernel) / (double)(g->pairs + KERNEL_PAIRS));
}

/* The program so far. */
struct so_far {
    double cycles, of_kernel; /* of all launches; of one kernel's */
    double cost;              /* sum of N s sqrt(t) */
};

static struct so_far look(const struct sample_choice *c, size_t kernel)
{
    struct so_far sum = {.cycles = c->repeated};
    for (size_t i = 0; i < c->likenesses.count; i++) {
        const struct sample_group *g = &c->groups[i];
        if (g->fit.points == 0)
            continue;
        double mean = fit_mean(&g->fit), cycles = (double)g->seen * mean;
        sum.cycles += cycles;
        sum.of_kernel += g->kernel == kernel ? cycles : 0;
        sum.cost += (double)g->seen * spread(c, g) * sqrt(mean);
    }
    return sum;
}

/* One launch of how many is timed. */
static double stride(const struct sample_choice *c, const struct sample_group *g)
{
    struct so_far sum = look(c, g->kernel);
    double target = MARGIN * c->error * sum.cycles / NORMAL;
    double share = spread(c, g) / sqrt(fit_mean(&g->fit)) * sum.cost / (target * target);
    double rate = c->repeated > 0 ? EVIDENCE_OF_TRACES : EVIDENCE;
    double evidence = rate * (double)(c->kernels[g->kernel].pairs + 1) * sum.cycles / sum.of_kernel;
    return share * evidence > 1 ? fmax(1, 1 / share) : evidence;
}

static void add_pair(struct sample_kernel *k, struct sample_group *g, double cycles, double instructions)
{
    struct fit_line line = fit_line(&g->fit);
    double now = cycles - fit_at(line, instructions), before = g->y - fit_at(line, g->x);
    double difference = (now - before) / fit_mean(&g->fit), square = difference * difference / 2;
    g->squares += square;
    k->squares += square;
    g->pairs++;
    k->pairs++;
}

void sample_told(struct sample_choice *choice, uint64_t likeness, double cycles, double instructions)
{
    struct sample_group *g = find(choice, likeness);
    if (!g || !(cycles > 0) || !(instructions > 0))
        return;
    fit_add(&g->fit, instructions, cycles);
    if (g->fit.points > 1)
        add_pair(&choice->kernels[g->kernel], g, cycles, instructions);
    g->x = instructions;
    g->y = cycles;
    /* The place is random within a stride, so that no period of the program can coincide with it. */
    uint64_t length = (uint64_t)fmin(stride(choice, g), 1e6);
    g->next = g->seen;
    if (length > 1)
        g->next += length / 2 + hash_mix(likeness ^ hash_mix(g->seen)) % length;
}

void sample_repeated(struct sample_choice *choice, double cycles) { choice->repeated += cycles; }

double sample_expected(const struct sample_choice *choice, uint64_t likeness, double instructions)
{
    const struct sample_group *g = find(choice, likeness);
    return g && g->fit.points > 0 ? fmax(1, fit_at(fit_line(&g->fit), instructions)) : 0;
}
