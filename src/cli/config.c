#include "config/config.h"

#include <stdio.h>

#include "cli/command.h"
#include "cli/document.h"

static bool print_json(const struct config *config, const char *path, struct status *status)
{
    struct document document;
    if (!document_begin(&document, path, status))
        return false;
    config_json(config, &document.json, "config");
    document_hash(&document.json, "config_hash", config_hash(config));
    return document_commit(&document, status);
}

static bool run(const struct cli_options *options, struct status *status)
{
    const char *gpu = options->operands.items[0];
    struct config config;
    if (!config_load(&config, gpu, status))
        return false;
    for (size_t i = 0; i < options->set.count; i++)
        if (!config_set(&config, options->set.items[i], status))
            return false;
    if (!config_check(&config, status))
        return false;
    if (options->json)
        return print_json(&config, options->json, status);
    config_print(&config, gpu, stdout);
    return true;
}

const struct command command_config = {
    .name = "config",
    .operands = "GPU",
    .summary = "print a GPU's complete configuration, with units and sources",
    .text = "What is printed is a configuration file: keep it under a name that ends in .toml, change it, and give\n"
            "its path where a GPU is expected.\n",
    .options = CLI_BIT(SET) | CLI_BIT(JSON) | CLI_BIT(HELP),
    .operands_min = 1,
    .operands_max = 1,
    .run = run,
};
