// build plain:
// build fast: -use_fast_math
// build ftz: -ftz=true -prec-div=false -prec-sqrt=false
#include "kernels.cuh"
#define F1(f) UNARY(f##_k, float, float, f(a))
#define F2(f) BINARY(f##_k, float, float, float, 2.5f, f(a, b))
F1(sinf)
F1(cosf)
F1(tanf)
F1(sinpif)
F1(cospif)
F1(asinf)
F1(acosf)
F1(atanf)
F1(sinhf)
F1(coshf)
F1(tanhf)
F1(asinhf)
F1(acoshf)
F1(atanhf)
F1(expf)
F1(exp2f)
F1(exp10f)
F1(expm1f)
F1(logf)
F1(log2f)
F1(log10f)
F1(log1pf)
F1(sqrtf)
F1(rsqrtf)
F1(cbrtf)
F1(rcbrtf)
F1(erff)
F1(erfcf)
F1(erfcxf)
F1(erfinvf)
F1(erfcinvf)
F1(normcdff)
F1(normcdfinvf)
F1(lgammaf)
F1(tgammaf)
F1(j0f)
F1(j1f)
F1(y0f)
F1(y1f)
F1(cyl_bessel_i0f)
F1(cyl_bessel_i1f)
F1(floorf)
F1(ceilf)
F1(truncf)
F1(roundf)
F1(rintf)
F1(nearbyintf)
F1(fabsf)
F1(logbf)
F2(powf)
F2(atan2f)
F2(fmodf)
F2(remainderf)
F2(hypotf)
F2(rhypotf)
F2(fdimf)
F2(nextafterf)
F2(fdividef)
F1(__sinf)
F1(__cosf)
F1(__tanf)
F1(__expf)
F1(__exp10f)
F1(__logf)
F1(__log2f)
F1(__log10f)
F1(__frsqrt_rn)
F2(__powf)
F2(__fdividef)
UNARY(lround_k, int, float, lroundf(a))
UNARY(llrint_k, long long, float, llrintf(a))
UNARY(ilogb_k, int, float, ilogbf(a))
BINARY(ldexp_k, float, float, int, 3, ldexpf(a, b))
BINARY(jn_k, float, int, float, 3.f, jnf(a, b))
UNARY(frexp_k, float, float, ({
          int e;
          float m = frexpf(a, &e);
          m + e;
      }))
UNARY(modf_k, float, float, ({
          float w;
          float m = modff(a, &w);
          m *w;
      }))
UNARY(sincos_k, float, float, ({
          float s, c;
          sincosf(a, &s, &c);
          s *c;
      }))
UNARY(sincospi_k, float, float, ({
          float s, c;
          sincospif(a, &s, &c);
          s *c;
      }))
BINARY(remquo_k, float, float, float, 3.f, ({
           int q;
           float r = remquof(a, b, &q);
           r + q;
       }))
TERNARY(norm3_k, float, float, float, float, 2.f, norm3df(a, b, c))
TERNARY(rnorm3_k, float, float, float, float, 2.f, rnorm3df(a, b, c))
