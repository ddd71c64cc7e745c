#include "probe/sample_sum.h"

#include <math.h>
#include <stdlib.h>

#include "probe/fit.h"
#include "probe/student.h"

#define NORMAL 1.96

enum { KERNEL_PAIRS = 4, PROGRAM_PAIRS = 2 };

/* A timed launch and those behind it that were not timed. */
struct stretch {
    double cycles, instructions, error;
    uint64_t skipped;
    double skipped_instructions;
};

struct sample_part {
    size_t kernel; /* of sample_sum.names */
    struct fit fit;
    struct stretch *stretches;
    size_t count, room;
    uint64_t early; /* launches before the first timed one */
    double early_instructions;
    double untimed, squares; /* launches that were not timed; the same, with m * m for m of the same trace */
    uint64_t repeats;        /* launches with the cycles of an earlier one */
    double repeats_cycles;
};

/* ---- launches ---------------------------------------------------------------------------------------------------- */

static struct sample_part *group_of(struct sample_sum *s, const struct sample_launch *launch)
{
    void *groups = keys_items(s->groups, &s->group_room, s->likenesses.count + 1, sizeof *s->groups);
    if (!groups)
        return NULL;
    s->groups = groups;
    size_t kernel = keys_add(&s->names, launch->kernel);
    size_t index = kernel < KEYS_NONE ? keys_add(&s->likenesses, launch->likeness) : KEYS_NONE;
    if (index == KEYS_NONE)
        return NULL;
    s->groups[index].kernel = kernel;
    return &s->groups[index];
}

static bool add_timed(struct sample_part *group, const struct sample_launch *launch)
{
    void *stretches = keys_items(group->stretches, &group->room, group->count + 1, sizeof *group->stretches);
    if (!stretches)
        return false;
    group->stretches = stretches;
    group->stretches[group->count++] = (struct stretch){
        .cycles = launch->cycles, .instructions = launch->instructions, .error = launch->half_width / NORMAL};
    fit_add(&group->fit, launch->instructions, launch->cycles);
    return true;
}

/* Returns how much the launch adds to the sum of m * m, where m launches have the same trace. 0: out of memory. */
static double square_of_trace(struct sample_sum *s, uint64_t trace)
{
    if (trace == 0)
        return 1;
    void *untimed = keys_items(s->untimed, &s->trace_room, s->traces.count + 1, sizeof *s->untimed);
    s->untimed = untimed ? untimed : s->untimed;
    size_t index = untimed ? keys_add(&s->traces, trace) : KEYS_NONE;
    return index < KEYS_NONE ? 2 * (double)s->untimed[index]++ + 1 : 0;
}

bool sample_sum_add(struct sample_sum *sum, const struct sample_launch *launch)
{
    struct sample_part *group = group_of(sum, launch);
    if (!group)
        return false;
    if (launch->timed && launch->repeats) {
        group->repeats++;
        group->repeats_cycles += launch->cycles;
        return true;
    }
    if (launch->timed)
        return add_timed(group, launch);
    double square = square_of_trace(sum, launch->trace);
    if (square == 0)
        return false;
    group->untimed++;
    group->squares += square;
    if (group->count == 0) {
        group->early++;
        group->early_instructions += launch->instructions;
        return true;
    }
    struct stretch *last = &group->stretches[group->count - 1];
    last->skipped++;
    last->skipped_instructions += launch->instructions;
    return true;
}

/* ---- spreads ----------------------------------------------------------------------------------------------------- */

/* Differences between timed neighbours of a group: halves of their squares over the group's mean, and how many. */
struct spread {
    double squares;
    uint64_t pairs;
};

static double rest_of(const struct sample_part *group, struct fit_line line, size_t i)
{
    return group->stretches[i].cycles - fit_at(line, group->stretches[i].instructions);
}

static struct spread spread_of(const struct sample_part *group)
{
    struct spread spread = {0};
    if (group->count < 2)
        return spread;
    struct fit_line line = fit_line(&group->fit);
    for (size_t i = 1; i < group->count; i++) {
        double d = (rest_of(group, line, i) - rest_of(group, line, i - 1)) / fit_mean(&group->fit);
        spread.squares += d * d / 2;
    }
    spread.pairs = group->count - 1;
    return spread;
}

static void add_spread(struct spread *to, struct spread other)
{
    to->squares += other.squares;
    to->pairs += other.pairs;
}

/* The mean square, with `weight` pairs more that have the square `otherwise`. */
static double square_of(struct spread spread, double otherwise, unsigned weight)
{
    return (spread.squares + weight * otherwise) / (double)(spread.pairs + weight);
}

/* ---- totals ------------------------------------------------------------------------------------------------------ */

struct share {
    double cycles, variance;
};

