#include "cli/trace/trace.h"

#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>

#include "accelsim/accelsim.h"
#include "base/file.h"
#include "cli/command.h"
#include "cli/interrupt.h"

static const char text[] =
    "Actions\n"
    "  info FILE                    print a line for each kernel; --json\n"
    "  convert FILE --output PATH   make a folder for Accel-Sim of a native trace, and a native trace of an\n"
    "                               Accel-Sim trace (FILE is its kernelslist.g); --to if both are possible\n"
    "  verify FILE                  read everything, and name damaged parts by kernel, CTA and warp; exit\n"
    "                               status 1 if there are any; --json\n"
    "  cut FILE --output PATH       write a trace of some kernels (--kernels), or of the first CTAs (--ctas)\n"
    "\n"
    "Kernels are counted from 0, as info counts them. convert needs --gpu if an Accel-Sim trace does not name\n"
    "the architecture of its code.\n"
    "\n"
    "Examples\n"
    "  subcore trace info run.trace\n"
    "  subcore trace convert run.trace --output traces            # for Accel-Sim: traces/kernelslist.g\n"
    "  subcore trace convert traces/kernelslist.g --output run.trace\n"
    "  subcore trace cut run.trace --kernels 3-7 --ctas 64 --output part.trace\n";

#define ALWAYS (CLI_BIT(QUIET) | CLI_BIT(HELP))

static const struct {
    const char *name;
    trace_action_fn *run;
    cli_set options;
} actions[] = {
    {"info", trace_info, ALWAYS | CLI_BIT(JSON)},
    {"convert", trace_convert,
     ALWAYS | CLI_BIT(OUTPUT) | CLI_BIT(TO) | CLI_BIT(BINARY_VERSION) | CLI_BIT(TRACE_VERSION) | CLI_BIT(COMPRESS) |
         CLI_BIT(KEEP_GOING) | CLI_BIT(CODE) | CLI_BIT(NO_CODE) | CLI_BIT(GPU)},
    {"verify", trace_verify_file, ALWAYS | CLI_BIT(JSON)},
    {"cut", trace_cut_file, ALWAYS | CLI_BIT(OUTPUT) | CLI_BIT(KERNELS) | CLI_BIT(CTAS)},
};

/* ---- shared by the actions --------------------------------------------------------------------------------------- */

void trace_work_begin(struct trace_work *work, const char *label, bool quiet)
{
    progress_init(&work->progress, quiet);
    work->progress.unit = "warp instructions";
    work->stop = interrupt_catch();
    progress_start(&work->progress, label);
}

void trace_work_end(struct trace_work *work) { progress_end(&work->progress); }

void trace_work_show(void *context, uint64_t done, uint64_t all)
{
    struct trace_work *work = context;
    bool bytes = strcmp(work->progress.unit, "bytes") == 0;
    progress_show(&work->progress, done, all, 0, bytes ? 0 : done);
}

void trace_warn(const char *format, ...)
{
    va_list arguments;
    fputs("subcore: warning: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}

struct trace_file *trace_input(const char *path, struct status *damage, struct status *status)
{
    struct status wrong = {0}, ignored = {0};
    if (accelsim_is_list(path)) {
        status_fail(status, STATUS_USAGE, "%.300s: a trace for Accel-Sim: convert it first with subcore trace convert",
                    path);
        return NULL;
    }
    struct trace_file *file = trace_open(path, &wrong);
    if (file)
        return file;
    if (damage && wrong.code == STATUS_FORMAT && (file = trace_open_rest(path, &ignored))) {
        *damage = wrong;
        return file;
    }
    status_fail(status, wrong.code, "%s", wrong.text);
    return NULL;
}

bool trace_spares(const char *path, const char *output, struct status *status)
{
    struct stat in, out;
    return stat(path, &in) != 0 || stat(output, &out) != 0 || in.st_dev != out.st_dev || in.st_ino != out.st_ino ||
           status_fail(status, STATUS_USAGE, "--output %.300s: it is the trace that is read; name another file",
                       output);
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

static bool given(const struct cli_options *options, const struct cli_option_info *info)
{
    const char *field = (const char *)options + info->offset;
    switch (info->kind) {
    case CLI_KIND_FLAG: return *(const bool *)field;
    case CLI_KIND_TEXT: return *(const char *const *)field != NULL;
    case CLI_KIND_COUNT:
    case CLI_KIND_POSITIVE:
    case CLI_KIND_DIM: return *(const uint32_t *)field != 0;
    case CLI_KIND_LARGE: return *(const uint64_t *)field != 0;
    case CLI_KIND_LIST: return ((const struct cli_list *)field)->count > 0;
    }
    return false;
}

static bool check_options(const struct cli_options *options, const char *action, cli_set taken, struct status *status)
{
    for (unsigned i = 0; i < CLI_OPTION_COUNT; i++) {
        const struct cli_option_info *info = cli_option_info((enum cli_option)i);
        if (!(taken >> i & 1) && given(options, info))
            return status_fail(status, STATUS_USAGE, "trace %s has no option '--%s'; see 'subcore help trace'", action,
                               info->name);
    }
    return true;
}

static bool run(const struct cli_options *options, struct status *status)
{
    const char *name = options->operands.items[0];
    for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++)
        if (strcmp(actions[i].name, name) == 0)
            return file_input_check(options->operands.items[1], status) &&
                   check_options(options, name, actions[i].options, status) &&
                   actions[i].run(options, options->operands.items[1], status);
    return status_fail(status, STATUS_USAGE,
                       "trace does not know '%.100s'; its actions are info, convert, verify and cut", name);
}

const struct command command_trace = {
    .name = "trace",
    .operands = "ACTION FILE",
    .summary = "look at traces, convert, check and cut them",
    .text = text,
    .options = CLI_BIT(OUTPUT) | CLI_BIT(TO) | CLI_BIT(BINARY_VERSION) | CLI_BIT(TRACE_VERSION) | CLI_BIT(COMPRESS) |
               CLI_BIT(KEEP_GOING) | CLI_BIT(KERNELS) | CLI_BIT(CTAS) | CLI_BIT(CODE) | CLI_BIT(NO_CODE) |
               CLI_BIT(GPU) | CLI_BIT(JSON) | CLI_BIT(QUIET),
    .operands_min = 2,
    .operands_max = 2,
    .run = run,
};
