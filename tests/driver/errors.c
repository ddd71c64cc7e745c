#include "driver/state/errors.h"

#include <unistd.h>

#include "tests/driver/rig.h"

#define RESULT(code, sentence) {code, #code},
static const struct {
    CUresult code;
    const char *name;
} results[] = {
#include "driver/state/results.def"
};
#undef RESULT

enum { RESULTS = sizeof results / sizeof results[0] };

static void every_code_has_its_name_and_a_sentence(void **state)
{
    (void)state;
    const char *text;
    for (size_t i = 0; i < RESULTS; ++i) {
        SUCCEEDS(cuGetErrorName(results[i].code, &text));
        assert_string_equal(text, results[i].name);
        SUCCEEDS(cuGetErrorString(results[i].code, &text));
        assert_true(strlen(text) > 5);
    }
}

static void numbers_that_are_no_code_have_neither(void **state)
{
    (void)state;
    const char *text = "untouched";
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuGetErrorName((CUresult)12345, &text));
    assert_null(text);
    text = "untouched";
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuGetErrorString((CUresult)-1, &text));
    assert_null(text);
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuGetErrorName(CUDA_SUCCESS, NULL));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuGetErrorString(CUDA_SUCCESS, NULL));
}

static void the_codes_are_those_of_the_toolkits_header(void **state)
{
    (void)state;
    const char *home = getenv("CUDA_HOME"), *text;
    char path[4096], line[1024], name[128];
    int number;
    size_t found = 0;
    snprintf(path, sizeof path, "%s/include/cuda.h", home ? home : "/usr/local/cuda");
    FILE *header = fopen(path, "r");
    if (!header)
        skip();
    while (fgets(line, sizeof line, header) && strncmp(line, "typedef enum cudaError_enum", 27) != 0)
        continue;
    while (fgets(line, sizeof line, header) && strncmp(line, "} CUresult", 10) != 0)
        if (sscanf(line, " %127[A-Z0-9_] = %d", name, &number) == 2) {
            SUCCEEDS(cuGetErrorName((CUresult)number, &text));
            assert_string_equal(text, name);
            ++found;
        }
    fclose(header);
    assert_int_equal(found, RESULTS);
}

UNIT_TESTS(UNIT(every_code_has_its_name_and_a_sentence), UNIT(numbers_that_are_no_code_have_neither),
           UNIT(the_codes_are_those_of_the_toolkits_header))
