/* All kernels, for the instructions that the compiler is told of; KERNELS names them.
 */

#include <stdlib.h>
#include <string.h>

#include "kernels.h"

#define INLINE static inline __attribute__((always_inline))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
/* A load by an index from memory, which is faster than vector gathers are. */
#define BY_ITSELF(k) __asm__("" : "+r"(k))

#include "words.h"
#include "selection.h"

#define REAL double
#define NAMED(f) f##_f64
#include "reals.h"
#undef REAL
#undef NAMED
#define REAL float
#define NAMED(f) f##_f32
#include "reals.h"

#define LIST_OF_REALS(NAME)                                                            \
    .sum_taken_##NAME = sum_taken_##NAME, .count_places_##NAME = count_places_##NAME,  \
    .mark_smallest_##NAME = mark_smallest_##NAME, .sum_bytes_##NAME = sum_bytes_##NAME

const kernels KERNELS = {.draw = draw, LIST_OF_REALS(f64), LIST_OF_REALS(f32)};
