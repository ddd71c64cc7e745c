/* Lines of one instruction by hand: their words, and the messages about mistakes. */
#include "isa/assemble.h"
#include "tests/unit.h"

static bool assemble(unsigned sm, const char *text, uint32_t pc, isa_symbol_fn *resolve, struct word128 *word,
                     struct isa_asm_error *error)
{
    struct status status = {0};
    struct isa_assembler *assembler = isa_assembler_create(sm, &status);
    assert_non_null(assembler);
    bool good = isa_assemble(assembler, text, strlen(text), pc, resolve, NULL, word, error);
    isa_assembler_destroy(assembler);
    return good;
}

/* From kernels that ptxas 13 compiled, with their places in the code. */
static const struct {
    unsigned sm;
    uint32_t pc;
    const char *text;
    uint64_t hi, lo;
} compiled[] = {
    {75, 0xce30, "I2F.F64.U16 R2, R2", 0x004e260000101800, 0x0000000200027312},
    {86, 0xbf30, "F2F.F64.F32 R18, R18", 0x000e220000201800, 0x0000001200127310},
    {86, 0xc980, "I2F.F64 R4, R3", 0x0000620000201c00, 0x0000000300047312},
    {89, 0xd8e0, "F2I.U64.TRUNC R4, R2", 0x000e24000020d800, 0x0000000200047311},
    {100, 0x29e0, "F2I.S64.F16.TRUNC R4, R2", 0x004e26000010d900, 0x0000000200047311},
    {120, 0x19520, "I2F.F64.U32 R2, R2", 0x000e1e0000201800, 0x0000000200027312},
    {75, 0x1aff0, "@!P0 FADD R7, R7, -1", 0x000fc60000000000, 0xbf80000007078421},
    {75, 0xa5460, "IMAD.MOV.U32 R9, RZ, RZ, 0x3ef53e1d", 0x000fe200078e00ff, 0x3ef53e1dff097424},
    {75, 0x1b870, "LDG.E.U8.SYS R25, [R25.U32+UR4]", 0x000f6600081ee100, 0x0000000419197981},
    {75, 0x6490, "HMMA.1688.F16 R16, R6, R8.reuse, R4", 0x0a2ff00000000004, 0x000000080610723c},
    {75, 0x5750, "SHF.R.S64 R2, R2, R15, R3", 0x000fc40000001003, 0x0000000f02027219},
    {75, 0xb800, "MUFU.RCP R12, R12", 0x00321e0000001000, 0x0000000c000c7308},
    {75, 0x956a0, "LDS.U R37, [R0.X4+0x740]", 0x000fe80000005800, 0x0007400000257984},
    {75, 0x17470, "@!P2 BRA 0x178c0", 0x000fea0003800000, 0x000004400000a947},
    {80, 0x6580, "LDGSTS.E.ZFILL [R0], [R4.64], !P0", 0x0033de000c161844, 0x0000000004007fae},
    {80, 0xafaf0, "IMMA.16864.U4.U4 R12, R4.ROW, R8.COL, R12", 0x004fee000078040c, 0x00000008040c7237},
    {80, 0x93020, "DFMA R18, R20, -R6, 1", 0x002e220000000806, 0x3ff000001412742b},
    {80, 0xe2e0, "ATOMG.E.EXCH.64.STRONG.GPU PT, RZ, [R4.64], R2", 0x000fe2000c1ee5c4, 0x0000000204ff79a8},
    {80, 0xaf410, "LDSM.16.M88 R7, [R2+0x10]", 0x004e280000000000, 0x000010000207783b},
    {80, 0x15910, "BSSY B0, 0x160b0", 0x000fe20003800000, 0x0000079000007945},
    {86, 0x12c40, "FFMA R25, R25, R16, R28", 0x010fc6000000001c, 0x0000001019197223},
    {86, 0xd3f0, "HFMA2.BF16_V2.RELU R15, R15, R0, c[0x0] [0x188]", 0x000fca0003a08000, 0x000062000f0f7631},
    {86, 0x9760, "ISETP.LT.OR P0, PT, R8, c[0x0][0x170], P0", 0x000fda0000701670, 0x00005c0008007a0c},
    {86, 0x9f70, "LOP3.LUT R17, R2, 0xf, RZ, 0x3c, !PT", 0x000fe400078e3cff, 0x0000000f02117812},
    {86, 0x1d7c0, "STG.E.U16 [R6.64+0x6], R15", 0x000fe2000c101504, 0x0000060f06007986},
    {86, 0x2610, "SHFL.IDX PT, R19, R19, RZ, 0x1c03", 0x000e6200000e0000, 0x001c03ff13137589},
    {86, 0x17fd0, "LDC.U8 R8, c[0x0][0x179]", 0x000e260000000000, 0x00005e40ff087b82},
    {86, 0x17800, "TEX.SCR.NDV RZ, R8, R8, R10, 0x0, 0x5a, 3D, 0x1", 0x00014200001e21ff, 0x50005a0a08087b60},
    {86, 0x13e90, "PRMT R6, R4, 0x9910, RZ", 0x004fe400000000ff, 0x0000991004067816},
    {86, 0x10610, "R2UR UR4, R20", 0x00321e00000e0000, 0x00000000140473c2},
    {89, 0xbc510, "DMMA.884.RZ R4, R4, R6, R8", 0x004064000000c008, 0x000000060404723f},
    {89, 0xeea0, "HMNMX2.BF16_V2.NAN R8, R2.H0_H0, 1.5, 1.5, PT", 0x004fe40003a20800, 0x3fc03fc002087840},
    {89, 0x947b0, "REDUX UR11, R6", 0x000ea20000000000, 0x00000000060b73c4},
    {89, 0x7580, "QMMA.16816.F32.E4M3.E5M2 R16, R10.reuse.ROW, R4.reuse.COL, RZ", 0x0c4ff0000000a4ff,
     0x000000040a10727a},
    {89, 0x9b8e0, "VOTE.ANY P0, !P0", 0x000fd80004000100, 0x0000000000ff7806},
    {89, 0x6b00, "I2FP.F32.U32 R15, R8", 0x000fe40000201000, 0x00000008000f7245},
    {89, 0x6360, "F2FP.SATFINITE.E5M2.F16.UNPACK_B_MERGE_C R0, R2, RZ", 0x004fc800048022ff, 0x00000002ff00723e},
    {89, 0xab00, "@P0 RED.E.MAX.S32.STRONG.GPU [R2.64], R5", 0x000fe2000d10e384, 0x000000050200098e},
    {90, 0x17400, "HGMMA.SP.64x8x32.F32 R24, gdesc[UR8], R24, UP0, R28, 0x0, gsb0", 0x000fe6000b800a18,
     0x08001c00081879f0},
    {90, 0x1e040, "UTMALDG.1D.MULTICAST [UR4], [UR16], UR25", 0x0001d80008000819, 0x00000004100073b4},
    {90, 0x16940, "SYNCS.ARRIVE.TRANS64.RED RZ, [R19+URZ], R2", 0x00321e000800043f, 0x0000000213ff79a7},
    {90, 0x11810, "VIADDMNMX.S16x2.RELU R7, R7, R2, R9, PT", 0x000fe20003801309, 0x0000000207077246},
    {90, 0x176b0, "ULDC.U16 UR7, c[0x0][0x222]", 0x000fe20000000400, 0x0000888000077ab9},
    {90, 0x13050, "STSM.16.MT88 [R0], R7", 0x000fe80000004000, 0x0000000700007844},
    {90, 0x19c00, "UIADD3 UR4, -UR4, 0x100000, URZ", 0x003fde000fffe13f, 0x0010000004047890},
    {90, 0xcf90, "IMAD.MOV.U32 R0, RZ, RZ, -0x46b2bead", 0x000fe200078e00ff, 0xb94d4153ff007424},
    {100, 0x1be30, "LDCU UR16, c[0x0][0x380]", 0x000e620008000800, 0x00007000ff1077ac},
    {100, 0xb910, "UIMAD UR11, UR8, UR13, URZ", 0x000fe2000f8e02ff, 0x0000000d080b72a4},
    {100, 0x128f0, "FFMA2.RM R18, R4.reuse.F32x2.HI_LO, UR8.F32x2.HI_LO, R8.reuse.F32x2.HI_LO", 0x140fe40008004008,
     0x0000000804127c49},
    {100, 0x90, "FFMA2 R12, R4.F32x2.HI_LO, R7.reuse.F32, R10.F32x2.HI_LO", 0x080fe4000100000a, 0x00000007040c7249},
    {100, 0x6e60, "UTCHMMA tmem[UR9], gdesc[UR12], tmem[UR8], tmem[UR4], idesc[UR5], UP0", 0x0001d80008000008,
     0x00ff040c090079ea},
    {100, 0x7200, "LDTM.x4 R20, tmem[UR4+0x10]", 0x001e220008140000, 0x00001004001479ee},
    {100, 0x90, "UTCCP.T.S tmem[UR4+-0x4], gdesc[UR6]", 0x0035d8000800ff00, 0xfffffc06040079e7},
    {100, 0x40, "LDTM.STAT.x2.MAXABS.F32.NAN R0, R4, tmem[UR4]", 0x001e2200080c0016, 0x00000004000475ee},
    {100, 0x60, "LDTM.STAT.x2.MIN.F32 R9, R10, tmem[UR4]", 0x000ee200080c000a, 0x00000004090a75ee},
    {100, 0xa0, "LDTM.STAT.16dp32bit_t16_t31.x4.MIN R0, R8, tmem[UR6+0x9]", 0x000e240008920008, 0x00000906000875ee},
    {100, 0x4220, "STG.E.64 desc[UR12][R4.64], R12", 0x0001e6000c101b0c, 0x0000000c04007986},
    {100, 0x7d80, "@!UP1 UTCBAR [UR4], URZ", 0x0001d800080000ff, 0x000000ff040093e9},
    {120, 0x12a60, "QMMA.16816.F16.E5M2.E4M3 R14, R12, R4, R8", 0x004fe20000004408, 0x000000040c0e727a},
    {120, 0x1cba0, "LDG.E R37, desc[UR4][R30.64+0x43000]", 0x000f22000c1e1900, 0x043000041e257981},
    {120, 0x13280, "UISETP.NE.AND UP1, UPT, UR6, URZ, UPT", 0x000fc8000bf25270, 0x000000ff0600728c},
    {120, 0xea40, "SHFL.IDX PT, R8, R28, R21, 0x1c03", 0x000fe800000e0000, 0x001c03151c087589},
    {120, 0x10ac0, "FHFMA R15, R0.reuse, R9.reuse, R5.reuse", 0x1d0fe20000020005, 0x00000009000f7223},
    {120, 0xed00, "OMMA.SF.16864.F32.E2M1.E2M1.UE4M3.4X R8, R4, R18, R20, R16, R17, URZ", 0x008fde0000043e14,
     0x711010120408747f},
    {120, 0xd940, "VIADD.16x2 R12, -R15, R14", 0x001fca0000000300, 0x0000000e0f0c7236},
};

