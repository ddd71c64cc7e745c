/* The ELF64 container: header and section table, checked once. */
#ifndef SUBCORE_CUBIN_ELF_H
#define SUBCORE_CUBIN_ELF_H

#include "cubin/bytes.h"

enum {
    ELF_HEADER_SIZE = 64,
    ELF_SECTION_SIZE = 64,
    ELF_SYMBOL_SIZE = 24,
    ELF_REL_SIZE = 16,
    ELF_RELA_SIZE = 24,
    ELF_TYPE_RELOCATABLE = 1,
    ELF_TYPE_EXECUTABLE = 2,
    ELF_MACHINE_CUDA = 190,
    ELF_OS_ABI_CUDA_13 = 0x41,
    ELF_SECTION_SYMTAB = 2,
    ELF_SECTION_RELA = 4,
    ELF_SECTION_NOBITS = 8,
    ELF_SECTION_REL = 9,
    ELF_SYMBOL_FUNCTION = 2,
    ELF_SECTION_MERCURY = 0x10000000 /* section flag: twin for re-finalisation by the driver, not part of the module */
};

struct elf {
    const char *path; /* borrowed */
    struct cubin_bytes image;
    uint8_t os_abi, abi_version;
    uint16_t type, machine;
    uint32_t flags;
    struct cubin_section *sections; /* owned; free with elf_close unless taken over */
    size_t section_count;
};

bool elf_is(struct cubin_bytes image);          /* starts with the ELF magic */
uint16_t elf_machine(struct cubin_bytes image); /* 0 when the header is cut */
bool elf_open(struct elf *out, struct cubin_bytes image, const char *path, struct status *status);
void elf_close(struct elf *elf);

/* Architecture of a cubin, 0 when the header names none. CUDA 13 (OSABI 0x41) keeps it in bits 15:8 of e_flags, earlier
 * toolkits (0x33) in bits 7:0. */
unsigned elf_sm(const struct elf *elf);

/* Byte offset of a section's contents in the file. */
uint64_t elf_offset(struct cubin_bytes image, const struct cubin_section *section);

#endif
