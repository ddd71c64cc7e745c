/* The language in which encodings.def describes an instruction: the disassembled line, in which each printed thing is
 * named by the field that holds it. Decoder and disassembler interpret the same elements, so they cannot disagree.
 *
 *   line        mnemonic, a space, operands; characters that mean nothing below stand for themselves
 *
 * Fields stand in @high:low, where commas join the parts of a split field, most significant first.
 *
 *   {.M@7:5}    modifier M (modifiers.def), printed as the name of its value (enums.def) after a dot; an empty name is
 *               not printed, nor the dot. {.M@7:5:N} takes the names from table N, {.M@7:5~N} also translates: the
 *               modifier holds the number that the name has in table M
 *   {#M@7:5}    printed in hexadecimal; % in decimal; & as a set {2,0}; ^ as signs PP, PN,
 *               NP or ZP, two bits each
 *   {M@5=1}     the field must hold 1, and the modifier does: which tells apart rows with one opcode. {@5=1} is only a
 *               condition, {M=1} only a modifier that all instructions of the row have. {M=MATCH_ANY} has the value of
 *               ISA_MATCH_ANY (enums.def), which the row prints itself
 *   {@7:5?3}    bits that mean nothing and are not printed. Compiled code has 3 there. So ({SIGNED@72?1}), and
 *               ({Pp?15}), where bit 3 is the negation: decoded, not printed, with a customary value
 *   {gdesc[UA]}   an operand in brackets, with or without a word before them
 *   {, x?}      text and a modifier, predicate or operand, left out when it has its default: 0, or n after ?n; PT; RZ
 *   (x)         decoded, not printed
 *
 *   D A B C E F G   registers in their usual places; U before the letter: uniform; # before: an immediate. B and C
 *               follow the operand form. -A, ~A, |A| may be negated, inverted, made absolute. After the letter:
 *     @7:5      where it is            !8        where its negation is
 *     *2        two registers          *M        as many as the value of modifier M says
 *     :s        an immediate is signed, :f a float, :d the upper word of a double, :p two halves
 *     :h        two halves, and of a register a choice of them; :n also with one negated; :q one half
 *     :z        a half beside floats; :x a pair of floats        /83       where the choice of a part is
 *               A pair of which F32 is chosen is one register, which gives both floats (compiled code: odd ones too).
 *     :y :w     byte or half-word of a register; :v half-word that is a half, :b a bfloat16
 *     :t        a part of it is selected by the text behind it
 *     :r        may stay in the reuse cache though the latency varies; :r50 when bit 50 says so
 *     +1        of a uniform register: the next one
 *   Pu Pv       predicate destinations; Pp Pq Pr sources; U before: uniform. After it @7:5, or @~7:5 where the index is
 *               complemented; !8 negation; +9 the bit that makes it uniform
 *   [A+UB+off@63:40]   memory operand: register, uniform register, byte offset. {.M@..} or .64 after the register is
 *               printed with it; A?: RZ is left out beside a uniform register. That of an address in B is operand c.
 *               off@56:40*32: the field counts units of 32 bytes
 *   desc[UB] desc[UB+1]   descriptor, or that in the next uniform register; idesc is one too
 *   word[UB{+#E..?}]      other words before a bracket stand for themselves
 *   c[bank@7:5][A+coff@63:40] cx[handle@7:5][..]   constant with its index register; UA? and UA@63:40?: URZ is left out
 *   target@81:34   branch target in words of 4 bytes from the next instruction; absolute@ from 0; address@ unsigned;
 *                  place@ in bytes from the next instruction
 *   bar@19:16   convergence barrier */
#ifndef SUBCORE_ISA_SYNTAX_H
#define SUBCORE_ISA_SYNTAX_H

#include "isa/isa.h"

enum { SYNTAX_ELEMENTS = 40, SYNTAX_PIECES = 3 };

