#include "exec/fault.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "exec/code/kernel.h"
#include "exec/code/lines.h"
#include "exec/cta.h"
#include "exec/executors.h"

/* "kernel sgemm, pc 0x120 (LDG.E R2, [R2.64]; sgemm.cu:12), CTA (3,0,0), warp 2, lane 7"; behind the kernel's name
 * another function that it has called: ", in malloc" */
static void describe_place(const struct exec_warp *warp, const struct exec_inst *inst, unsigned lane, char *text,
                           size_t size)
{
    char sass[ISA_TEXT], line[128] = "";
    isa_print(&inst->isa, sass);
    const struct exec_cta *cta = warp->cta;
    const struct exec_kernel *kernel = cta->launch->kernel;
    const char *name = kernel && kernel->cubin ? kernel->cubin->name : "?";
    const char *function = kernel ? kernel_function(cta->launch->module, kernel, inst->isa.pc) : NULL;
    if (kernel)
        exec_line(cta->launch, inst->isa.pc, line, sizeof line);
    int n =
        snprintf(text, size,
                 "kernel %s%s%s, pc 0x%" PRIx32 " (%s%s%s), CTA (%" PRIu32 ",%" PRIu32 ",%" PRIu32 "), warp %" PRIu32,
                 name, function ? ", in " : "", function ? function : "", inst->isa.pc, sass, line[0] ? "; " : "", line,
                 cta->index.x, cta->index.y, cta->index.z, warp->index);
    if (lane < EXEC_NO_LANE && n > 0 && (size_t)n < size)
        snprintf(text + n, size - (size_t)n, ", lane %u", lane);
}

static const struct {
    const char *name;
    enum status_code code;
} kinds[] = {
    [EXEC_FAULT_NONE] = {"none", STATUS_OK},
    [EXEC_FAULT_ADDRESS] = {"illegal address", STATUS_FAULT},
    [EXEC_FAULT_MISALIGNED] = {"misaligned address", STATUS_FAULT},
    [EXEC_FAULT_INSTRUCTION] = {"illegal instruction", STATUS_UNSUPPORTED},
    [EXEC_FAULT_PC] = {"invalid program counter", STATUS_FAULT},
    [EXEC_FAULT_SPACE] = {"invalid address space", STATUS_FAULT},
    [EXEC_FAULT_STACK] = {"stack overflow", STATUS_FAULT},
    [EXEC_FAULT_ASSERT] = {"assertion", STATUS_FAULT},
    [EXEC_FAULT_TRAP] = {"trap", STATUS_FAULT},
    [EXEC_FAULT_UNSUPPORTED] = {"not simulated", STATUS_UNSUPPORTED},
    [EXEC_FAULT_MEMORY] = {"out of host memory", STATUS_MEMORY},
    [EXEC_FAULT_DEADLOCK] = {"deadlock", STATUS_DEADLOCK},
    [EXEC_FAULT_OTHER] = {"other", STATUS_FAULT},
};

const char *exec_fault_name(enum exec_fault_kind kind)
{
    return (size_t)kind < sizeof kinds / sizeof kinds[0] ? kinds[kind].name : "?";
}

/* Only the first fault of a core counts. */
static void report(struct exec_core *core, const struct exec_warp *warp, const struct exec_inst *inst, unsigned lane,
                   enum exec_fault_kind kind, const char *what)
{
    const struct exec_kernel *kernel = warp->cta->launch->kernel;
    struct exec_fault_report *r = &core->report;
    *r = (struct exec_fault_report){.kind = kind,
                                    .pc = inst->isa.pc,
                                    .cta = warp->cta->index,
                                    .warp = warp->index,
                                    .lane = lane,
                                    .has_place = true};
    snprintf(r->kernel, sizeof r->kernel, "%s", kernel && kernel->cubin ? kernel->cubin->name : "?");
    snprintf(r->text, sizeof r->text, "%s", what);
    isa_print(&inst->isa, r->sass);
    if (kernel)
        exec_line(warp->cta->launch, inst->isa.pc, r->line, sizeof r->line);
}

static void fault(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, unsigned lane,
                  enum exec_fault_kind kind, const char *format, va_list arguments)
{
    char place[400], what[400];
    vsnprintf(what, sizeof what, format, arguments);
    if (!core->fault.code)
        report(core, warp, inst, lane, kind, what);
    describe_place(warp, inst, lane, place, sizeof place);
    status_fail(&core->fault, kinds[kind].code, "%s: %s", place, what);
    warp->live = 0;
    warp->paths = 0;
}

void exec_fault(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, unsigned lane,
                enum exec_fault_kind kind, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fault(core, warp, inst, lane, kind, format, arguments);
    va_end(arguments);
}

void exec_fault_at(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, unsigned lane,
                   uint64_t address, enum exec_fault_kind kind, const char *format, ...)
{
    bool first = !core->fault.code;
    va_list arguments;
    va_start(arguments, format);
    fault(core, warp, inst, lane, kind, format, arguments);
    va_end(arguments);
    if (!first)
        return;
    core->report.has_address = true;
    core->report.address = address;
}

void exec_fault_core(struct exec_core *core, enum exec_fault_kind kind, const char *format, ...)
{
    char what[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    if (core->fault.code)
        return;
    core->report = (struct exec_fault_report){.kind = kind, .lane = EXEC_NO_LANE};
    snprintf(core->report.text, sizeof core->report.text, "%s", what);
    status_fail(&core->fault, kinds[kind].code, "%s", what);
}

void exec_refuse(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, const char *reason)
{
    exec_fault(core, warp, inst, EXEC_NO_LANE, EXEC_FAULT_UNSUPPORTED, "not simulated: %s", reason);
}

void exec_invalid(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                  struct issued *out)
{
    (void)active;
    (void)out;
    if (inst->isa.pc / 16 >= warp->cta->launch->kernel->count)
        exec_fault(core, warp, inst, EXEC_NO_LANE, EXEC_FAULT_PC, "the warp has run off the end of the kernel's code");
    else
        exec_fault(core, warp, inst, EXEC_NO_LANE, EXEC_FAULT_INSTRUCTION,
                   "0x%016" PRIx64 "%016" PRIx64 " is no instruction of this architecture that is known here",
                   inst->isa.word.hi, inst->isa.word.lo);
}

void exec_refused(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                  struct issued *out)
{
    (void)active;
    (void)out;
    char reason[160];
    const char *name = isa_op_info((enum isa_op)inst->isa.op)->name;
    if (inst->isa.op == ISA_OP_LDGMC || inst->isa.op == ISA_OP_LDGMC_FLOAT)
        snprintf(reason, sizeof reason,
                 "%s (multimem.ld_reduce) reads a multicast object, which binds memory of several GPUs; there is one",
                 name);
    else
        snprintf(reason, sizeof reason, "%s is decoded but not executed yet", name);
    exec_refuse(core, warp, inst, reason);
}

bool exec_check_target(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t target)
{
    const struct exec_kernel *kernel = warp->cta->launch->kernel;
    if (target % 16 == 0 && target / 16 < kernel->count)
        return true;
    exec_fault_at(core, warp, inst, EXEC_NO_LANE, target, EXEC_FAULT_PC,
                  "jump to 0x%" PRIx32 ", outside the kernel's code (0x%" PRIx32 " bytes)", target, kernel->count * 16);
    return false;
}
