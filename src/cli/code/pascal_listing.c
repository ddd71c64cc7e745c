#include "cli/code/pascal_listing.h"

#include <stdlib.h>
#include <string.h>

enum { WORD = 8 };

bool pascal_listing_words(FILE *in, const char *path, unsigned sm, struct status *status)
{
    char line[256], text[ISA_TEXT];
    uint64_t control = 0;
    uint32_t pc = 0;
    for (unsigned number = 1; fgets(line, sizeof line, in); number++) {
        const char *digits = line + strspn(line, " \t\r\n");
        digits += strncmp(digits, "0x", 2) == 0 ? 2 : 0;
        size_t length = strspn(digits, "0123456789abcdefABCDEF");
        if (*digits == '\0')
            continue;
        if (length != 2 * WORD || digits[length + strspn(digits + length, " \t\r\n")] != '\0')
            return status_fail(status, STATUS_FORMAT, "%.200s:%u: expected one word of 16 hexadecimal digits", path,
                               number);
        uint64_t word = strtoull(digits, NULL, 16);
        struct pascal_inst inst;
        if (pascal_is_control(pc)) {
            control = word;
        } else {
            pascal_decode(sm, word, pascal_control_bits(control, pc), pc, &inst);
            pascal_print(&inst, text);
            puts(text);
        }
        pc += WORD;
    }
    return true;
}
