/* Forbidden acts of a warp, and the sentence that says so. */
#include "exec/fault.h"
#include "exec/launch/service.h"
#include "machine.h"

enum { SIZE_U8 = 0, SIZE_U16 = 2, SIZE_32 = 4, SIZE_64 = 5, SIZE_128 = 6, ADDRESS = 4 };

static struct isa_inst window(enum isa_op op, unsigned size)
{
    struct isa_inst i = inst(op);
    bool store = op == ISA_OP_STS || op == ISA_OP_STL;
    i.a = reg(ADDRESS);
    *(store ? &i.b : &i.d) = wide(8, size == SIZE_128 ? 4 : size == SIZE_64 ? 2 : 1);
    i.mod[ISA_MOD_SIZE] = (uint8_t)size;
    return i;
}

/* One instruction of which lane 7 has the address `at` and all others a good one. */
static struct machine *one(struct isa_inst isa, uint64_t good, uint64_t at)
{
    struct machine *m = machine_create(true, 96);
    memory_alloc(m->memory, 4096);
    m->launch.local_base = memory_alloc(m->memory, 64 * 32 * 4);
    m->launch.local_slots = 4;
    m->kernel.local_bytes = 64;
    for (unsigned i = 0; i < 18; i++)
        add(m, inst(ISA_OP_NOP));
    add(m, isa);
    machine_begin(m);
    m->cta->index = (struct exec_dim){3, 0, 1};
    for (unsigned i = 0; i < 18; i++)
        machine_step(m, 2);
    set_addresses(m, 2, ADDRESS, good, 0);
    m->cta->warps[2].reg[ADDRESS][7] = (uint32_t)at;
    m->cta->warps[2].reg[ADDRESS + 1][7] = (uint32_t)(at >> 32);
    machine_step(m, 2);
    return m;
}

static void assert_good(struct isa_inst isa, uint64_t good, uint64_t at)
{
    struct machine *m = one(isa, good, at);
    assert_string_equal(m->core.fault.text, "");
    assert_int_equal(m->out.flow, ISSUED_NEXT);
    machine_destroy(m);
}

static void assert_fault(struct isa_inst isa, uint64_t good, uint64_t at, const char *expected)
{
    struct machine *m = one(isa, good, at);
    static const char head[] = "kernel test, pc 0x120 (";
    assert_int_equal(m->core.fault.code, STATUS_FAULT);
    assert_memory_equal(m->core.fault.text, head, sizeof head - 1);
    const char *place = strstr(m->core.fault.text, "), CTA (3,0,1), warp 2, lane 7: ");
    assert_non_null(place);
    assert_string_equal(strchr(place + 2, ':') + 2, expected);
    assert_int_equal(m->out.flow, ISSUED_EXITED);
    assert_int_equal(m->cta->warps[2].live, 0);
    machine_destroy(m);
}

static void a_global_access_past_the_end_is_a_fault(void **state)
{
    (void)state;
    uint64_t base = MEMORY_BASE;
    assert_good(global_load(8, ADDRESS, 0, SIZE_32), base, base + 4092);
    assert_fault(global_load(8, ADDRESS, 0, SIZE_32), base, base + 4096 + 16,
                 "illegal address 0x700000001010 of a 4-byte global load: 16 bytes past the end of the allocation "
                 "0x700000000000-0x700000001000 (4096 bytes)");
    assert_fault(global_load(8, ADDRESS, 4, SIZE_32), base, base + 4092,
                 "illegal address 0x700000001000 of a 4-byte global load: 0 bytes past the end of the allocation "
                 "0x700000000000-0x700000001000 (4096 bytes)");
    assert_fault(global_store(ADDRESS, -8, 8, SIZE_64), base + 8, base,
                 "illegal address 0x6ffffffffff8 of a 8-byte global store: 8 bytes before the allocation "
                 "0x700000000000-0x700000001000 (4096 bytes)");
    assert_fault(global_load(8, ADDRESS, 0, SIZE_U8), base, 0,
                 "illegal address 0x0 of a 1-byte global load: 123145302310912 bytes before the allocation "
                 "0x700000000000-0x700000001000 (4096 bytes)");
}

