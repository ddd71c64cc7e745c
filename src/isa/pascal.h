/* Code of Pascal, sm_60 and sm_61. An instruction has 64 bits. Each three follow a control word with 21 bits for each
 * of them; addresses count both.
 *
 * The machines execute and time it in the form of the other architectures: a word of 128 bits whose lower half is the
 * instruction and whose upper half has its control bits, at a pc that counts 16 bytes for each instruction and nothing
 * for control words (pascal_pc). isa_decode translates such a word by pascal_translate.def.
 *
 * pascal_encodings.def describes an instruction as encodings.def does, by the line that the disassembler prints, in
 * which every printed thing is named by the bits that hold it:
 *
 *   {.M@7:5}      the name that pascal_names.def has for the value, after a dot. An empty name is not printed, nor the
 *                 dot. A word that is no table is printed where the bit is set. Commas join parts of a split field
 *   {#@7:5?3}     a number in hexadecimal; % in decimal; & as a set {2,0}; ^ as signs PP, PN, NP, ZP. Behind ?: the
 *                 value at which it and the characters around it are left out. # alone stands without braces, too;
 *                 #s is signed, #f a float
 *   {@7:5=1}      a condition, which tells apart rows with one opcode
 *   {@7:5~1}      the value that the assembler gives bits that are not printed. Others of them are 0
 *   D A B C       registers at 7:0, 15:8, 27:20 and 46:39, or B@31:24; +1 the next one; in lower case without .reuse.
 *                 -A!48 is negated by bit 48, ~A!48 inverted, |A|/46 made absolute; :H1@53 is the part behind it
 *   B             follows the form of the row: a register, a constant, or an immediate; :f a float, :d the upper word
 *                 of a double, :h two halves, :u unsigned; :t sets the brackets of a constant apart. K is always a
 *                 constant, and C is one in the form CR, whose B is in place of C
 *   P@5:3!6       a predicate, and where its negation is. With ? left out if it is PT
 *   M@43:20*4     an address of register A and an offset in units of 4 bytes
 *   L             the constant of LDC, with its index register A
 *   T@43:20       a branch target */
#ifndef SUBCORE_ISA_PASCAL_H
#define SUBCORE_ISA_PASCAL_H

#include "isa/isa.h"

/* An instruction with its control bits. */
struct pascal_inst {
    uint64_t word;
    uint32_t pc;   /* byte offset in the kernel's code section, a multiple of 8 but not 32 */
    uint16_t row;  /* row of pascal_encodings.def */
    uint8_t form;  /* its form, one of enum pascal_form */
    uint8_t reuse; /* bits 0 to 3: keep operands A, B and C; of texture instructions the phase */
    struct isa_control control;
};

enum pascal_form { PASCAL_R = 1, PASCAL_C = 2, PASCAL_I = 4, PASCAL_CR = 8 };

/* Returns whether `sm` is 60, 61 or 62. */
bool pascal_supported(unsigned sm);
/* Returns whether control words lie at this byte offset. */
static inline bool pascal_is_control(uint32_t pc) { return pc % 32 == 0; }
/* Returns an instruction's 21 control bits from the control word before it. */
uint32_t pascal_control_bits(uint64_t control_word, uint32_t pc);

/* Decodes one word, which is no control word. `control` has 21 bits. Returns false when no row fits. `out` then has the
 * word, pc and control bits all the same. */
bool pascal_decode(unsigned sm, uint64_t word, uint32_t control, uint32_t pc, struct pascal_inst *out);

/* Writes the text of a decoded instruction as nvdisasm prints it, without " ;". */
void pascal_print(const struct pascal_inst *inst, char text[static ISA_TEXT]);

enum {
    PASCAL_TEST_TRUE = 15, /* the condition of an instruction that tests nothing */
    PASCAL_SCATTERED = 2   /* ISA_MOD_SCATTERED of short texture forms: A has as many operands as registers */
};

/* Returns the pc of the instruction at an address, or behind the control word at it; and the way back. */
static inline uint32_t pascal_pc(uint32_t address)
{
    uint32_t word = address / 8;
    return (word / 4 * 3 + (word % 4 ? word % 4 - 1 : 0)) * 16;
}
static inline uint32_t pascal_address(uint32_t pc) { return (pc / 16 / 3 * 4 + pc / 16 % 3 + 1) * 8; }
/* Returns the address by which jumps and symbols name the instruction at `pc`. The first behind a control
 * word has the address of that. */
static inline uint32_t pascal_label_address(uint32_t pc)
{
    return pc / 16 % 3 ? pascal_address(pc) : pascal_address(pc) - 8;
}
/* Returns how many instructions a section of so many bytes has. */
static inline uint32_t pascal_count(size_t bytes)
{
    uint32_t words = (uint32_t)(bytes / 8);
    return words / 4 * 3 + (words % 4 ? words % 4 - 1 : 0);
}
/* The same of a section for any architecture. */
static inline uint32_t isa_code_count(unsigned sm, size_t bytes)
{
    return pascal_supported(sm) ? pascal_count(bytes) : (uint32_t)(bytes / 16);
}
/* Returns a word whose bits 64 to 67 are reuse bits, as the rows have them, as the machines take it; and the way back,
 * without the other control bits. */
static inline struct word128 pascal_machine_word(struct word128 word)
{
    return (struct word128){word.lo, (word.hi & 15) << 17};
}
static inline struct word128 pascal_row_word(struct word128 word)
{
    return (struct word128){word.lo, word.hi >> 17 & 15};
}
/* Returns the control bits of such a machine's word, the reuse bits among them, as the file has them; and sets all but
 * the reuse bits. */
struct isa_control pascal_control(struct word128 word);
void pascal_control_encode(struct isa_control control, struct word128 *word);
/* Returns the control word of three instructions as the machines take them. */
uint64_t pascal_control_word(const struct word128 words[3]);
/* Returns instruction `index` of a section with its control bits, as the machines take it. */
struct word128 pascal_word(const uint8_t *code, uint32_t index);

/* Returns whether Pascal has half as many lanes for it as for sums: shifts, comparisons, minimum and maximum (CUDA C++
 * Programming Guide, throughput of arithmetic instructions). ASSUMED: bit fields, too, as the reversal of bits. */
bool pascal_halves_rate(enum isa_op op);

/* Fills in opcode, modifiers, operands and target of an instruction that has a row. */
void pascal_translate(const struct pascal_inst *inst, struct isa_inst *out);
/* Decodes and prints such words, for isa_decode and isa_print. */
bool pascal_decode_word(unsigned sm, struct word128 word, uint32_t pc, struct isa_inst *out);
void pascal_print_word(const struct isa_inst *inst, char text[static ISA_TEXT]);
/* Returns whether such an instruction has an opcode, by which it executes. */
bool pascal_translated(const struct isa_inst *inst);
/* Added to an instruction's row, this is its `encoding`. */
enum { PASCAL_ENCODING = 0x4000 };

/* Returns how many rows pascal_encodings.def has. A word that fits none has this number for its row. */
unsigned pascal_row_count(void);

#endif
