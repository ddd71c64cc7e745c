#include "validate/csv.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

struct csv csv_begin(char *text) { return (struct csv){.next = text}; }

/* Whether the row at csv->next holds nothing. Then it is passed over. */
static bool pass_over(struct csv *csv)
{
    char *at = csv->next;
    if (*at != '#' && *at != '\n' && !(at[0] == '\r' && at[1] == '\n'))
        return false;
    char *end = strchr(at, '\n');
    csv->next = end ? end + 1 : at + strlen(at);
    csv->lines_read++;
    return true;
}

/* Ends the field that begins at csv->next and moves its text there. Returns the character behind it. */
static char read_field(struct csv *csv)
{
    const char *from = csv->next;
    char *to = csv->next;
    bool quoted = *from == '"';
    from += quoted;
    for (; *from; from++) {
        if (quoted && *from == '"' && from[1] != '"') {
            quoted = false;
            continue;
        }
        if (!quoted && (*from == ',' || *from == '\n'))
            break;
        if (quoted && *from == '"')
            from++;
        csv->lines_read += *from == '\n';
        *to++ = *from;
    }
    char behind = *from;
    if (behind != ',' && to > csv->next && to[-1] == '\r')
        to--;
    csv->next = (char *)from + (behind != '\0');
    *to = '\0';
    return behind;
}

unsigned csv_row(struct csv *csv, char **field, unsigned most)
{
    while (*csv->next && pass_over(csv)) {
    }
    if (!*csv->next)
        return 0;
    csv->line = csv->lines_read + 1;
    unsigned count = 0;
    char behind = ',';
    while (behind == ',') {
        if (count < most)
            field[count] = csv->next;
        count++;
        behind = read_field(csv);
    }
    csv->lines_read++;
    return count;
}

void csv_field(const char *text, FILE *out)
{
    if (!strpbrk(text, ",\"\n\r") && *text != '#') {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

void csv_next_text(const char *text, FILE *out)
{
    fputc(',', out);
    csv_field(text, out);
}

void csv_next_number(double value, FILE *out)
{
    fputc(',', out);
    if (!isnan(value))
        fprintf(out, "%.9g", value);
}