/* All lanes but one are good, in the same 256 bytes. */
static void the_end_of_an_allocation_is_exact(void **state)
{
    (void)state;
    static const struct {
        unsigned size, bytes;
    } sizes[] = {{SIZE_U8, 1}, {SIZE_U16, 2}, {SIZE_32, 4}, {SIZE_128, 16}};
    for (unsigned bytes = 1000; bytes < 1040; bytes++)
        for (unsigned i = 0; i < 4; i++)
            for (unsigned beyond = 0; beyond < 2; beyond++) {
                struct machine *m = machine_create(true, 32);
                uint64_t base = memory_alloc(m->memory, bytes);
                uint64_t last = base + bytes / sizes[i].bytes * sizes[i].bytes - (beyond ? 0 : sizes[i].bytes);
                add(m, global_load(8, ADDRESS, 0, sizes[i].size));
                machine_begin(m);
                set_addresses(m, 0, ADDRESS, base + (bytes - 1) / 256 * 256 - 16, 0);
                row(m, ADDRESS)[6] = (uint32_t)(last - sizes[i].bytes);
                row(m, ADDRESS)[7] = (uint32_t)last;
                machine_step(m, 0);
                assert_int_equal(m->core.fault.code, beyond ? STATUS_FAULT : STATUS_OK);
                machine_destroy(m);
            }
}

static void a_misaligned_access_is_a_fault(void **state)
{
    (void)state;
    static const struct {
        unsigned size, bytes;
    } sizes[] = {{SIZE_U16, 2}, {SIZE_32, 4}, {SIZE_64, 8}, {SIZE_128, 16}};
    for (unsigned i = 0; i < 4; i++) {
        char expected[200];
        uint64_t at = MEMORY_BASE + 64 + sizes[i].bytes / 2;
        snprintf(expected, sizeof expected, "misaligned address 0x%llx of a %u-byte global load",
                 (unsigned long long)at, sizes[i].bytes);
        assert_fault(global_load(8, ADDRESS, 0, sizes[i].size), MEMORY_BASE, at, expected);
        snprintf(expected, sizeof expected, "misaligned address 0x%x of a %u-byte shared store",
                 64 + sizes[i].bytes / 2, sizes[i].bytes);
        assert_fault(window(ISA_OP_STS, sizes[i].size), 0, 64 + sizes[i].bytes / 2, expected);
    }
}

static void shared_memory_ends_where_the_launch_says(void **state)
{
    (void)state;
    assert_good(window(ISA_OP_LDS, SIZE_128), 0, 4080);
    assert_good(window(ISA_OP_STS, SIZE_U8), 0, 4095);
    assert_fault(window(ISA_OP_LDS, SIZE_32), 0, 4096,
                 "illegal address 0x1000 of a 4-byte shared load: there are 4096 bytes");
    assert_fault(window(ISA_OP_STS, SIZE_32), 0, UINT64_C(0xfffffffc),
                 "illegal address 0xfffffffc of a 4-byte shared store: there are 4096 bytes");
    struct isa_inst add_one = window(ISA_OP_LDS, SIZE_32);
    add_one.op = ISA_OP_ATOMS;
    add_one.b = reg(12);
    assert_fault(add_one, 0, 8192, "illegal address 0x2000 of a 4-byte shared atomic: there are 4096 bytes");
}

static void local_memory_ends_with_the_threads_stack(void **state)
{
    (void)state;
    assert_good(window(ISA_OP_LDL, SIZE_128), 0, 48);
    assert_good(window(ISA_OP_STL, SIZE_U8), 0, 63);
    assert_fault(window(ISA_OP_LDL, SIZE_64), 0, 64, "illegal address 0x40 of a 8-byte local load: there are 64 bytes");
    assert_fault(window(ISA_OP_STL, SIZE_32), 0, UINT64_C(0xfffffff0),
                 "illegal address 0xfffffff0 of a 4-byte local store: there are 64 bytes");
}