/* Operand forms of an opcode: X(id, opcode bits 11:9, bit 91, kind of the operand that varies, it is the last one). */
#define ISA_FORMS(X)                                                                                                   \
    X(RRR, 1, 0, ISA_REG, false)                                                                                       \
    X(RRI, 2, 0, ISA_IMM, true)                                                                                        \
    X(RRC, 3, 0, ISA_CONST, true)                                                                                      \
    X(RIR, 4, 0, ISA_IMM, false)                                                                                       \
    X(RCR, 5, 0, ISA_CONST, false)                                                                                     \
    X(RRX, 3, 1, ISA_CONST_BINDLESS, true)                                                                             \
    X(RXR, 5, 1, ISA_CONST_BINDLESS, false)                                                                            \
    X(RUR, 6, 1, ISA_UREG, false)                                                                                      \
    X(RRU, 7, 1, ISA_UREG, true)                                                                                       \
    X(UUU, 1, 1, ISA_UREG, false)                                                                                      \
    X(UUI, 2, 1, ISA_IMM, true)                                                                                        \
    X(UIU, 4, 1, ISA_IMM, false)

enum syntax_form {
#define X(id, bits, bit91, kind, last) FORM_##id,
    ISA_FORMS(X)
#undef X
        FORM_COUNT,
    FORM_ONE = FORM_COUNT /* the opcode as it stands. Operands say where they are or use the RRR places */
};

/* Sets of forms that rows in encodings.def name. */
enum {
#define X(id, bits, bit91, kind, last) SET_##id = 1 << FORM_##id,
    ISA_FORMS(X)
#undef X
        SET_ONE = 1 << FORM_ONE,
    SET_ADD = 1 << (FORM_ONE + 1), /* two sources, of which the second is the C operand */
    FORMS_ONE = SET_ONE,
    FORMS_R = SET_RRR,
    FORMS_PART = SET_RRR | SET_RCR | SET_RXR | SET_RUR,
    FORMS_B = FORMS_PART | SET_RIR,
    FORMS_BC = FORMS_B | SET_RRI | SET_RRC | SET_RRX | SET_RRU,
    FORMS_WIDE = FORMS_B | SET_RRC | SET_RRX | SET_RRU,
    FORMS_C = SET_RRR | SET_RRI | SET_RRC | SET_RRX | SET_RRU | SET_ADD,
    FORMS_U = SET_UUU | SET_UIU,
    FORMS_UI = FORMS_U | SET_UUI
};

enum element_kind {
    ELEMENT_TEXT,
    ELEMENT_MODIFIER,
    ELEMENT_CONDITION,
    ELEMENT_OPERAND,
    ELEMENT_PREDICATE,
    ELEMENT_UREG_BASE,
    ELEMENT_DESCRIPTOR,
    ELEMENT_OFFSET,
    ELEMENT_ADDRESS,
    ELEMENT_BANK,
    ELEMENT_HANDLE,
    ELEMENT_CONSTANT_OFFSET,
    ELEMENT_CONSTANT,
    ELEMENT_TARGET,
    ELEMENT_ABSOLUTE,
    ELEMENT_BARRIER,
    ELEMENT_UNUSED
};

enum element_role { ROLE_D, ROLE_A, ROLE_B, ROLE_C, ROLE_E, ROLE_F, ROLE_G };
enum predicate_role { ROLE_PU, ROLE_PV, ROLE_PP, ROLE_PQ, ROLE_PR };

/* How a number is printed. */
enum element_style {
    STYLE_NAME,
    STYLE_HEX,
    STYLE_DECIMAL,
    STYLE_SET,
    STYLE_SIGNS,
    STYLE_SIGNED,
    STYLE_FLOAT,
    STYLE_DOUBLE,
    STYLE_HALF,
    STYLE_BHALF,
    STYLE_HALVES
};

enum element_flag {
    ELEMENT_HIDDEN = 1 << 0,
    ELEMENT_OPTIONAL = 1 << 1, /* left out when the value is `value` */
    ELEMENT_UNIFORM = 1 << 2,
    ELEMENT_INVERTS = 1 << 3,    /* the negation bit stands for ~ */
    ELEMENT_COMPLEMENT = 1 << 4, /* predicate index stored complemented */
    ELEMENT_DESTINATION = 1 << 5,
    ELEMENT_REUSED = 1 << 6, /* printed with .reuse whatever the latency class */
    ELEMENT_APART = 1 << 7   /* the brackets of a constant stand apart */
};