static void instructions_assemble_to_the_words_of_compiled_code(void **state)
{
    (void)state;
    const uint64_t control = UINT64_C(0x1ffff) << 41; /* 121:105, which the text does not say */
    for (size_t i = 0; i < sizeof compiled / sizeof *compiled; i++) {
        struct word128 word = {0, 0};
        struct isa_asm_error error = {0};
        if (!assemble(compiled[i].sm, compiled[i].text, compiled[i].pc, NULL, &word, &error))
            fail_msg("%s: column %zu: %s", compiled[i].text, error.column, error.message);
        if (word.hi != (compiled[i].hi & ~control) || word.lo != compiled[i].lo)
            fail_msg("%s: %016llx%016llx", compiled[i].text, (unsigned long long)word.hi, (unsigned long long)word.lo);
    }
}

static const struct {
    unsigned sm;
    const char *text;
    size_t column;
    const char *message;
} mistakes[] = {
    {86, "FAD R1, R2, R3", 0, "there is no instruction FAD; did you mean FADD?"},
    {86, "FFMAX R1", 0, "there is no instruction FFMAX; did you mean FFMA?"},
    {86, "LDCU UR4, c[0x0][0x10]", 0, "LDCU exists on sm_100 and later only, not on sm_86"},
    {100, "HFMA2.MMA R1, R2, R3, R4", 5,
     "modifier '.MMA' is unknown or stands in the wrong place: expected .F32, .BF16_V2, .FMZ, .FTZ, .OOB, .SAT, a "
     "space or .RELU"},
    {86, "FADD R1, R2", 11, "expected ',', but the line ends here"},
    {86, "FADD R1, R2,", 12, "expected a register, a number, a constant or a uniform register, but the line ends here"},
    {86, "FADD R1 R2, R3", 8, "expected ',', found 'R2'"},
    {86, "FADD R1, R2, R3, R4", 15, "expected the end of the line, found ','"},
    {86, "FADD.FOO R1, R2, R3", 4,
     "modifier '.FOO' is unknown or stands in the wrong place: expected .FTZ, .RM, .RP, .RZ, .SAT or a space"},
    {86, "FADD.SAT.FTZ R1, R2, R3", 8, "modifier '.FTZ' is unknown or stands in the wrong place: expected a space"},
    {86, "FADD R1, R2, R255", 13, "R255 does not exist here: registers are R0 to R254, and RZ"},
    {86, "FADD R1, UR2, R3", 9, "expected a register, found 'UR2'"},
    {86, "IMAD.WIDE R3, R2, R4, R6", 10, "R3 is the first of 2 registers here: its number must be a multiple of 2"},
    {86, "LDG.E.64 R3, [R2.64]", 9, "R3 is the first of 2 registers here: its number must be a multiple of 2"},
    {86, "LDG.E.128 R6, [R4.64]", 10, "R6 is the first of 4 registers here: its number must be a multiple of 4"},
    {86, "LDG.E R6, [R5.64]", 10, "R5 is the first of 2 registers here: its number must be a multiple of 2"},
    {86, "MOV R1, 0x1ffffffff", 8,
     "0x1ffffffff does not fit here: the value must lie between -0x80000000 and 0xffffffff"},
    {86, "MOV R1, foo", 8, "'foo' is not defined"},
    {86, "MOV R1, 32@lo(foo)", 14, "'foo' is not defined"},
    {86, "BRA foo", 4, "'foo' is not defined"},
    {86, "BRA 0x123", 4, "0x123 is no place for an instruction: it must be a multiple of 4"},
    {86, "BRA `(.L_x_1)", 6, "'.L_x_1' is not defined"},
    {86, "@P7 MOV R1, R2", 1, "there is no predicate P7: they are P0 to P6, and PT"},
    {86, "@P0MOV R1, R2", 1, "expected a predicate such as P0 or !P0 after '@'"},
    {86, "@R0 MOV R1, R2", 1, "expected a predicate such as P0 or !P0 after '@'"},
    {86, "@UP0 MOV R1, R2", 1, "the guard of this instruction is the thread's own predicate"},
    {86, "@P0 UMOV UR4, 0x1", 1, "the guard of this instruction is a uniform predicate"},
    {86, "ISETP.GE P0, PT, R1, R2, PT", 8, "expected .AND, .OR or .XOR before the space"},
    {86, "ISETP.GE.AND P0, PT, R1, R2", 27, "expected ',', but the line ends here"},
    {86, "ISETP.GE.AND R0, PT, R1, R2, PT", 13, "expected a predicate, found 'R0'"},
    {86, "ISETP.GE.AND !P0, PT, R1, R2, PT", 13, "this predicate cannot be inverted"},
    {86, "LDS R1, [R2+0x1000000]", 12,
     "0x1000000 does not fit here: the value must lie between -0x800000 and 0x7fffff"},
    {86, "LDS R1, [R2+0x10", 16, "expected ']', but the line ends here"},
    {86, "LDS R1, R2", 8, "expected '[', found 'R2'"},
    {86, "MOV R1, c[0x0][0x161]", 15, "offset of a constant: it must be a multiple of 4"},
    {86, "MOV R1, c[0x40][0x160]", 10, "0x40 does not fit here: the value must lie between 0x0 and 0x1f"},
    {86, "MOV R1, c[0x0]", 14, "expected '[', but the line ends here"},
    {86, "FADD R1, R2, 1.5x", 13, "expected a register, a number, a constant or a uniform register, found '1'"},
    {86, "FADD R1, R2, 1e50", 13, "1e50 is too large for the format; infinity is written +INF"},
    {86, "DADD R2, R4, 0.1", 13, "0.1 has more digits than the upper half of a double holds"},
    {86, "FADD R1, R2, ", 12,
     "expected a register, a number, a constant or a uniform register, but the line ends here"},
    {86, "S2R R0, SR_TID.W", 14, "modifier '.W' is unknown or stands in the wrong place: expected the end of the line"},
    {86, "S2R R0, SR_TIDX", 8, "expected a name such as SR_TID, found 'SR_TIDX'"},
    {86, "MUFU.FOO R1, R2", 4,
     "modifier '.FOO' is unknown or stands in the wrong place: expected .COS, .SIN, .EX2, .LG2, .RCP, .RSQ, .RCP64H, "
     ".RSQ64H, .SQRT or .TANH"},
    {86, "MUFU R1, R2", 4,
     "expected .COS, .SIN, .EX2, .LG2, .RCP, .RSQ, .RCP64H, .RSQ64H, .SQRT or .TANH before the space"},
    {86, "LOP3.LUT R0, R1, R2, R3, 0x100, !PT", 25, "0x100 does not fit here: the value must lie between 0x0 and 0xff"},
    {86, "IMAD.MOV R1, R2, R3, R4", 0, "with these operands the instruction is not IMAD.MOV but IMAD"},
    {86, "IADD3 R1, -R2, ~R3, R4", 15, "this operand takes no '~'"},
    {86, "LDG.E R6, [R4.64].reuse", 17,
     "modifier '.reuse' is unknown or stands in the wrong place: expected ',' or the end of the line"},
    {86, "LDS R1, [R2.reuse]", 11,
     "modifier '.reuse' is unknown or stands in the wrong place: expected .X4, .X8, .X16, ']' or '+' and a uniform "
     "register"},
    {86, "STS [R2], R3.reuse", 12, "this operand cannot be kept for reuse"},
    {86, "", 0, "expected an instruction"},
    {86, "123", 0, "there is no instruction 123; did you mean P2R?"},
    {86, ".word 0x123", 6, "expected a word of 32 hexadecimal digits, as in 0x000fea00038000000000000000007918"},
    {86, "MOV R1, R2 {@200=1}", 13, "a word has bits 0 to 127"},
    {86, "MOV R1, R2 {@3:5=1}", 12, "the higher bit stands first, and there are at most 64 of them"},
    {86, "MOV R1, R2 {@5=2}", 15, "2 does not fit here: the value must lie between 0x0 and 0x1"},
    {86, "MOV R1, R2 {@5=1", 16, "expected '}', but the line ends here"},
    {86, "MOV R1, R2 {5=1}", 12, "expected '@', found '5'"},
    {86, "DEPBAR.LE SB0, 0x40", 15, "0x40 does not fit here: the value must lie between 0x0 and 0x3f"},
    {86, "DEPBAR.LE SB9, 0x4", 12, "9 does not fit here: the value must lie between 0x0 and 0x7"},
    {86, "DEPBAR.LE SB0, 0x0, {9}", 21, "a set has members from 0 to 7"},
    {86, "BAR.SYNC 0x10", 9, "0x10 does not fit here: the value must lie between 0x0 and 0xf"},
    {86, "BSSY B16, 0x10", 5, "expected a predicate or a name such as B1, found 'B16'"},
    {86, "SHF.U32 R1, R2, R3, R4", 3, "modifier '.U32' is unknown or stands in the wrong place: expected .L or .R"},
    {86, "HMMA.16816.F32 R4, R8, R13, R4", 23,
     "R13 is the first of 2 registers here: its number must be a multiple of 2"},
    {86, "HADD2 R1, R2.H2_H2, R3", 12,
     "modifier '.H2_H2' is unknown or stands in the wrong place: expected .F32, .H0_H0, .H1_H1, .H0_NH1 or ','"},
    {86, "mov R1, R2", 0, "there is no instruction mov; did you mean MOV?"},
    {86, "FADD r1, R2, R3", 5, "expected a register, found 'r1'"},
    {86, "FADD R1, |R2, R3", 12, "expected '|', found ','"},
    {86, "FADD R1, |-R2|, R3", 10, "expected a register, found '-'"},
    {86, "NOP NOP", 4, "expected the end of the line, found 'NOP'"},
    {86, "EXIT R1", 5, "expected a predicate or the end of the line, found 'R1'"},
    {86, "PRMT R0, R1, 0x1g, R2", 13,
     "expected a register, an immediate, a constant or a uniform register, found '0x1g'"},
    {86, "STG.E [R2.64], R4, R5", 17, "expected the end of the line, found ','"},
    {86, "VIADD R1, R2, R3", 0, "VIADD exists on sm_90 and later only, not on sm_86"},
    {86, "FADDR1, R2, R3", 0, "there is no instruction FADDR1; did you mean FADD?"},
    {86, "FADD R1000, R2, R3", 5, "expected a register, found 'R1000'"},
    {86, "ULDC UR63, c[0x0][0x10]", 5, "UR63 does not exist here: registers are UR0 to UR62, and URZ"},
};