static void atomics_and_copies_are_checked_too(void **state)
{
    (void)state;
    struct isa_inst i = global_load(8, ADDRESS, 0, SIZE_32);
    i.b = reg(12);
    i.op = ISA_OP_ATOMG;
    assert_fault(i, MEMORY_BASE, MEMORY_BASE + 4096,
                 "illegal address 0x700000001000 of a 4-byte global atomic: 0 bytes past the end of the allocation "
                 "0x700000000000-0x700000001000 (4096 bytes)");
    i.op = ISA_OP_RED;
    assert_fault(i, MEMORY_BASE, MEMORY_BASE + 2, "misaligned address 0x700000000002 of a 4-byte global reduction");
    i.op = ISA_OP_LDGSTS;
    i.b = wide(RZ, 1);
    assert_fault(i, MEMORY_BASE, MEMORY_BASE + 4097,
                 "misaligned address 0x700000001001 of a 4-byte copy from global memory");
    i.b.value = 4096;
    struct machine *m = one(i, MEMORY_BASE, MEMORY_BASE);
    assert_non_null(strstr(m->core.fault.text, "illegal address 0x1000 of a 4-byte copy to shared memory"));
    machine_destroy(m);
}

static void lanes_that_do_not_execute_are_not_checked(void **state)
{
    (void)state;
    static const enum isa_op ops[] = {ISA_OP_LDG, ISA_OP_STG, ISA_OP_LDS, ISA_OP_STS, ISA_OP_LDL, ISA_OP_STL};
    for (unsigned n = 0; n < 6; n++) {
        struct machine *m = machine_create(true, 32);
        uint64_t base = memory_alloc(m->memory, 4096);
        m->launch.local_base = memory_alloc(m->memory, 64 * 32);
        m->launch.local_slots = 1;
        m->kernel.local_bytes = 64;
        struct isa_inst i = n < 2 ? global_load(8, ADDRESS, 0, SIZE_32) : window(ops[n], SIZE_32);
        i.op = (uint16_t)ops[n];
        i.b = wide(8, 1);
        add(m, when(0, i));
        machine_begin(m);
        set_addresses(m, 0, ADDRESS, 3, UINT64_C(0x123456789));
        row(m, ADDRESS)[5] = n < 2 ? (uint32_t)base : 0;
        row(m, ADDRESS + 1)[5] = (uint32_t)(base >> 32);
        m->cta->warps[0].pred[0] = 1u << 5;
        machine_step(m, 0);
        assert_string_equal(m->core.fault.text, "");
        machine_destroy(m);
    }
}

static void a_core_with_a_fault_executes_no_more(void **state)
{
    (void)state;
    struct machine *m = one(global_load(8, ADDRESS, 0, SIZE_32), MEMORY_BASE, 0);
    struct status first = m->core.fault;
    machine_step(m, 0);
    assert_int_equal(m->out.flow, ISSUED_EXITED);
    assert_int_equal(m->cta->warps[0].live, 0);
    assert_string_equal(m->core.fault.text, first.text);
    machine_destroy(m);
}

static void assert_refused(struct isa_inst isa, const char *why)
{
    struct machine *m = machine_create(true, 32);
    add(m, isa);
    machine_begin(m);
    machine_step(m, 0);
    assert_int_equal(m->core.fault.code, STATUS_UNSUPPORTED);
    assert_non_null(strstr(m->core.fault.text, why));
    assert_int_equal(m->out.flow, ISSUED_EXITED);
    machine_destroy(m);
}

static void what_is_not_simulated_is_refused_by_name(void **state)
{
    (void)state;
    struct isa_inst i = inst(ISA_INVALID);
    i.word = (struct word128){0x1234, 0x5678};
    assert_refused(i, "0x00000000000056780000000000001234 is no instruction");
    i = special(4, 200);
    assert_refused(i, "this special register");
    i = inst(ISA_OP_BAR);
    i.mod[ISA_MOD_MODE] = 3;
    assert_refused(i, "a barrier that scans predicates");
    i = inst(ISA_OP_ATOMG);
    i.a = wide(4, 2);
    i.b = i.d = reg(8);
    i.mod[ISA_MOD_ATOM_TYPE] = 20;
    assert_refused(i, "this atomic operation or type");
    i = inst(ISA_OP_BMOV);
    i.barrier = 26;
    i.d = reg(4);
    assert_refused(i, "moves of warp state");
}

