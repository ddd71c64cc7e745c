/* A folder of traces that a test writes, with a small launch to write into it. */
#ifndef SUBCORE_TESTS_ACCELSIM_WRITTEN_H
#define SUBCORE_TESTS_ACCELSIM_WRITTEN_H

#include <dirent.h>
#include <unistd.h>

#include "accelsim/write.h"
#include "base/file.h"
#include "isa/assemble.h"
#include "tests/temporary.h"

enum { CODE = 3, ROOM = 1 << 16 };

static char base[TEMPORARY_PATH], folder[TEMPORARY_PATH + 16];

static inline int make_base(void **state)
{
    (void)state;
    temporary_folder(base);
    snprintf(folder, sizeof folder, "%s/traces", base);
    return 0;
}

/* Every file of the folder, and the files beside it. */
static inline unsigned remove_files(const char *path)
{
    char name[4096];
    unsigned count = 0;
    DIR *d = opendir(path);
    const struct dirent *entry;
    while (d && (entry = readdir(d)) != NULL) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        count++;
        snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        if (unlink(name) != 0) {
            remove_files(name);
            rmdir(name);
        }
    }
    if (d)
        closedir(d);
    return count;
}

static inline int remove_base(void **state)
{
    (void)state;
    remove_files(base);
    return rmdir(base);
}

static inline const char *read_text(const char *name)
{
    static char text[ROOM];
    char path[512];
    struct file_bytes bytes;
    struct status status = {0};
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (!file_read(path, ROOM - 1, &bytes, &status))
        fail_msg("%s", status.text);
    memcpy(text, bytes.data, bytes.size);
    text[bytes.size] = '\0';
    file_free(&bytes);
    return text;
}

/* ---- a launch of 40 threads a CTA, 2 x 1 CTAs -------------------------------------------------------------------- */

static struct trace_inst code[CODE];

static inline const struct trace_launch *launch(void)
{
    static const char *const texts[CODE] = {"MOV R1, c[0x0][0x28]", "STG.E [R2.64], R1", "EXIT"};
    static struct trace_launch made;
    struct status status = {0};
    struct isa_assembler *assembler = isa_assembler_create(86, &status);
    struct isa_asm_error error;
    for (unsigned i = 0; i < CODE; i++) {
        struct word128 word;
        assert_true(isa_assemble(assembler, texts[i], strlen(texts[i]), 16 * i, NULL, NULL, &word, &error));
        assert_true(isa_decode(isa_assembler_decoder(assembler), word, 16 * i, &code[i].isa));
    }
    isa_assembler_destroy(assembler);
    made = (struct trace_launch){
        .name = (char *)(uintptr_t) "_Z4copyPf",
        .architecture = 86,
        .grid = {2, 1, 1},
        .block = {20, 2, 1},
        .registers = 16,
        .static_shared = 256,
        .dynamic_shared = 512,
        .local_bytes = 32,
        .bank_bytes = {0x168, 0, 0, 16, 0},
        .code_address = 0x1000,
        .control_bits = true,
        .stream = 7,
        .code = code,
        .code_count = CODE,
    };
    return &made;
}

static inline struct issued step(unsigned index, uint32_t active)
{
    struct issued is = {.pc = 16 * index, .path = active, .active = active};
    if (index == 1) {
        is.space = ISA_SPACE_GLOBAL;
        for (unsigned lane = 0; lane < 32; lane++)
            is.address[lane] = 0x1000 + 4 * lane;
    }
    return is;
}

static inline struct accelsim_writer *begin(enum accelsim_packing packing, uint32_t version, bool with_code)
{
    struct status status = {0};
    struct accelsim_format format = {.binary_version = version, .packing = packing, .code = with_code};
    struct accelsim_writer *w = accelsim_writer_create(folder, &format, &status);
    if (!w)
        fail_msg("%s", status.text);
    return w;
}

/* All warps of the kernel; without their EXIT in the lanes of `lost`. */
static inline void add_kernel(struct accelsim_writer *w, uint32_t lost)
{
    struct status status = {0};
    assert_true(accelsim_writer_begin(w, launch(), &status));
    for (unsigned warp = 0; warp < 4; warp++) {
        uint32_t lanes = warp % 2 ? 0xff : UINT32_MAX;
        accelsim_writer_warp(w, CODE, lanes & ~lost);
        for (unsigned i = 0; i < CODE; i++) {
            struct issued is = step(i, i + 1 == CODE ? lanes & ~lost : lanes);
            accelsim_writer_add(w, &is);
        }
    }
    if (!accelsim_writer_end(w, &status))
        fail_msg("%s", status.text);
}

static inline void add_copy(struct accelsim_writer *w, uint64_t address, uint64_t bytes)
{
    accelsim_writer_copy(w, &(struct trace_copy){.address = address, .bytes = bytes});
}

/* Completes the folder. Returns the writer's report. */
static inline struct accelsim_written finish(struct accelsim_writer *w)
{
    struct status status = {0};
    if (!accelsim_writer_finish(w, &status))
        fail_msg("%s", status.text);
    struct accelsim_written report = *accelsim_writer_report(w);
    accelsim_writer_destroy(w);
    return report;
}

#define FOLDER(function) cmocka_unit_test_setup_teardown(function, make_base, remove_base)

#endif