static void mistakes_are_told_with_their_column(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        struct word128 word;
        struct isa_asm_error error = {0};
        if (assemble(mistakes[i].sm, mistakes[i].text, 0x100, NULL, &word, &error))
            fail_msg("%s is assembled", mistakes[i].text);
        assert_string_equal(error.message, mistakes[i].message);
        assert_int_equal(error.column, mistakes[i].column);
    }
}

static void an_error_lists_the_forms_of_the_mnemonic(void **state)
{
    (void)state;
    struct word128 word;
    struct isa_asm_error error = {0};
    assert_false(assemble(86, "FADD R1, R2", 0, NULL, &word, &error));
    assert_string_equal(error.forms, "FADD Rd, Ra, Rb | FADD Rd, Ra, imm | FADD Rd, Ra, c[bank][offset] | "
                                     "FADD Rd, Ra, cx[UR][offset] | FADD Rd, Ra, URb");
}

/* Knows here = 0x40 and far = 0x123456789. */
static bool known_symbols(void *context, const struct isa_symbol *symbol, int64_t *value)
{
    (void)context;
    bool here = symbol->length == 4 && memcmp(symbol->name, "here", 4) == 0;
    *value = here ? 0x40 : INT64_C(0x123456789);
    return here || (symbol->length == 3 && memcmp(symbol->name, "far", 3) == 0);
}

