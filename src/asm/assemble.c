#include "asm/asm.h"

#include <stdlib.h>

#include "asm/emit.h"
#include "asm/instruction.h"
#include "asm/parser.h"

static bool assemble_functions(struct program *program, const char *text, struct diagnostics *errors,
                               struct status *status)
{
    if (program->sm == 0)
        return true;
    struct isa_assembler *assembler = isa_assembler_create(program->sm, status);
    if (!assembler)
        return false;
    for (uint32_t i = 0; i < program->function_count; i++)
        instruction_assemble(program, i, assembler, text, errors);
    isa_assembler_destroy(assembler);
    return true;
}

static bool out_of_memory(const struct program *program)
{
    bool failed = program->failed || program->names.failed || program->constant3.failed || program->constant4.failed ||
                  program->global_init.failed;
    for (size_t i = 0; i < program->function_count; i++)
        failed |= program->functions[i].bank2.failed || program->functions[i].code_bytes.failed;
    return failed;
}

static bool run(struct parser *parser, struct asm_output *output, struct status *status)
{
    struct program *program = parser->program;
    if (output->errors.count > 0) /* the extent of a comment is not clear */
        return false;
    parser_run(parser);
    if (!parser->broken && !assemble_functions(program, parser->text, &output->errors, status))
        return false;
    if (out_of_memory(program))
        return status_fail(status, STATUS_MEMORY, "no memory for the program");
    return output->errors.count == 0 && emit_cubin(program, &output->errors, &output->cubin, &output->size, status);
}

bool asm_assemble(const struct asm_input *input, struct asm_output *output, struct status *status)
{
    *output = (struct asm_output){0};
    struct program program = {0};
    char *text = scan_clean(input->text, input->size, &output->errors);
    if (!text)
        return status_fail(status, STATUS_MEMORY, "no memory for the text");
    struct parser parser = {.program = &program,
                            .errors = &output->errors,
                            .text = text,
                            .size = input->size,
                            .default_arch = input->arch,
                            .default_accelerated = input->accelerated,
                            .arch_binding = input->arch_binding};
    bool ok = run(&parser, output, status);
    diagnostics_sort(&output->errors);
    program_free(&program);
    free(text);
    return ok;
}
