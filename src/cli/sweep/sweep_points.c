#include "cli/sweep/sweep_points.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "cli/fidelity.h"
#include "cli/options.h"
#include "cli/version.h"
#include "config/config.h"

enum { WORDS_MAX = 8, ASSIGNMENT = 4096 };

/* ---- one point --------------------------------------------------------------------------------------------------- */

static bool push(struct sweep_point *p, const char *word, struct status *status)
{
    p->words.items[p->words.count] = strdup(word);
    return p->words.items[p->words.count++] || status_fail(status, STATUS_MEMORY, "no memory for a sweep");
}

static bool is_option(const char *axis) { return strncmp(axis, "--", 2) == 0; }

static bool push_value(struct sweep_point *p, const char *axis, const char *value, struct status *status)
{
    char assignment[ASSIGNMENT];
    if (strcmp(axis, "fidelity") == 0)
        return push(p, "--fidelity", status) && push(p, value, status);
    if (strcmp(axis, "gpu") == 0)
        return push(p, "--gpu", status) && push(p, value, status);
    if (is_option(axis))
        return push(p, axis, status) && push(p, value, status);
    int n = snprintf(assignment, sizeof assignment, "%s=%s", axis, value);
    return ((n > 0 && (size_t)n < sizeof assignment) ||
            status_fail(status, STATUS_USAGE, "%s: the value is too long", axis)) &&
           push(p, "--set", status) && push(p, assignment, status);
}

/* subcore COMMAND [OPTION]... --quiet --threads 1 WORD... */
static bool make_words(struct sweep_point *p, const struct sweep_file *file, struct status *status)
{
    const struct sweep_words *command = &p->program->words;
    p->words.items = calloc(command->count + 2 * file->axis_count + WORDS_MAX, sizeof *p->words.items);
    if (!p->words.items)
        return status_fail(status, STATUS_MEMORY, "no memory for a sweep");
    if (!push(p, command->items[0], status))
        return false;
    for (size_t a = 0; a < file->axis_count; a++)
        if (!push_value(p, file->axes[a].name, p->values[a], status))
            return false;
    if (!push(p, "--quiet", status) || !push(p, "--threads", status) || !push(p, "1", status))
        return false;
    p->operands = p->words.count;
    for (size_t i = 1; i < command->count; i++)
        if (!push(p, command->items[i], status))
            return false;
    p->digest = hash_bytes(HASH_SEED, CLI_VERSION, sizeof CLI_VERSION);
    for (size_t i = 0; i < p->words.count; i++)
        p->digest = hash_bytes(p->digest, p->words.items[i], strlen(p->words.items[i]) + 1);
    return true;
}

/* ---- checks ------------------------------------------------------------------------------------------------------ */

static bool check_program(const struct sweep_program *program, struct status *status)
{
    static const char *const commands[] = {"run", "demo", "replay", "exec"};
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        if (strcmp(program->words.items[0], commands[i]) == 0)
            return true;
    return status_fail(status, STATUS_USAGE, "program %s: a sweep runs run, demo, replay and exec, not '%s'",
                       program->name, program->words.items[0]);
}

static bool known_option(const char *name)
{
    for (int i = 0; i < CLI_OPTION_COUNT; i++)
        if (strcmp(cli_option_info((enum cli_option)i)->name, name + 2) == 0)
            return true;
    return false;
}

static bool check_axis(const struct sweep_axis *axis, struct status *status)
{
    bool of_ours = strcmp(axis->name, "--json") == 0 || strcmp(axis->name, "--threads") == 0 ||
                   strcmp(axis->name, "--set") == 0 || strcmp(axis->name, "--gpu") == 0;
    if (is_option(axis->name))
        return (known_option(axis->name) && !of_ours) ||
               status_fail(status, STATUS_USAGE, "axis %s: %s", axis->name,
                           of_ours ? "a sweep sets this option itself" : "there is no such option");
    if (strcmp(axis->name, "fidelity") != 0)
        return true;
    for (size_t i = 0; i < axis->values.count; i++)
        if (!fidelity_is_known(axis->values.items[i]))
            return status_fail(status, STATUS_USAGE,
                               "axis fidelity: detailed, sampled, hybrid and functional are known, not '%s'",
                               axis->values.items[i]);
    return true;
}

/* The machine of the point, with its keys. */
static bool check_machine(const struct sweep_point *p, const struct sweep_file *file, struct status *status)
{
    struct config config;
    const char *gpu = "rtx-a6000";
    for (size_t a = 0; a < file->axis_count; a++)
        gpu = strcmp(file->axes[a].name, "gpu") == 0 ? p->values[a] : gpu;
    if (!config_load(&config, gpu, status))
        return false;
    for (size_t a = 0; a < file->axis_count; a++) {
        char assignment[ASSIGNMENT];
        const char *name = file->axes[a].name;
        if (strcmp(name, "gpu") == 0 || strcmp(name, "fidelity") == 0 || is_option(name))
            continue;
        snprintf(assignment, sizeof assignment, "%s=%s", name, p->values[a]);
        if (!config_set(&config, assignment, status))
            return false;
    }
    return config_check(&config, status);
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

static bool count_points(const struct sweep_file *file, size_t *count, struct status *status)
{
    *count = file->program_count;
    for (size_t a = 0; a < file->axis_count && *count <= SWEEP_POINTS_MAX; a++)
        *count *= file->axes[a].values.count;
    return *count <= SWEEP_POINTS_MAX ||
           status_fail(status, STATUS_USAGE, "a sweep has at most %d points", SWEEP_POINTS_MAX);
}

static bool make_point(struct sweep_points *points, size_t number, struct status *status)
{
    const struct sweep_file *file = points->file;
    struct sweep_point *p = &points->items[number];
    p->values = calloc(file->axis_count + 1, sizeof *p->values);
    if (!p->values)
        return status_fail(status, STATUS_MEMORY, "no memory for a sweep");
    for (size_t a = file->axis_count; a-- > 0;) {
        p->values[a] = file->axes[a].values.items[number % file->axes[a].values.count];
        number /= file->axes[a].values.count;
    }
    p->program = &file->programs[number];
    return make_words(p, file, status) && check_machine(p, file, status);
}

bool sweep_points_make(struct sweep_points *points, const struct sweep_file *file, struct status *status)
{
    size_t count;
    *points = (struct sweep_points){.file = file};
    for (size_t i = 0; i < file->program_count; i++)
        if (!check_program(&file->programs[i], status))
            return false;
    for (size_t a = 0; a < file->axis_count; a++)
        if (!check_axis(&file->axes[a], status))
            return false;
    if (!count_points(file, &count, status))
        return false;
    points->items = calloc(count, sizeof *points->items);
    if (!points->items)
        return status_fail(status, STATUS_MEMORY, "no memory for the points of a sweep");
    for (points->count = 0; points->count < count;)
        if (!make_point(points, points->count++, status)) {
            sweep_points_free(points);
            return false;
        }
    return true;
}

void sweep_points_free(struct sweep_points *points)
{
    for (size_t i = 0; i < points->count; i++) {
        struct sweep_point *p = &points->items[i];
        for (size_t w = 0; w < p->words.count; w++)
            free(p->words.items[w]);
        free(p->words.items);
        free(p->values);
    }
    free(points->items);
    *points = (struct sweep_points){0};
}
