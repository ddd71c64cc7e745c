#include "sm/area.h"

#include <stdio.h>

#include "cli/command.h"
#include "cli/document.h"
#include "cli/session.h"

enum { MECHANISMS = 7 };

struct mechanism {
    const char *name;
    uint32_t consumers; /* 0: control bits */
};

static const struct mechanism mechanisms[MECHANISMS] = {
    {"control bits", 0}, {"scoreboard", 1},  {"scoreboard", 3},  {"scoreboard", 7},
    {"scoreboard", 15},  {"scoreboard", 31}, {"scoreboard", 63},
};

static struct area area_at(const struct config *config, unsigned i)
{
    uint32_t consumers = mechanisms[i].consumers;
    return area_of(config, consumers ? area_scoreboard(config, consumers) : area_control_bits());
}

static void print_text(const struct config *config, FILE *out)
{
    struct area_entries e = area_entries(config);
    fprintf(out, "Storage of dependence handling: %s, %u warps and %u registers an SM\n\n", config->gpu.name,
            config->sm.warps, config->sm.registers);
    fprintf(out, "%-14s %10s %12s %12s %15s\n", "mechanism", "consumers", "bits a warp", "bits an SM",
            "% of registers");
    for (unsigned i = 0; i < MECHANISMS; i++) {
        struct area a = area_at(config, i);
        char consumers[16] = "-";
        if (mechanisms[i].consumers)
            snprintf(consumers, sizeof consumers, "%u", mechanisms[i].consumers);
        fprintf(out, "%-14s %10s %12u %12ju %15.2f\n", mechanisms[i].name, consumers, a.warp_bits, (uintmax_t)a.sm_bits,
                100 * a.of_registers);
    }
    fprintf(
        out,
        "\nControl bits: 6 counters of 6 bits, a stall count of 4, yield. Scoreboard: a pending bit and a count of\n"
        "readers for each register that can be written: %u regular, %u uniform, %u predicates, %u uniform ones.\n",
        e.regular, e.uniform, e.predicate, e.uniform_predicate);
}

static void print_csv(const struct config *config, FILE *out)
{
    fprintf(out, "gpu,mechanism,consumers,bits_per_warp,bits_per_sm,share_of_registers\n");
    for (unsigned i = 0; i < MECHANISMS; i++) {
        struct area a = area_at(config, i);
        fprintf(out, "%s,%s,%u,%u,%ju,%.6f\n", config->gpu.name, mechanisms[i].name, mechanisms[i].consumers,
                a.warp_bits, (uintmax_t)a.sm_bits, a.of_registers);
    }
}

static void print_json(const struct config *config, struct json *json)
{
    json_string(json, "gpu", config->gpu.name);
    json_uint(json, "warps", config->sm.warps);
    json_uint(json, "registers", config->sm.registers);
    json_array(json, "mechanisms");
    for (unsigned i = 0; i < MECHANISMS; i++) {
        struct area a = area_at(config, i);
        json_object(json, NULL);
        json_string(json, "mechanism", mechanisms[i].name);
        json_uint(json, "consumers", mechanisms[i].consumers);
        json_uint(json, "bits_per_warp", a.warp_bits);
        json_uint(json, "bits_per_sm", a.sm_bits);
        json_number(json, "share_of_registers", a.of_registers, 6);
        json_end(json);
    }
    json_end(json);
}

static bool write_csv(const struct config *config, const char *path, struct status *status)
{
    struct file_output file;
    if (!file_output_open(&file, path, status))
        return false;
    print_csv(config, file.stream);
    return file_output_commit(&file, status);
}

static bool write_json(const struct config *config, const char *path, struct status *status)
{
    struct document document;
    if (!document_begin(&document, path, status))
        return false;
    print_json(config, &document.json);
    return document_commit(&document, status);
}

static bool run(const struct cli_options *options, struct status *status)
{
    struct config config;
    if (!session_config(&config, options->gpu, &options->set, status))
        return false;
    if (options->csv && !write_csv(&config, options->csv, status))
        return false;
    if (options->json && !write_json(&config, options->json, status))
        return false;
    if (!options->csv && !options->json)
        print_text(&config, stdout);
    return true;
}

const struct command command_area = {
    .name = "area",
    .operands = "",
    .summary = "compare the storage of control bits and of scoreboards with the register file",
    .text = "'subcore study dependence' measures the performance of each.\n",
    .options = CLI_BIT(GPU) | CLI_BIT(SET) | CLI_BIT(CSV) | CLI_BIT(JSON) | CLI_BIT(HELP),
    .run = run,
};