static void symbols_are_targets_and_immediates(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"BRA `(here)", "BRA 0x40"},
        {"@P0 BRA here", "@P0 BRA 0x40"},
        {"MOV R1, 32@lo(far)", "MOV R1, 0x23456789"},
        {"MOV R1, 32@hi(far)", "MOV R1, 0x1"},
        {"MOV R1, here", "MOV R1, 0x40"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        struct word128 symbolic, plain;
        struct isa_asm_error error = {0};
        assert_true(assemble(86, pairs[i][0], 0x200, known_symbols, &symbolic, &error));
        assert_true(assemble(86, pairs[i][1], 0x200, NULL, &plain, &error));
        assert_true(symbolic.lo == plain.lo && symbolic.hi == plain.hi);
    }
}

static void floating_point_immediates_keep_their_bits(void **state)
{
    (void)state;
    struct status status = {0};
    struct isa_assembler *assembler = isa_assembler_create(86, &status);
    assert_non_null(assembler);
    const uint32_t values[] = {0,          0x80000000, 1,          0x7fffff,   0x3f800000, 0x7f7fffff,
                               0x7f800000, 0xff800000, 0x7fffffff, 0x33333333, 0x4e6e6b28, 0x00800000};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        struct word128 word = {.lo = (uint64_t)values[i] << 32 | UINT64_C(0x02017421)}, again; /* FADD R1, R2, x */
        struct isa_asm_error error = {0};
        struct isa_inst inst;
        char text[ISA_TEXT];
        assert_true(isa_decode(isa_assembler_decoder(assembler), word, 0, &inst));
        isa_print(&inst, text);
        assert_true(isa_assemble(assembler, text, strlen(text), 0, NULL, NULL, &again, &error));
        assert_true(again.lo == word.lo && again.hi == word.hi);
    }
    isa_assembler_destroy(assembler);
}

