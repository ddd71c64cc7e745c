/* The lanes_*.c files are compiled for every processor, for x86-64-v3 (AVX2), and for x86-64-v4 (AVX-512). Their
 * executors get a suffix here. All others keep their name. */
#ifndef SUBCORE_EXEC_LANES_NAMES_H
#define SUBCORE_EXEC_LANES_NAMES_H

#ifdef EXEC_V4
#define EXEC_NAME(id) exec_##id##_v4
#elif defined EXEC_V3
#define EXEC_NAME(id) exec_##id##_v3
#else
#define EXEC_NAME(id) exec_##id##_base
#endif

// clang-format off
#define exec_IADD3     EXEC_NAME(IADD3)
#define exec_IADD      EXEC_NAME(IADD)
#define exec_SGXT      EXEC_NAME(SGXT)
#define exec_BMSK      EXEC_NAME(BMSK)
#define exec_VIMNMX3   EXEC_NAME(VIMNMX3)
#define exec_VABSDIFF  EXEC_NAME(VABSDIFF)
#define exec_VABSDIFF4 EXEC_NAME(VABSDIFF4)
#define exec_IDP       EXEC_NAME(IDP)
#define exec_I2I       EXEC_NAME(I2I)
#define exec_I2IP      EXEC_NAME(I2IP)
#define exec_LOP3      EXEC_NAME(LOP3)
#define exec_SHF       EXEC_NAME(SHF)
#define exec_LEA       EXEC_NAME(LEA)
#define exec_PRMT      EXEC_NAME(PRMT)
#define exec_SEL       EXEC_NAME(SEL)
#define exec_MOV       EXEC_NAME(MOV)
#define exec_MOV_SPILL EXEC_NAME(MOV_SPILL)
#define exec_IABS      EXEC_NAME(IABS)
#define exec_IMNMX     EXEC_NAME(IMNMX)
#define exec_VIMNMX    EXEC_NAME(VIMNMX)
#define exec_VIADDMNMX EXEC_NAME(VIADDMNMX)
#define exec_ISETP     EXEC_NAME(ISETP)
#define exec_P2R       EXEC_NAME(P2R)
#define exec_R2P       EXEC_NAME(R2P)
#define exec_IMAD      EXEC_NAME(IMAD)
#define exec_VIADD     EXEC_NAME(VIADD)
#define exec_POPC      EXEC_NAME(POPC)
#define exec_FLO       EXEC_NAME(FLO)
#define exec_BREV      EXEC_NAME(BREV)
#define exec_FADD      EXEC_NAME(FADD)
#define exec_FMUL      EXEC_NAME(FMUL)
#define exec_FFMA      EXEC_NAME(FFMA)
#define exec_FMNMX     EXEC_NAME(FMNMX)
#define exec_FSEL      EXEC_NAME(FSEL)
#define exec_FSETP     EXEC_NAME(FSETP)
#define exec_HADD2     EXEC_NAME(HADD2)
#define exec_HMUL2     EXEC_NAME(HMUL2)
#define exec_HFMA2     EXEC_NAME(HFMA2)
#define exec_HFMA2_MMA EXEC_NAME(HFMA2_MMA)
#define exec_I2F       EXEC_NAME(I2F)
#define exec_F2I       EXEC_NAME(F2I)
#define exec_I2FP      EXEC_NAME(I2FP)
#define exec_FHADD     EXEC_NAME(FHADD)
#define exec_FHFMA     EXEC_NAME(FHFMA)
#define exec_FADD2     EXEC_NAME(FADD2)
#define exec_FMUL2     EXEC_NAME(FMUL2)
#define exec_FFMA2     EXEC_NAME(FFMA2)
#define exec_FSWZADD   EXEC_NAME(FSWZADD)
#define exec_FMNMX3    EXEC_NAME(FMNMX3)
#define exec_FSET      EXEC_NAME(FSET)
#define exec_FCHK      EXEC_NAME(FCHK)
#define exec_DADD      EXEC_NAME(DADD)
#define exec_DMUL      EXEC_NAME(DMUL)
#define exec_DFMA      EXEC_NAME(DFMA)
#define exec_DSETP     EXEC_NAME(DSETP)
#define exec_HSET2     EXEC_NAME(HSET2)
#define exec_HSETP2    EXEC_NAME(HSETP2)
#define exec_HMNMX2    EXEC_NAME(HMNMX2)
#define exec_F2F       EXEC_NAME(F2F)
#define exec_FRND      EXEC_NAME(FRND)
#define exec_F2FP      EXEC_NAME(F2FP)
#define exec_F2IP      EXEC_NAME(F2IP)
#define lanes_compare_pairs EXEC_NAME(compare_pairs)
// clang-format on

#endif