static void a_jump_out_of_the_code_is_a_fault(void **state)
{
    (void)state;
    static const uint32_t targets[] = {2, 1000, 0x0ffffff0};
    for (unsigned n = 0; n < 3; n++) {
        struct machine *m = machine_create(true, 32);
        add(m, jump(targets[n]));
        add(m, inst(ISA_OP_NOP));
        machine_begin(m);
        machine_step(m, 0);
        assert_int_equal(m->core.fault.code, STATUS_FAULT);
        assert_non_null(strstr(m->core.fault.text, "outside the kernel's code (0x20 bytes)"));
        machine_destroy(m);
    }
}

static void a_call_of_a_driver_function_that_is_not_here_is_refused_by_its_name(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint64_t address;
        const char *text;
    } cases[] = {
        {"cudaGraphLaunch", EXEC_EXTERN_WINDOW + 16,
         "not simulated: a call of cudaGraphLaunch, which the driver supplies"},
        {"cudaLaunchDevice", EXEC_EXTERN_WINDOW + 16,
         "not simulated: launches by device code (dynamic parallelism), of which cudaLaunchDevice is a part"},
        {"", EXEC_EXTERN_WINDOW + 32, "a jump to 0x610000000020, where this module has no code"},
        {"", 0, "a jump to 0x0, where this module has no code"},
        {"", EXEC_CODE_WINDOW + 16, NULL}, /* the second instruction */
    };
    for (unsigned n = 0; n < 5; n++) {
        struct cubin_symbol symbols[] = {{0}, {.name = cases[n].name}};
        struct machine *m = machine_create(true, 32);
        uint32_t symbol = 1;
        m->module.cubin.symbols = symbols;
        m->module.cubin.symbol_count = 2;
        m->kernel.service = &symbol;
        m->kernel.service_count = 1;
        m->kernel.services = 16;
        struct isa_inst call = inst(ISA_OP_CALL);
        call.a = wide(ADDRESS, 2);
        call.mod[ISA_MOD_ABSOLUTE] = 1;
        add(m, call);
        add(m, inst(ISA_OP_RET));
        machine_begin(m);
        m->code[1].run = exec_service;
        set_addresses(m, 0, ADDRESS, cases[n].address, 0);
        machine_step(m, 0);
        if (n < 2)
            machine_step(m, 0);
        if (cases[n].text)
            assert_non_null(strstr(m->core.fault.text, cases[n].text));
        else
            assert_int_equal(m->out.next_pc, 16);
        machine_destroy(m);
    }
}

static void launches_by_device_code_are_told_from_other_functions_of_the_driver(void **state)
{
    (void)state;
    assert_true(service_launches("__cuda_syscall_cnpv2LaunchDeviceV2"));
    assert_true(service_launches("__cudaCDP2GetParameterBufferV2"));
    assert_true(service_launches("cudaLaunchDeviceV2"));
    assert_true(service_launches("Undefined reference to 'cudaGetParameterBuffer' in 'x'"));
    assert_false(service_launches("cudaGraphLaunch"));
    assert_false(service_launches("vprintf"));
}

static void running_off_the_end_of_the_code_is_a_fault(void **state)
{
    (void)state;
    struct machine *m = machine_create(true, 32);
    add(m, inst(ISA_OP_NOP));
    machine_begin(m);
    machine_step(m, 0);
    assert_string_equal(m->core.fault.text, "");
    machine_step(m, 0);
    assert_int_equal(m->core.fault.code, STATUS_FAULT);
    assert_non_null(strstr(m->core.fault.text, "the warp has run off the end of the kernel's code"));
    assert_int_equal(m->out.flow, ISSUED_EXITED);
    machine_destroy(m);
}

static void assert_kind(struct machine *m, enum exec_fault_kind kind, unsigned lane, bool has_address, uint64_t address)
{
    const struct exec_fault_report *r = &m->core.report;
    assert_string_equal(exec_fault_name(r->kind), exec_fault_name(kind));
    assert_string_equal(r->kernel, "test");
    assert_int_equal(r->pc, 0x120);
    assert_int_equal(r->cta.x, 3);
    assert_int_equal(r->cta.z, 1);
    assert_int_equal(r->warp, 2);
    assert_int_equal(r->lane, lane);
    assert_int_equal(r->has_address, has_address);
    assert_int_equal(r->address, address);
    assert_string_equal(strchr(strstr(m->core.fault.text, "warp 2"), ':') + 2, r->text);
    machine_destroy(m);
}

