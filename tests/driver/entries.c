/* The list of exported names, alone and against the toolkit where there is one. */
#include "driver/state/entries.h"

#include <unistd.h>

#include "driver/state/driver.h"
#include "tests/driver/rig.h"
#include "tests/temporary.h"

static const char *toolkit(char path[4096], const char *file)
{
    const char *home = getenv("CUDA_HOME");
    snprintf(path, 4096, "%s/%s", home ? home : "/usr/local/cuda", file);
    return access(path, R_OK) == 0 ? path : NULL;
}

static void names_are_sorted_and_forms_of_a_name_ascend(void **state)
{
    (void)state;
    for (size_t i = 1; i < ENTRIES; ++i) {
        const struct entry_row *a = &entries[i - 1], *b = &entries[i];
        int order = strcmp(a->name, b->name);
        assert_true(order < 0 || (order == 0 && (a->twin < b->twin || (a->twin == b->twin && a->since < b->since))));
    }
}

static void a_symbol_is_its_name_with_a_suffix(void **state)
{
    (void)state;
    for (size_t i = 0; i < ENTRIES; ++i) {
        const struct entry_row *row = &entries[i];
        size_t length = strlen(row->name);
        const char *suffix = row->symbol + length;
        assert_int_equal(strncmp(row->symbol, row->name, length), 0);
        if (suffix[0] == '_' && suffix[1] == 'v')
            suffix += 3;
        assert_true(row->twin ? strcmp(suffix, "_ptsz") == 0 || strcmp(suffix, "_ptds") == 0 : *suffix == '\0');
    }
}

static size_t row_of(const char *symbol)
{
    for (size_t i = 0; i < ENTRIES; ++i)
        if (strcmp(entries[i].symbol, symbol) == 0)
            return i;
    return ENTRIES;
}

static void the_symbols_are_those_of_the_toolkits_library(void **state)
{
    (void)state;
    char path[4096], command[5000], line[512], symbol[256];
    if (!toolkit(path, "lib64/stubs/libcuda.so") || access("/usr/bin/nm", X_OK) != 0)
        skip();
    snprintf(command, sizeof command, "/usr/bin/nm -D --defined-only '%s'", path);
    FILE *listing = popen(command, "r");
    assert_non_null(listing);
    size_t found = 0;
    while (fgets(line, sizeof line, listing))
        if (sscanf(line, "%*x T %255s", symbol) == 1) {
            if (row_of(symbol) == ENTRIES)
                fail_msg("%s is missing", symbol);
            ++found;
        }
    pclose(listing);
    assert_int_equal(found, ENTRIES);
}

/* PFN_<name>_v<since>[_ptsz|_ptds] */
static void find_type(const char *type)
{
    char text[256];
    snprintf(text, sizeof text, "%s", type + strlen("PFN_"));
    char *twin = strstr(text, "_ptsz");
    twin = twin ? twin : strstr(text, "_ptds");
    if (twin)
        *twin = '\0';
    char *version = strrchr(text, '_');
    assert_non_null(version);
    *version = '\0';
    for (size_t i = 0; i < ENTRIES; ++i)
        if (strcmp(entries[i].name, text) == 0 && entries[i].since == atoi(version + 2) && entries[i].twin == !!twin)
            return;
    fail_msg("%s is missing", type);
}

static void the_versions_are_those_of_the_toolkits_types(void **state)
{
    (void)state;
    char path[4096], line[4096], type[256];
    if (!toolkit(path, "include/cudaTypedefs.h"))
        skip();
    FILE *header = fopen(path, "r");
    size_t found = 0;
    while (fgets(line, sizeof line, header)) {
        const char *at = strstr(line, "(CUDAAPI *PFN_");
        if (at && sscanf(at, "(CUDAAPI *%255[A-Za-z0-9_]", type) == 1) {
            find_type(type);
            ++found;
        }
    }
    fclose(header);
    assert_true(found > 600);
}

static void *address(const char *name, int version, cuuint64_t flags, CUdriverProcAddressQueryResult expected)
{
    void *pointer = &pointer;
    CUdriverProcAddressQueryResult status = 99;
    SUCCEEDS(cuGetProcAddress_v2(name, &pointer, version, flags, &status));
    assert_int_equal(status, expected);
    return pointer;
}

