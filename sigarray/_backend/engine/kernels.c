/* All kernels, for the instructions that the compiler is told of; KERNELS names them.
 */

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels.h"

#define INLINE static inline __attribute__((always_inline))
/* A long loop, or a function that calls itself: copies in each caller gain nothing. */
#define ONCE static __attribute__((noinline))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
/* A load by an index from memory, which is faster than vector gathers are. */
#define BY_ITSELF(k) __asm__("" : "+r"(k))

/* Before a short loop that is faster without its counter, which -O2 would keep. */
#define PRAGMA(x) _Pragma(#x)
#define UNROLLED(n) PRAGMA(GCC unroll n)

/* Words of the longest vector: loops over n words and spare ones up to whole vectors
   need no turns of single words. */
#define WORDS_OF_VECTOR ((integer)16)
#define WHOLE_VECTORS(n) (((n) + WORDS_OF_VECTOR - 1) & -WORDS_OF_VECTOR)

#include "words.h"
#include "selection.h"

#define REAL double
#define REAL_MAX DBL_MAX
#define MAGNITUDE INT64_MAX
#define EXACT_BITS 31
#define MIN_EXPONENT (DBL_MIN_EXP + 64)
#define NAMED(f) f##_f64
#include "reals.h"
#include "exact.h"
#include "order.h"
#undef REAL
#undef REAL_MAX
#undef MAGNITUDE
#undef EXACT_BITS
#undef MIN_EXPONENT
#undef NAMED
#define REAL float
#define REAL_MAX FLT_MAX
#define MAGNITUDE INT32_MAX
#define EXACT_BITS 24
#define MIN_EXPONENT (FLT_MIN_EXP + 64)
#define NAMED(f) f##_f32
#include "reals.h"
#include "exact.h"
#include "order.h"

#define LIST_OF_REALS(NAME)                                                            \
    .sum_taken_##NAME = sum_taken_##NAME, .count_places_##NAME = count_places_##NAME,  \
    .mark_smallest_##NAME = mark_smallest_##NAME,                                      \
    .sum_bytes_##NAME = sum_bytes_##NAME, .spread_bit_##NAME = spread_bit_##NAME,      \
    .sum_exactly_##NAME = sum_exactly_##NAME,                                          \
    .sum_bits_exactly_##NAME = sum_bits_exactly_##NAME,                                \
    .resample_sorted_##NAME = resample_sorted_##NAME,                                  \
    .find_ratios_##NAME = find_ratios_##NAME,                                          \
    .sum_deviations_##NAME = sum_deviations_##NAME,                                    \
    .count_drawn_##NAME = count_drawn_##NAME,                                          \
    .relative_moments_##NAME = relative_moments_##NAME

const kernels KERNELS = {.draw = draw, LIST_OF_REALS(f64), LIST_OF_REALS(f32)};
