#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/point_progress.h"
#include "cli/sweep/sweep_run.h"
#include "cli/sweep/sweep_table.h"

enum { WORKERS_MAX = 256 };

static const char text[] =
    "FILE names programs and axes:\n"
    "\n"
    "  [programs]\n"
    "  product = \"demo sgemm-tiled\"\n"
    "  mine    = \"exec ./app 1024\"\n"
    "\n"
    "  [axes]\n"
    "  gpu         = [\"a100\", \"h200\"]\n"
    "  l1.latency  = { from = 20, to = 40, step = 10 }\n"
    "\n"
    "Each program runs with each combination of values. The results are FOLDER/sweep.csv, sweep.json, a\n"
    "picture of each axis, and the report of each point under FOLDER/points. The same command continues after\n"
    "an interruption; finished points are not run again. Several machines that share the folder run one sweep\n"
    "together if each is given the same command, as mpirun and srun do: points go to a process that is free,\n"
    "the longest first, and all write the same files. docs/sweeps.md has the details.\n"
    "\n"
    "Exit status 1: a point failed; its row has the reason.\n";

/* ---- where it runs ----------------------------------------------------------------------------------------------- */

/* A number of the program that started this process and others; 0 where none did. */
static unsigned of_launcher(const char *const names[])
{
    for (; *names; names++)
        if (getenv(*names))
            return (unsigned)strtoul(getenv(*names), NULL, 10);
    return 0;
}

static unsigned ranks(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS", NULL};
    return of_launcher(names);
}

static bool is_first(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID", NULL};
    return of_launcher(names) == 0;
}

static unsigned workers_of(const struct cli_options *options)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    if (options->threads)
        return options->threads;
    if (ranks() > 1)
        return 1;
    return processors < 1 ? 1 : processors > WORKERS_MAX ? WORKERS_MAX : (unsigned)processors;
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

static void list(const struct sweep_points *points)
{
    for (size_t i = 0; i < points->count; i++) {
        const struct sweep_words *words = &points->items[i].words;
        printf("%zu: subcore", i);
        for (size_t w = 0; w < words->count; w++)
            printf(" %s", words->items[w]);
        putchar('\n');
    }
}

static bool report(const struct sweep_table *table, const char *folder, bool quiet, struct status *status)
{
    size_t failed = 0, first = 0;
    for (size_t i = table->points->count; i-- > 0;)
        if (table->rows[i].exit_status != 0) {
            failed++;
            first = i;
        }
    if (!quiet)
        printf("%zu points of %zu programs: %s/sweep.csv, sweep.json and a picture of each axis\n",
               table->points->count, table->points->file->program_count, folder);
    return failed == 0 ||
           status_fail(status, STATUS_CHECK, "%zu of %zu points failed, the first of them point %zu: %.200s", failed,
                       table->points->count, first, table->rows[first].message);
}

static bool run_points(const struct sweep_points *points, const struct cli_options *options, struct status *status)
{
    const volatile bool *stop = interrupt_catch();
    struct point_progress progress;
    const struct sweep_teller how = {&progress, point_progress_show};
    struct sweep_table table;
    const char *folder = options->output;
    point_progress_begin(&progress, options->quiet || !is_first());
    bool ok = sweep_folder(folder, status) && sweep_run(points, folder, workers_of(options), stop, &how, status);
    point_progress_end(&progress);
    if (!ok || !sweep_table_read(&table, points, folder, status))
        return false;
    ok = sweep_table_write(&table, folder, status) && sweep_plot_write(&table, folder, status) &&
         report(&table, folder, options->quiet || !is_first(), status);
    sweep_table_free(&table);
    return ok;
}

static bool run(const struct cli_options *options, struct status *status)
{
    struct sweep_file file;
    struct sweep_points points;
    if (options->threads > WORKERS_MAX)
        return status_fail(status, STATUS_USAGE, "--threads %u: at most %d", options->threads, WORKERS_MAX);
    if (!options->output && !options->list)
        return status_fail(status, STATUS_USAGE, "a sweep needs a folder for its results: -o FOLDER");
    if (!sweep_file_read(&file, options->operands.items[0], status))
        return false;
    bool ok = sweep_points_make(&points, &file, status);
    if (ok && options->list)
        list(&points);
    else if (ok)
        ok = run_points(&points, options, status);
    if (points.count > 0)
        sweep_points_free(&points);
    sweep_file_free(&file);
    return ok;
}

const struct command command_sweep = {
    .name = "sweep",
    .operands = "FILE",
    .summary = "run programs with every combination of GPUs, keys and options, and make a table of it",
    .text = text,
    .options = CLI_BIT(OUTPUT) | CLI_BIT(THREADS) | CLI_BIT(LIST) | CLI_BIT(QUIET) | CLI_BIT(HELP),
    .operands_min = 1,
    .operands_max = 1,
    .file = 1,
    .run = run,
};
