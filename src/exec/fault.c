#include "exec/fault.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "exec/executors.h"
#include "exec/kernel.h"

/* "kernel sgemm_naive, pc 0x120 (LDG.E R2, [R2.64]), CTA (3,0,0), warp 2, lane 7"; behind the kernel's name another
 * function that it has called: ", in malloc" */
static void describe_place(const struct exec_warp *warp, const struct exec_inst *inst, unsigned lane, char *text,
                           size_t size)
{
    char sass[ISA_TEXT];
    isa_print(&inst->isa, sass);
    const struct exec_cta *cta = warp->cta;
    const struct exec_kernel *kernel = cta->launch->kernel;
    const char *name = kernel && kernel->cubin ? kernel->cubin->name : "?";
    const char *function = kernel ? kernel_function(cta->launch->module, kernel, inst->isa.pc) : NULL;
    int n = snprintf(text, size,
                     "kernel %s%s%s, pc 0x%" PRIx32 " (%s), CTA (%" PRIu32 ",%" PRIu32 ",%" PRIu32 "), warp %" PRIu32,
                     name, function ? ", in " : "", function ? function : "", inst->isa.pc, sass, cta->index.x,
                     cta->index.y, cta->index.z, warp->index);
    if (lane < EXEC_NO_LANE && n > 0 && (size_t)n < size)
        snprintf(text + n, size - (size_t)n, ", lane %u", lane);
}

void exec_fault(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, unsigned lane,
                enum status_code code, const char *format, ...)
{
    char place[400], what[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    describe_place(warp, inst, lane, place, sizeof place);
    status_fail(&core->fault, code, "%s: %s", place, what);
    warp->live = 0;
    warp->paths = 0;
}

void exec_refuse(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, const char *reason)
{
    exec_fault(core, warp, inst, EXEC_NO_LANE, STATUS_UNSUPPORTED, "not simulated: %s", reason);
}

void exec_invalid(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                  struct issued *out)
{
    (void)active;
    (void)out;
    if (inst->isa.pc / 16 >= warp->cta->launch->kernel->count)
        exec_fault(core, warp, inst, EXEC_NO_LANE, STATUS_FAULT, "the warp has run off the end of the kernel's code");
    else
        exec_fault(core, warp, inst, EXEC_NO_LANE, STATUS_UNSUPPORTED,
                   "0x%016" PRIx64 "%016" PRIx64 " is no instruction of this architecture that is known here",
                   inst->isa.word.hi, inst->isa.word.lo);
}

void exec_refused(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                  struct issued *out)
{
    (void)active;
    (void)out;
    char reason[64];
    snprintf(reason, sizeof reason, "%s is decoded but not executed yet", isa_op_info((enum isa_op)inst->isa.op)->name);
    exec_refuse(core, warp, inst, reason);
}