static void the_newest_form_that_the_version_has_is_found(void **state)
{
    (void)state;
    const CUdriverProcAddressQueryResult found = CU_GET_PROC_ADDRESS_SUCCESS;
    const CUdriverProcAddressQueryResult old = CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT;
    assert_ptr_equal(address("cuCtxCreate", 3010, 0, found), (void *)cuCtxCreate);
    assert_ptr_equal(address("cuCtxCreate", 3020, 0, found), (void *)cuCtxCreate_v2);
    assert_ptr_equal(address("cuCtxCreate", 11040, 0, found), (void *)cuCtxCreate_v3);
    assert_ptr_equal(address("cuCtxCreate", 12040, 0, found), (void *)cuCtxCreate_v3);
    assert_ptr_equal(address("cuCtxCreate", 13000, 0, found), (void *)cuCtxCreate_v4);
    assert_null(address("cuCtxCreate", 1000, 0, old));
    assert_ptr_equal(address("cuGetProcAddress", 11030, 0, found), (void *)cuGetProcAddress);
    assert_ptr_equal(address("cuGetProcAddress", 12000, 0, found), (void *)cuGetProcAddress_v2);
    assert_ptr_equal(address("cuInit", 13000, 2, found), (void *)cuInit);
}

static void unknown_names_are_not_found(void **state)
{
    (void)state;
    assert_null(address("cuNoSuchFunction", 13000, 0, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND));
    assert_null(address("", 13000, 0, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND));
    assert_null(address("cuCtxCreate_v2", 13000, 0, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND));
    assert_null(address("zzz", 13000, 0, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND));
}

static void every_form_of_every_name_is_found_with_its_version_and_not_with_an_older_one(void **state)
{
    (void)state;
    for (size_t i = 0; i < ENTRIES; ++i) {
        const struct entry_row *row = &entries[i];
        void *found = address(row->name, row->since, row->twin ? 2 : 1, CU_GET_PROC_ADDRESS_SUCCESS), *older = NULL;
        assert_ptr_equal(found, (void *)row->function);
        SUCCEEDS(cuGetProcAddress_v2(row->name, &older, row->since - 10, row->twin ? 2 : 1, NULL));
        assert_ptr_not_equal(older, found);
    }
}

static void what_is_not_implemented_is_found_and_not_supported(void **state)
{
    (void)state;
    static const char *const names[] = {"cuDeviceRegisterAsyncNotification", "cuIpcGetMemHandle", "cuTexRefCreate",
                                        "cuGraphicsMapResources", "cuMulticastCreate"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        size_t row = row_of(names[i]);
        assert_true(row < ENTRIES);
        assert_ptr_equal(entries[row].function, entries[row].refusal);
        entry_function function = (entry_function)address(names[i], 13000, 0, CU_GET_PROC_ADDRESS_SUCCESS);
        assert_int_equal(function(), CUDA_ERROR_NOT_SUPPORTED);
    }
}

static void a_missing_function_is_named_once(void **state)
{
    (void)state;
    char path[TEMPORARY_PATH], text[512] = "";
    int file = temporary_open(path), kept = dup(STDERR_FILENO);
    assert_true(kept >= 0);
    dup2(file, STDERR_FILENO);
    size_t row = row_of("cuGreenCtxCreate");
    for (int i = 0; i < 3; ++i)
        assert_int_equal(entries[row].function(), CUDA_ERROR_NOT_SUPPORTED);
    dup2(kept, STDERR_FILENO);
    close(kept);
    assert_true(pread(file, text, sizeof text - 1, 0) > 0);
    close(file);
    unlink(path);
    assert_string_equal(text, "subcore: cuGreenCtxCreate is not supported\n");
}

static void wrong_arguments_of_the_look_up_are_answered(void **state)
{
    (void)state;
    void *pointer;
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuGetProcAddress_v2(NULL, &pointer, 13000, 0, NULL));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuGetProcAddress_v2("cuInit", NULL, 13000, 0, NULL));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuGetProcAddress_v2("cuInit", &pointer, 13000, 3, NULL));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuGetProcAddress_v2("cuInit", &pointer, 13010, 0, NULL));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuGetProcAddress_v2("cuInit", &pointer, -1, 0, NULL));
    SUCCEEDS(cuGetProcAddress_v2("cuInit", &pointer, 13000, 0, NULL));
    ANSWERS(CUDA_ERROR_NOT_FOUND, cuGetProcAddress("cuNoSuchFunction", &pointer, 13000, 0));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuGetProcAddress(NULL, &pointer, 13000, 0));
    SUCCEEDS(cuGetProcAddress("cuInit", &pointer, 13000, 0));
    assert_ptr_equal(pointer, (void *)cuInit);
}

UNIT_TESTS(UNIT(names_are_sorted_and_forms_of_a_name_ascend), UNIT(a_symbol_is_its_name_with_a_suffix),
           UNIT(the_symbols_are_those_of_the_toolkits_library), UNIT(the_versions_are_those_of_the_toolkits_types),
           UNIT(the_newest_form_that_the_version_has_is_found), UNIT(unknown_names_are_not_found),
           UNIT(every_form_of_every_name_is_found_with_its_version_and_not_with_an_older_one),
           UNIT(what_is_not_implemented_is_found_and_not_supported), UNIT(a_missing_function_is_named_once),
           UNIT(wrong_arguments_of_the_look_up_are_answered))
