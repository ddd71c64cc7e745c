#include "accelsim/stock.h"

#include <string.h>

enum { VOLTA = 1, TURING = 2, AMPERE = 4, HOPPER = 8, SINCE_TURING = TURING | AMPERE | HOPPER, EVERY = 15 };

struct group {
    unsigned tables;
    const char *names; /* with a space before and behind each */
};

static const struct group groups[] = {
    {EVERY, " FADD FADD32I FCHK FFMA FFMA32I FMNMX FMUL FMUL32I FSEL FSET FSETP FSWZADD MUFU DADD DFMA DMUL DSETP "
            "HADD2 HADD2_32I HFMA2 HFMA2_32I HMUL2 HMUL2_32I HSET2 HSETP2 HMMA IMMA "},
    {EVERY, " BMSK BREV FLO IABS IADD IADD3 IADD32I IDP IDP4A IMAD IMNMX IMUL IMUL32I ISCADD ISCADD32I ISETP LEA LOP "
            "LOP3 LOP32I POPC SHF SHL SHR VABSDIFF VABSDIFF4 "},
    {EVERY, " F2F F2I I2F I2I I2IP FRND MOV MOV32I PRMT SEL SGXT SHFL PLOP3 PSETP P2R R2P LDC MATCH QSPC CCTL CCTLL "
            "CCTLT ERRBAR B2R CS2R CSMTEST DEPBAR GETLMEMBASE LEPC NOP PMTRIG R2B S2R SETCTAID SETLMEMBASE VOTE "
            "VOTE_VTG SUATOM SULD SUQUERY SURED SUST MEMBAR BAR EXIT "},
    {EVERY, " LD LDG LDL LDS ST STG STL STS ATOM ATOMG ATOMS RED TEX TLD TLD4 TMML TXD TXQ "},
    {EVERY, " BMOV BPT BRA BREAK BRX BSSY BSYNC CALL JMP JMX KILL NANOSLEEP RET RPCMOV RTT WARPSYNC YIELD "},
    {SINCE_TURING,
     " BRXU JMXU LDSM MOVM BMMA R2UR S2UR VOTEU UBMSK UBREV UCLEA UFLO UIADD3 UIMAD UISETP ULDC ULEA ULOP "
     "ULOP3 ULOP32I UMOV UP2UR UPLOP3 UPOPC UPRMT UPSETP UR2UP USEL USGXT USHF USHL USHR "},
    {AMPERE | HOPPER, " DMMA F2FP F2IP I2FP HMNMX2 LDGSTS LDGDEPBAR REDUX UF2FP "},
    {HOPPER, " ELECT UBLKCP UBLKPF UBLKRED UTMALDG UTMAPF UTMAREDG UTMASTG UTMACCTL UTMACMDFLUSH SYNCS FENCE HGMMA "
             "QGMMA IGMMA BGMMA WARPGROUP ARRIVES STAS USETMAXREG UCGABAR_ARV UCGABAR_WAIT VIADD VIADDMNMX VIMNMX "
             "VIMNMX3 CGAERRBAR "},
};

static unsigned table_of(uint32_t binary_version)
{
    switch (binary_version) {
    case 70: return VOLTA;
    case 75: return TURING;
    case 80:
    case 86: return AMPERE;
    case 90: return HOPPER;
    default: return 0;
    }
}

enum stock_version stock_version(uint32_t binary_version)
{
    unsigned table = table_of(binary_version);
    return table == 0 ? STOCK_NEVER : table == HOPPER ? STOCK_SINCE_2_0 : STOCK_ALWAYS;
}

bool stock_knows(uint32_t binary_version, const char *name, size_t length)
{
    char wanted[32];
    unsigned table = table_of(binary_version);
    if (table == 0)
        return true;
    if (length == 0 || length + 2 >= sizeof wanted)
        return false;
    wanted[0] = wanted[length + 1] = ' ';
    memcpy(wanted + 1, name, length);
    wanted[length + 2] = '\0';
    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++)
        if ((groups[i].tables & table) && strstr(groups[i].names, wanted))
            return true;
    return false;
}
