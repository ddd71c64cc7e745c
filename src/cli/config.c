#include "config/config.h"

#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/config_table.h"
#include "cli/document.h"

bool config_subject_open(struct config_subject *gpu, const char *name, const struct cli_list *set,
                         struct status *status)
{
    *gpu = (struct config_subject){.name = name};
    if (!config_load(&gpu->config, name, status))
        return false;
    for (size_t i = 0; set && i < set->count; i++)
        if (!config_set(&gpu->config, set->items[i], status))
            return false;
    if (!config_check(&gpu->config, status))
        return false;
    config_origin_open(&gpu->origin, name);
    return true;
}

void config_subject_close(struct config_subject *gpu) { config_origin_close(&gpu->origin); }

void config_csv(FILE *out, const char *text, char end)
{
    bool quote = strpbrk(text, ",\"\n") != NULL;
    if (quote)
        fputc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    if (quote)
        fputc('"', out);
    fputc(end, out);
}

void config_where(FILE *out, const struct config_value *value)
{
    fprintf(out, "%s%s%s", value->from, value->source[0] ? ": " : "", value->source);
}

static bool print_json(const struct config *config, const char *path, struct status *status)
{
    struct document document;
    if (!document_begin(&document, path, status))
        return false;
    config_json(config, &document.json, "config");
    document_hash(&document.json, "config_hash", config_hash(config));
    return document_commit(&document, status);
}

static bool print_csv(const struct config_subject *gpu, const char *path, struct status *status)
{
    struct file_output file;
    struct config_value value;
    if (!file_output_open(&file, path, status))
        return false;
    fprintf(file.stream, "key,value,unit,file,source\n");
    for (size_t i = 0; config_value_at(&gpu->config, &gpu->origin, i, &value); i++) {
        fprintf(file.stream, "%s.%s,", value.section, value.key);
        config_csv(file.stream, value.text, ',');
        config_csv(file.stream, value.unit, ',');
        config_csv(file.stream, value.from, ',');
        config_csv(file.stream, value.source, '\n');
    }
    return file_output_commit(&file, status);
}

static bool print(const struct config_subject *gpu, const struct cli_options *options, struct status *status)
{
    if (options->csv && !print_csv(gpu, options->csv, status))
        return false;
    if (options->json && !print_json(&gpu->config, options->json, status))
        return false;
    if (!options->csv && !options->json)
        config_print(&gpu->config, gpu->name, stdout);
    return true;
}

static bool check_options(const struct cli_options *options, struct status *status)
{
    bool one = options->operands.count > 0;
    if (options->diff && options->assumed)
        return status_fail(status, STATUS_USAGE, "--diff and --assumed: not both");
    if (!one && options->diff)
        return status_fail(status, STATUS_USAGE, "config --diff needs two GPUs: subcore config GPU --diff %.100s",
                           options->diff);
    if (!one && options->set.count)
        return status_fail(status, STATUS_USAGE, "config --set needs the GPU whose value is to be changed");
    if (!one && !options->assumed)
        return status_fail(status, STATUS_USAGE, "config needs GPU; see 'subcore help config' and 'subcore gpus'");
    return true;
}

static bool run(const struct cli_options *options, struct status *status)
{
    struct config_subject gpu;
    if (!check_options(options, status))
        return false;
    if (options->operands.count == 0)
        return config_assumed_of_all(options, status);
    if (!config_subject_open(&gpu, options->operands.items[0], &options->set, status))
        return false;
    bool ok = options->diff      ? config_diff_table(&gpu, options, status)
              : options->assumed ? config_assumed_of(&gpu, options, status)
                                 : print(&gpu, options, status);
    config_subject_close(&gpu);
    return ok;
}

const struct command command_config = {
    .name = "config",
    .operands = "[GPU]",
    .summary = "print a GPU's complete configuration, with units and sources",
    .text = "The output is a configuration file: keep it under a name that ends in .toml, change it, and give\n"
            "its path where a GPU is expected.\n\n"
            "  subcore config a100 --diff h200               the differences of two GPUs\n"
            "  subcore config ./my.toml --diff l40           the changes that a file makes\n"
            "  subcore config a100 --set l2.ways=8 --diff a100   --set changes the first of the two\n"
            "  subcore config b200 --assumed                 its assumed values\n"
            "  subcore config --assumed                      the same of all GPUs\n",
    .options = CLI_BIT(SET) | CLI_BIT(DIFF) | CLI_BIT(ASSUMED) | CLI_BIT(CSV) | CLI_BIT(JSON) | CLI_BIT(HELP),
    .operands_max = 1,
    .run = run,
};
