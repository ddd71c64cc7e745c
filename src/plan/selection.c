#include "plan/selection.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "cubin/kernel_name.h"
#include "plan/text.h"

enum { NAME = 1024 };

/* N, N-M or N- */
static bool read_range(const char *text, struct selection_rule *rule)
{
    return plan_read_range(&text, &rule->first, &rule->last) && *text == '\0';
}

/* The colon before the numbers, which is not part of a "::". */
static char *find_colon(char *text)
{
    char *colon = strrchr(text, ':');
    return colon && (colon == text || colon[-1] != ':') ? colon : NULL;
}

static bool add_rule(struct selection *selection, const char *text, size_t length, struct status *status)
{
    struct selection_rule rule = {.kernel = strndup(text, length), .last = UINT64_MAX};
    struct selection_rule *rules = realloc(selection->rules, (selection->count + 1) * sizeof *rules);
    if (rules)
        selection->rules = rules;
    if (!rule.kernel || !rules) {
        free(rule.kernel);
        return status_fail(status, STATUS_MEMORY, "no memory for the list of launches to time");
    }
    rules[selection->count++] = rule;
    char *colon = find_colon(rule.kernel);
    if ((colon && !read_range(colon + 1, &rules[selection->count - 1])) || colon == rule.kernel)
        return status_fail(status, STATUS_USAGE, "--detailed: '%.*s' is not KERNEL, KERNEL:N, KERNEL:N-M or KERNEL:N-",
                           (int)length, text);
    if (colon)
        *colon = '\0';
    return true;
}

bool selection_parse(struct selection *selection, const char *list, struct status *status)
{
    *selection = (struct selection){0};
    while (*list) {
        size_t length = strcspn(list, "\n");
        if (length > 0 && !add_rule(selection, list, length, status)) {
            selection_free(selection);
            return false;
        }
        list += length + (list[length] == '\n');
    }
    return true;
}

void selection_free(struct selection *selection)
{
    for (size_t i = 0; i < selection->count; i++)
        free(selection->rules[i].kernel);
    free(selection->rules);
    *selection = (struct selection){0};
}

static bool like(const char *pattern, const char *text, size_t length)
{
    char part[NAME];
    if (length >= sizeof part)
        length = sizeof part - 1;
    memcpy(part, text, length);
    part[length] = '\0';
    return strcmp(pattern, part) == 0 || (strpbrk(pattern, "*?") && fnmatch(pattern, part, 0) == 0);
}

bool selection_rule_is(const struct selection_rule *rule, const char *mangled, const char *name)
{
    const char *own = name ? kernel_name_own(name) : NULL;
    if (strcmp(rule->kernel, mangled) == 0)
        return true;
    return name &&
           (like(rule->kernel, name, strlen(name)) || like(rule->kernel, own, strlen(own)) ||
            like(rule->kernel, name, kernel_name_plain(name)) || like(rule->kernel, own, kernel_name_plain(own)));
}

bool selection_names(const struct selection *selection, const char *kernel, uint64_t number)
{
    char name[NAME] = "";
    for (size_t i = 0; i < selection->count; i++) {
        const struct selection_rule *rule = &selection->rules[i];
        if (number < rule->first || number > rule->last)
            continue;
        if (!name[0])
            kernel_name(kernel, name, sizeof name);
        if (selection_rule_is(rule, kernel, name))
            return true;
    }
    return false;
}