static void control_bits_are_read_as_they_are_printed(void **state)
{
    (void)state;
    struct isa_control control;
    struct isa_asm_error error = {0};
    for (uint64_t bits = 0; bits < 1 << 17; bits += 7) {
        struct word128 word = {.hi = bits << 41}, again = {0, 0};
        char text[32];
        isa_print_control(isa_control_decode(word), text);
        assert_true(isa_parse_control(text, strlen(text), &control, &error));
        isa_control_encode(control, &again);
        assert_true(again.hi == word.hi);
    }
    static const struct {
        const char *text;
        size_t column;
    } wrong[] = {{"", 0},
                 {"[B--3---:R-:W0:-:S04]", 4},
                 {"[B------:R7:W0:-:S04]", 10},
                 {"[B------:R-:W:-:S04]", 13},
                 {"[B------:R-:W0:N:S04]", 15},
                 {"[B------:R-:W0:-:S16]", 18},
                 {"[B------:R-:W0:-:S4]", 18},
                 {"[B------:R-:W0:-:S04] ", 21}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_false(isa_parse_control(wrong[i].text, strlen(wrong[i].text), &control, &error));
        assert_int_equal(error.column, wrong[i].column);
    }
}

UNIT_TESTS(UNIT(instructions_assemble_to_the_words_of_compiled_code), UNIT(mistakes_are_told_with_their_column),
           UNIT(an_error_lists_the_forms_of_the_mnemonic), UNIT(symbols_are_targets_and_immediates),
           UNIT(floating_point_immediates_keep_their_bits), UNIT(control_bits_are_read_as_they_are_printed))