/* `square`: of the standard deviation over the mean. */
static struct share share_of(const struct sample_part *group, double square)
{
    struct fit_line line = fit_line(&group->fit);
    double mean = fit_mean(&group->fit), before = 0, weights = 0, others = 0, jumps = 0, inside = 0;
    struct share share = {.cycles = group->fit.y};
    for (size_t i = 0; i < group->count; i++) {
        const struct stretch *s = &group->stretches[i];
        double n = (double)s->skipped, rest = rest_of(group, line, i);
        double expected = n * line.offset + line.slope * s->skipped_instructions;
        double size = n > 0 ? expected / n / mean : 1; /* of one, over the timed ones' mean */
        bool between = i + 1 < group->count;
        double jump = between ? rest_of(group, line, i + 1) - rest : 0;
        double here = before + (between ? n * size / 2 : n * size);
        share.cycles += expected + n * (rest + jump / 2);
        weights += here * here;
        inside += (1 + here) * (1 + here) * s->error * s->error;
        others += n * size * size;
        jumps += n * n * jump * jump / 12;
        before = between ? n * size / 2 : 0;
    }
    double alike = group->untimed > 0 ? group->squares / group->untimed : 1;
    share.variance = square * mean * mean * (weights + alike * others) + jumps + inside;
    return share;
}

/* The sums of each kernel. */
struct kernel_sum {
    struct spread spread;
    double variance;
};

static void add_group(struct sample_sum *s, const struct sample_part *group, struct kernel_sum *kernel,
                      struct spread program)
{
    struct sample_total *total = &s->totals[group->kernel];
    for (size_t i = 0; i < group->count; i++)
        total->launches += 1 + group->stretches[i].skipped;
    total->launches += group->early + group->repeats;
    total->timed += group->count;
    total->repeated += group->repeats;
    total->cycles += group->repeats_cycles;
    total->groups++;
    if (group->count == 0)
        return;
    double of_program = square_of(program, 0, program.pairs ? 0 : 1);
    double of_kernel = square_of(kernel->spread, of_program, PROGRAM_PAIRS);
    struct share share = share_of(group, square_of(spread_of(group), of_kernel, KERNEL_PAIRS));
    total->cycles += share.cycles;
    kernel->variance += share.variance;
}

static void add_kernel(struct sample_total *to, const struct sample_total *kernel)
{
    to->cycles += kernel->cycles;
    to->launches += kernel->launches;
    to->timed += kernel->timed;
    to->repeated += kernel->repeated;
    to->groups += kernel->groups;
}

/* Nothing is known of launches before a group's first timed one, nor of a spread without a pair. */
static bool is_known(const struct sample_sum *s, struct spread program)
{
    bool all = true;
    for (size_t i = 0; i < s->likenesses.count; i++) {
        all = all && s->groups[i].early == 0;
        for (size_t k = 0; k < s->groups[i].count; k++)
            if (s->groups[i].stretches[k].skipped > 0 && program.pairs == 0)
                all = false;
    }
    return all;
}

static void finish(struct sample_sum *s, const struct kernel_sum *kernels, bool known)
{
    double variance = 0, squares = 0;
    s->total = (struct sample_total){0};
    for (size_t i = 0; i < s->names.count; i++) {
        double own = kernels[i].variance, freedom = (double)(kernels[i].spread.pairs + PROGRAM_PAIRS);
        s->totals[i].half_width = known ? student_quantile(freedom) * sqrt(own) : (double)INFINITY;
        variance += own;
        squares += own * own / freedom;
        add_kernel(&s->total, &s->totals[i]);
    }
    double half = variance > 0 ? student_quantile(variance * variance / squares) * sqrt(variance) : 0;
    s->total.half_width = known ? half : (double)INFINITY;
}

bool sample_sum_end(struct sample_sum *sum)
{
    size_t names = sum->names.count ? sum->names.count : 1;
    struct kernel_sum *kernels = calloc(names, sizeof *kernels);
    free(sum->totals);
    sum->totals = calloc(names, sizeof *sum->totals);
    if (!kernels || !sum->totals) {
        free(kernels);
        return false;
    }
    struct spread program = {0};
    for (size_t i = 0; i < sum->likenesses.count; i++) {
        struct spread own = spread_of(&sum->groups[i]);
        add_spread(&kernels[sum->groups[i].kernel].spread, own);
        add_spread(&program, own);
    }
    for (size_t i = 0; i < sum->likenesses.count; i++)
        add_group(sum, &sum->groups[i], &kernels[sum->groups[i].kernel], program);
    finish(sum, kernels, is_known(sum, program));
    free(kernels);
    return true;
}

struct sample_total sample_sum_of(const struct sample_sum *sum, uint64_t kernel)
{
    size_t index = sum->totals ? keys_find(&sum->names, kernel) : KEYS_NONE;
    return index < KEYS_NONE ? sum->totals[index] : (struct sample_total){0};
}

void sample_sum_free(struct sample_sum *sum)
{
    for (size_t i = 0; i < sum->likenesses.count; i++)
        free(sum->groups[i].stretches);
    free(sum->groups);
    free(sum->totals);
    keys_free(&sum->likenesses);
    keys_free(&sum->names);
    keys_free(&sum->traces);
    free(sum->untimed);
    *sum = (struct sample_sum){0};
}
