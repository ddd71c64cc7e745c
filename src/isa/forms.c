/* The form of an instruction, for people: "FFMA Rd, Ra, imm, Rc". */
#include "isa/forms.h"
#include "isa/table.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct form_text {
    char *out;
    size_t room, length;
    bool modifiers; /* with the names of their values */
};

static void put(struct form_text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(struct form_text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(t->out + t->length, t->room - t->length, format, args);
    va_end(args);
    t->length += n < 0 ? 0 : (size_t)n;
    if (t->length >= t->room)
        t->length = t->room - 1;
}

static void put_operand(struct form_text *t, const struct syntax_element *e)
{
    static const char letters[] = "dabcefg";
    switch (e->operand) {
    case ISA_IMM: put(t, e->style == STYLE_HALVES ? "imm, imm" : "imm"); break;
    case ISA_CONST: put(t, "c[bank][offset]"); break;
    case ISA_CONST_BINDLESS: put(t, "cx[UR][offset]"); break;
    default: put(t, "%sR%c", e->operand == ISA_UREG ? "U" : "", letters[e->role]); break;
    }
}

static void put_address(struct form_text *t, const struct syntax_element *whole)
{
    const char *plus = "";
    bool constant = whole->kind == ELEMENT_CONSTANT;
    put(t, "%s", constant ? "" : "[");
    for (const struct syntax_element *e = whole - whole->members; e < whole; e++) {
        switch (e->kind) {
        case ELEMENT_BANK: put(t, "c[bank]["); continue;
        case ELEMENT_HANDLE: put(t, "cx[UR]["); continue;
        case ELEMENT_OPERAND:
            put(t, "%s", plus);
            put_operand(t, e);
            break;
        case ELEMENT_UREG_BASE: put(t, "%sUR", plus); break;
        case ELEMENT_OFFSET:
        case ELEMENT_CONSTANT_OFFSET: put(t, "%soffset", plus); break;
        default: continue;
        }
        plus = "+";
    }
    put(t, "]");
}

static void put_predicate(struct form_text *t, const struct syntax_element *e)
{
    put(t, "%sP%c", e->flags & ELEMENT_UNIFORM ? "U" : "", "uvpqr"[e->role]);
}

static const char *name_of(const struct syntax_element *e, unsigned value)
{
    const char *other;
    return isa_value_name((enum isa_names)e->names, value, &other);
}

/* "{.RM|.RP|.RZ}", where braces say that there may be none, or of more than a few names "{.<ORDER>}". */
static void put_names(struct form_text *t, const struct syntax_element *e)
{
    enum { FEW = 8 };
    unsigned limit = 1u << syntax_field_width(&e->field), names = 0, empty = 0;
    for (unsigned value = 0; value < limit; value++) {
        const char *name = name_of(e, value);
        names += name && name[0];
        empty += name && !name[0];
    }
    const char *open = empty ? "{" : names > 1 && names <= FEW ? "(" : "";
    put(t, "%s", open);
    const char *between = "";
    for (unsigned value = 0; value < limit && names <= FEW; value++) {
        const char *name = name_of(e, value);
        if (!name || !name[0])
            continue;
        put(t, "%s%.*s%s", between, e->length, e->text, name);
        between = "|";
    }
    if (names > FEW)
        put(t, "%.*s<%s>", e->length, e->text, isa_modifier_name((enum isa_modifier)e->role));
    put(t, "%s", *open == '{' ? "}" : *open ? ")" : "");
}

static void put_element(struct form_text *t, const struct syntax_element *e)
{
    switch (e->kind) {
    case ELEMENT_TEXT: put(t, "%.*s", e->length, e->text); return;
    case ELEMENT_MODIFIER:
        if (e->style == STYLE_NAME && e->length && e->text[0] == '.') {
            if (t->modifiers)
                put_names(t, e);
            return;
        }
        break;
    case ELEMENT_ADDRESS:
    case ELEMENT_CONSTANT: put_address(t, e); return;
    default: break;
    }
    bool optional = e->flags & ELEMENT_OPTIONAL;
    put(t, "%s%.*s", optional ? "{" : "", e->length, e->text);
    switch (e->kind) {
    case ELEMENT_MODIFIER: put(t, e->style == STYLE_NAME ? "name" : e->style == STYLE_SET ? "{set}" : "number"); break;
    case ELEMENT_OPERAND: put_operand(t, e); break;
    case ELEMENT_PREDICATE: put_predicate(t, e); break;
    case ELEMENT_DESCRIPTOR: put(t, "UR"); break;
    case ELEMENT_TARGET: put(t, "target"); break;
    case ELEMENT_ABSOLUTE: put(t, "address"); break;
    case ELEMENT_BARRIER: put(t, "barrier"); break;
    default: break;
    }
    put(t, "%.*s%s", e->after_length, e->after, optional ? "}" : "");
}

static void print_row(struct form_text t, const struct syntax_element *element, unsigned count)
{
    t.out[0] = '\0';
    for (unsigned i = 0; i < count; i++)
        if (element[i].kind != ELEMENT_CONDITION && !(element[i].flags & ELEMENT_HIDDEN))
            put_element(&t, &element[i]);
    while (t.length && t.out[t.length - 1] == ' ')
        t.out[--t.length] = '\0';
}

void forms_print(const struct syntax_element *element, unsigned count, char *out, size_t room)
{
    print_row((struct form_text){.out = out, .room = room}, element, count);
}

void forms_print_modifiers(const struct syntax_element *element, unsigned count, char *out, size_t room)
{
    print_row((struct form_text){.out = out, .room = room, .modifiers = true}, element, count);
}

static bool is_listed(const char *list, const char *form)
{
    size_t n = strlen(form);
    for (const char *at = list; (at = strstr(at, form)) != NULL; at++)
        if ((at == list || at[-1] == ' ') && (at[n] == '\0' || strncmp(at + n, " |", 2) == 0))
            return true;
    return false;
}

void forms_append(const char *form, char *list, size_t room)
{
    size_t used = strlen(list), n = strlen(form);
    if (is_listed(list, form))
        return;
    if (used + n + 8 < room)
        snprintf(list + used, room - used, "%s%s", used ? " | " : "", form);
    else if (used + 6 < room && (used < 3 || strcmp(list + used - 3, "...") != 0))
        snprintf(list + used, room - used, " | ...");
}
