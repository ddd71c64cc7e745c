/* validate-gpu: the measurements, kernels and experiments of this project on a real GPU, through libcuda.so.1. Any C
 * compiler builds it, from the root of the repository:
 *
 *     cc -O2 -I. validate/{,hw/,micro/,kernels/}*.c examples/util.c -o validate-gpu -ldl -lm
 *
 * validate/hw/run.sh does that, and runs all of it. docs/validation.md explains the output. */
#include <stdio.h>
#include <string.h>

#include "job.h"

static const char help[] =
    "usage: validate-gpu COMMAND [OPTION]... [NAME...]\n"
    "\n"
    "  info                     what the driver says of the GPU; --toml: as the beginning of a configuration\n"
    "  micro [NAME...]          the measurements of validate/micro: tables as text\n"
    "  kernels [NAME...]        the kernels of validate/kernels: results are checked, launches are timed\n"
    "  experiments FOLDER       what 'subcore experiment --write FOLDER' has written; CSV of the words that kernels "
    "store\n"
    "  answers FOLDER --csv FILE what 'tools/answers.py write FOLDER' has written; every word that an instruction "
    "gives\n"
    "  collect MANIFEST NCU     a profile of 'ncu --csv --page raw --print-units base' of kernels --once, as rows\n"
    "\n"
    "  --rows FILE              numbers as rows of validate/data (gpu,quantity,low,high,...)\n"
    "  --csv FILE               what the numbers come from: each run, each launch, each row of words\n"
    "  --append                 add to these files; the heads are written once\n"
    "  --note TEXT              a '#' line in the head of each file; may be repeated\n"
    "  --gpu NAME               what the GPU is called, as 'subcore gpus' lists it\n"
    "  --device N               GPU of the driver's list (0)\n"
    "  --folder PATH            where validate/ lies, with the cubins\n"
    "  --clock MHZ              at which the SMs run; else it is measured\n"
    "  --list                   names of micro or kernels\n"
    "  --quick                  micro: fewer points\n"
    "  --repeat N               micro, experiments: runs; kernels: timed repetitions of each launch\n"
    "  --size SIZE              kernels: only small, medium or full\n"
    "  --patience SECONDS       answers: time of a kernel, with the start of its process, before it is ended (30)\n"
    "  --once                   kernels: each launch once, no other kernels, no times; --csv is the manifest\n"
    "  --warm                   kernels: do not empty the L2 before repetitions\n"
    "\n"
    "Exit status: 0 all is well, 1 something failed (the rest has run), 2 wrong usage.\n";

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(const struct job *job);
    } commands[] = {{"info", job_info},       {"micro", job_micro},
                    {"kernels", job_kernels}, {"experiments", job_experiments},
                    {"answers", job_answers}, {"collect", job_collect}};
    struct job job;
    if (argc < 2 || strcmp(argv[1], "help") == 0 || strcmp(argv[1], "--help") == 0) {
        fputs(help, argc < 2 ? stderr : stdout);
        return argc < 2 ? JOB_USAGE : JOB_GOOD;
    }
    if (!job_read(&job, argc, argv))
        return JOB_USAGE;
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        if (strcmp(commands[i].name, job.command) == 0)
            return commands[i].run(&job);
    fprintf(stderr, "validate-gpu: there is no command '%s'; see validate-gpu help\n", job.command);
    return JOB_USAGE;
}
