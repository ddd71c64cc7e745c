#include "report/range.h"

#include <fnmatch.h>
#include <string.h>

#include "base/text.h"

static void end_text(char *text, size_t size)
{
    text[size - 1] = '\0';
    text_make_printable(text, "");
}

bool range_next(FILE *from, struct range_record *r)
{
    if (fread(r, sizeof *r, 1, from) != 1 || r->layout != sizeof *r || r->kind >= RANGE_KINDS || r->count > RANGES_MOST)
        return false;
    if (r->kind != RANGE_SCOPE) {
        end_text(r->text.domain, sizeof r->text.domain);
        end_text(r->text.name, sizeof r->text.name);
    }
    return true;
}

static bool like(const char *pattern, const char *text)
{
    return strcmp(pattern, text) == 0 || (strpbrk(pattern, "*?") && fnmatch(pattern, text, 0) == 0);
}

bool range_is(const char *rule, const char *domain, const char *name)
{
    const char *at = strchr(rule, '@');
    char part[RANGE_DOMAIN + 1];
    if (like(rule, name))
        return true;
    if (!at || (size_t)(at - rule) >= sizeof part)
        return false;
    memcpy(part, rule, (size_t)(at - rule));
    part[at - rule] = '\0';
    return like(part, domain) && like(at + 1, name);
}