struct syntax_field {
    uint8_t pieces;
    uint8_t high[SYNTAX_PIECES], low[SYNTAX_PIECES]; /* most significant first */
};

/* One thing of a row. Bit positions 0 mean none: bit 0 belongs to the opcode in every instruction. */
struct syntax_element {
    uint8_t kind, role, flags, style;
    uint8_t operand;    /* enum isa_operand_kind */
    uint16_t names;     /* enum isa_names */
    uint16_t canonical; /* the modifier holds the number of the value's name here (NAMES_COUNT: as encoded) */
    uint8_t words,
        words_by; /* registers, or the modifier that says how many (ISA_MOD_LIMIT: none). A target has the bytes
                              * that its field counts in */
    uint8_t negate, absolute, position;
    uint8_t uniform_bit; /* of an operand: its own reuse bit */
    uint8_t length, after_length;
    uint8_t members; /* of an address or constant: how many elements before it are its parts */
    uint16_t value;  /* required or default value */
    struct syntax_field field, swizzle;
    const char *text;  /* literal, or the text before */
    const char *after; /* the text after */
};

struct syntax_row {
    uint16_t count;
    struct syntax_element element[SYNTAX_ELEMENTS];
};

/* Compiles a row's text for one form and architecture. Returns NULL, or the place in the text where it is wrong. */
const char *syntax_compile(const char *text, enum syntax_form form, bool second_is_c, unsigned sm,
                           struct syntax_row *out);

uint64_t syntax_field_bits(const struct syntax_field *field, struct word128 word);
unsigned syntax_field_width(const struct syntax_field *field);

/* ---- rows -------------------------------------------------------------------------------------------------------- */

struct isa_encoding {
    uint16_t op, opcode;
    uint8_t first_sm, last_sm;
    uint32_t forms;
    const char *text;
};

extern const struct isa_encoding isa_encodings[];
extern const unsigned isa_encoding_count;

/* Bits 91 and 11:0 of an opcode in one form. */
unsigned isa_form_opcode(unsigned opcode, enum syntax_form form);
/* The form in which a word that belongs to the row uses it. */
enum syntax_form isa_form_of(const struct isa_encoding *row, unsigned opcode);

/* ---- names of values --------------------------------------------------------------------------------------------- */

enum isa_names {
#define NAMES(id, other, ...) NAMES_##id,
#include "isa/enums.def"
    NAMES_COUNT
};

/* Name of a value (NULL: it has none, and `*other` is the text before its number). */
const char *isa_value_name(enum isa_names names, unsigned value, const char **other);
/* Which table is called so (NAMES_COUNT: none). */
enum isa_names isa_names_find(const char *name, size_t length);
const char *isa_modifier_name(enum isa_modifier modifier);
enum isa_modifier isa_modifier_find(const char *name, size_t length);

/* Value of an identifier in enums.def, without ISA_ (ISA_NO_VALUE: there is none). */
enum { ISA_NO_VALUE = 1 << 16 };
unsigned isa_value_find(const char *id, size_t length);

/* Number that the name of a value has in another table (UINT8_MAX: none). */
unsigned isa_value_canonical(enum isa_names canonical, enum isa_names names, unsigned value);

/* One element, and after all elements the width of its operand where a modifier says it. */
void syntax_decode_element(struct isa_inst *inst, const struct syntax_element *e);
void syntax_decode_width(struct isa_inst *inst, const struct syntax_element *e);
/* Fills the operands, predicates and modifiers of an instruction. */
void syntax_decode(const struct syntax_element *element, unsigned count, struct isa_inst *inst);

/* Registers that an operand has by the value of a modifier. */
unsigned isa_words_by(enum isa_modifier modifier, const struct isa_inst *inst, enum element_role role);

/* May the operand be printed with .reuse? */
bool syntax_reusable(enum isa_op op, const struct syntax_element *e);
/* Does the choice of a part stand behind the closing bar and .reuse? */
bool syntax_part_last(const struct syntax_element *e);

/* Mnemonic that replaces the row's where the disassembler has a special name (NULL: none). */
const char *isa_alias(const struct isa_inst *inst);
/* Such a name of the opcode that the text begins with (NULL: none). */
const char *isa_alias_at(enum isa_op op, const char *text, size_t length);

#endif
