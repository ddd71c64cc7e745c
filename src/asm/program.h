/* An assembler file after it was read: functions with their instructions, data, names, and places that need an address
 * when the module is loaded. */
#ifndef SUBCORE_ASM_PROGRAM_H
#define SUBCORE_ASM_PROGRAM_H

#include "asm/diagnostics.h"
#include "asm/names.h"
#include "cubin/buffer.h"
#include "cubin/write.h"
#include "isa/pascal.h"

/* Instructions of Pascal count as many in the assembler, and are packed at the end. */
enum { INSTRUCTION_BYTES = 16, NO_FUNCTION = -1 };

struct statement {
    size_t at, end; /* of the instruction, with its guard, in the text (0: a NOP that was put in) */
    unsigned line, column;
    bool has_control;
    bool exact;      /* nothing is put before it when the one before is exact as well */
    bool filled;     /* the control bits are not the file's */
    bool drop_reuse; /* they do not allow operands in the reuse cache */
    struct isa_control control;
    struct word128 word;
};

struct function {
    char *name; /* owned */
    bool kernel;
    unsigned line;
    struct statement *code;
    size_t count, room;
    struct cubin_parameter *parameters;
    uint32_t parameter_count, parameter_room;
    uint32_t parameter_end, parameter_bytes, parameter_base; /* 0: the number that follows from the list */
    uint32_t shared_end, shared_size;
    uint32_t registers;
    unsigned registers_line, registers_column;
    uint32_t frame, stack;
    bool stack_unknown;
    int32_t barriers; /* -1: as the code uses */
    uint32_t max_threads[3], required_threads[3], cluster[3], cluster_most;
    bool cluster_explicit, grid_of_clusters;
    struct buffer bank2;
    struct buffer code_bytes;
};

/* A place that gets the address of something: `name` + addend. */
struct fixup {
    enum cubin_place place;
    uint32_t function;
    uint32_t type;
    char *name; /* owned */
    uint64_t offset;
    int64_t addend;
    unsigned line, column;
};

struct program {
    unsigned sm;
    bool accelerated;
    struct names names;
    struct function *functions;
    size_t function_count, function_room;
    struct buffer constant3, constant4, global_init;
    uint64_t reserved_bytes;
    struct fixup *fixups;
    size_t fixup_count, fixup_room;
    bool failed; /* no memory */
};

/* Returns the byte offset of an instruction in the code, and the one by which jumps and symbols name it. */
static inline uint32_t program_offset(const struct program *program, uint64_t index)
{
    uint32_t pc = (uint32_t)index * INSTRUCTION_BYTES;
    return pascal_supported(program->sm) ? pascal_address(pc) : pc;
}
static inline uint32_t program_label(const struct program *program, uint64_t index)
{
    uint32_t pc = (uint32_t)index * INSTRUCTION_BYTES;
    return pascal_supported(program->sm) ? pascal_label_address(pc) : pc;
}

struct function *program_add_function(struct program *program, const char *name, size_t length);
struct statement *function_add_statement(struct program *program, struct function *function);
/* The name is copied. */
void program_add_fixup(struct program *program, const struct fixup *fixup, const char *name, size_t length);
void program_free(struct program *program);

/* `items` with room for one more of `size` bytes; NULL without memory, and then they stay where they are. */
void *program_room(struct program *program, void *items, size_t count, size_t *room, size_t size);

#endif