/* Those that compiled kernels reach are in tests/gpu/launches.c. */
static void a_fault_is_told_in_parts(void **state)
{
    (void)state;
    struct isa_inst i = global_load(8, ADDRESS, 0, SIZE_32);
    assert_kind(one(i, MEMORY_BASE, 0x123000), EXEC_FAULT_ADDRESS, 7, true, 0x123000);
    assert_kind(one(i, MEMORY_BASE, MEMORY_BASE + 1), EXEC_FAULT_MISALIGNED, 7, true, MEMORY_BASE + 1);
    assert_kind(one(window(ISA_OP_LDS, SIZE_32), 0, 4096), EXEC_FAULT_ADDRESS, 7, true, 4096);
    assert_kind(one(window(ISA_OP_LDL, SIZE_32), 0, 64), EXEC_FAULT_ADDRESS, 7, true, 64);
    assert_kind(one(window(ISA_OP_STL, SIZE_32), 0, 0xfffffff0), EXEC_FAULT_STACK, 7, true, 0xfffffff0);
    i.op = ISA_OP_ATOM;
    i.b = reg(12);
    i.pu = (struct isa_predicate){.present = true, .index = ISA_PT};
    assert_kind(one(i, MEMORY_BASE, EXEC_LOCAL_WINDOW + 8), EXEC_FAULT_SPACE, 7, true, EXEC_LOCAL_WINDOW + 8);
    assert_kind(one(inst(ISA_INVALID), MEMORY_BASE, MEMORY_BASE), EXEC_FAULT_INSTRUCTION, EXEC_LANES, false, 0);
    assert_kind(one(special(4, 200), MEMORY_BASE, MEMORY_BASE), EXEC_FAULT_UNSUPPORTED, EXEC_LANES, false, 0);
    assert_kind(one(jump(0x1000), MEMORY_BASE, MEMORY_BASE), EXEC_FAULT_PC, EXEC_LANES, true, 0x10000);
    i = inst(ISA_OP_BAR);
    i.b = reg(ADDRESS); /* MEMORY_BASE + 1 threads */
    assert_kind(one(i, MEMORY_BASE + 1, MEMORY_BASE + 1), EXEC_FAULT_OTHER, EXEC_LANES, false, 0);
}

static void only_the_first_fault_is_told(void **state)
{
    (void)state;
    struct machine *m = one(global_load(8, ADDRESS, 0, SIZE_32), MEMORY_BASE, 0x123000);
    exec_fault_core(&m->core, EXEC_FAULT_MEMORY, "another one");
    exec_fault_at(&m->core, &m->cta->warps[0], &m->code[0], 3, 44, EXEC_FAULT_TRAP, "and one more");
    assert_int_equal(m->core.fault.code, STATUS_FAULT);
    assert_kind(m, EXEC_FAULT_ADDRESS, 7, true, 0x123000);
}

UNIT_TESTS(UNIT(a_global_access_past_the_end_is_a_fault), UNIT(the_end_of_an_allocation_is_exact),
           UNIT(a_misaligned_access_is_a_fault), UNIT(shared_memory_ends_where_the_launch_says),
           UNIT(local_memory_ends_with_the_threads_stack), UNIT(atomics_and_copies_are_checked_too),
           UNIT(lanes_that_do_not_execute_are_not_checked), UNIT(a_core_with_a_fault_executes_no_more),
           UNIT(what_is_not_simulated_is_refused_by_name), UNIT(a_jump_out_of_the_code_is_a_fault),
           UNIT(a_call_of_a_driver_function_that_is_not_here_is_refused_by_its_name),
           UNIT(launches_by_device_code_are_told_from_other_functions_of_the_driver),
           UNIT(running_off_the_end_of_the_code_is_a_fault), UNIT(a_fault_is_told_in_parts),
           UNIT(only_the_first_fault_is_told))
