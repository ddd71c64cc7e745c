#include "sm/code_table.h"

#include <stdlib.h>

#include "sm/issue/scoreboard.h"
#include "sm/legacy/units.h"

/* Returns the count without padding behind the last instruction: NOPs up to the end of a line, and before them a BRA to
 * itself. */
static uint32_t without_padding(const struct code_source *source)
{
    uint32_t count = source->count;
    while (count > 0 && source->at(source->self, count - 1)->op == ISA_OP_NOP)
        count--;
    return count > 0 && source->at(source->self, count - 1)->op == ISA_OP_BRA ? count - 1 : count;
}

/* Code without usable control bits: the field is the same in every instruction, be it 0. Compilers never write that:
 * a kernel ends with EXIT, stall 5, and earlier instructions have other stall counts. */
static bool has_control_bits(const struct code_source *source)
{
    uint32_t count = without_padding(source);
    if (count == 0)
        return true;
    struct isa_control first = source->at(source->self, 0)->control;
    for (uint32_t i = 1; i < count; i++) {
        struct isa_control c = source->at(source->self, i)->control;
        if (c.stall != first.stall || c.yield != first.yield || c.write_sb != first.write_sb ||
            c.read_sb != first.read_sb || c.wait != first.wait)
            return true;
    }
    return false;
}

static bool wants_scoreboard(const struct code_source *source, bool usable, const struct config *config)
{
    return source->no_control_bits || config->core.model == CONFIG_CORE_LEGACY ||
           config->core.dependence == CONFIG_DEPENDENCE_SCOREBOARD ||
           (config->core.dependence == CONFIG_DEPENDENCE_AUTOMATIC && !usable);
}

static void build_for_scoreboard(struct code *code, struct code_registers *registers, const struct code_source *source,
                                 bool usable, const struct config *config)
{
    for (uint32_t i = 0; i <= source->count; i++) {
        struct isa_inst inst = *source->at(source->self, i);
        inst.control = scoreboard_control(&inst, usable);
        code_build(&code[i], &inst, config);
        scoreboard_registers(&registers[i], &inst, &code[i], &config->core);
        if (config->core.model == CONFIG_CORE_LEGACY)
            legacy_code_build(&code[i], &registers[i], &inst, &config->legacy);
    }
}

static void find_runs(struct code *code, uint32_t count)
{
    code[count].plain_run = 0;
    for (uint32_t i = count, run = 0; i-- > 0;) {
        run = code[i].plain & CODE_PLAIN_ISSUE ? run + (run < UINT8_MAX) : 0;
        code[i].plain_run = (uint8_t)run;
    }
}

/* `registers`: NULL without a scoreboard. */
static void build(struct code *code, struct code_registers *registers, const struct code_source *source, bool usable,
                  const struct config *config)
{
    if (registers)
        build_for_scoreboard(code, registers, source, usable, config);
    for (uint32_t i = 0; !registers && i <= source->count; i++)
        code_build(&code[i], source->at(source->self, i), config);
    find_runs(code, source->count);
}

static bool is_usable(const struct code_source *source) { return !source->no_control_bits && has_control_bits(source); }

bool code_table_build(struct code_table *table, const struct code_source *source, const struct config *config)
{
    bool usable = is_usable(source), scoreboard = wants_scoreboard(source, usable, config);
    code_table_free(table);
    table->count = source->count;
    table->scoreboard = scoreboard;
    table->windows = 1;
    table->window[0].end = source->count;
    table->code = calloc(source->count + 1u, sizeof *table->code);
    table->registers = scoreboard ? calloc(source->count + 1u, sizeof *table->registers) : NULL;
    if (!table->code || (scoreboard && !table->registers)) {
        code_table_free(table);
        return false;
    }
    build(table->code, table->registers, source, usable, config);
    return true;
}

void code_table_free(struct code_table *table)
{
    free(table->code);
    free(table->registers);
    *table = (struct code_table){0};
}

/* ---- code of several kernels ------------------------------------------------------------------------------------- */

bool code_space_init(struct code_space *space, uint32_t places)
{
    *space = (struct code_space){.code = calloc(places, sizeof *space->code), .places = places};
    return space->code != NULL;
}

void code_space_free(struct code_space *space)
{
    free(space->code);
    free(space->registers);
    *space = (struct code_space){0};
}

bool code_space_build(struct code_space *space, uint32_t base, struct code_table *table,
                      const struct code_source *source, const struct config *config)
{
    bool usable = is_usable(source), scoreboard = wants_scoreboard(source, usable, config);
    if (scoreboard && !space->registers)
        space->registers = calloc(space->places, sizeof *space->registers);
    if (scoreboard && !space->registers)
        return false;
    uint32_t end = base + source->count;
    *table = (struct code_table){.code = space->code,
                                 .registers = scoreboard ? space->registers : NULL,
                                 .count = end,
                                 .scoreboard = scoreboard,
                                 .windows = 1,
                                 .window[0] = {.base = base, .end = end}};
    build(space->code + base, scoreboard ? space->registers + base : NULL, source, usable, config);
    return true;
}
