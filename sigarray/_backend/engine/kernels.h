/* The kernels of the engine, which NumPy's arrays go through on a processor.

   All of them give the bits of the array code, whatever the instructions: they are to
   be compiled without contraction of a * b + c (-ffp-contract=off), and without
   -ffast-math. They have no state and no threads. They return 0; 1 if there is no
   memory, and 2 if the numbers are not for them. Arrays are contiguous, with their axes
   in the order in which comments name them. */

#ifndef SIGARRAY_KERNELS_H
#define SIGARRAY_KERNELS_H

#include <stdint.h>

/* The version of this interface; sigarray/_backend/compiled_numpy.py has the same. */
#define ENGINE_VERSION 3

typedef uint32_t word;
typedef int64_t integer;

/* What `draw` gives, by the numbers of sigarray/_backend/threefry.py. */
enum { WORDS, UNIFORMS, PLACES };

#define KERNELS_OF_REALS(REAL, NAME)                                                   \
    int (*sum_taken_##NAME)(const REAL *x, integer entries, integer n,                 \
                            const integer *places, integer rows, integer drawn,        \
                            REAL *out);                                                \
    int (*relative_moments_##NAME)(const REAL *x, integer entries, integer n,          \
                                   const REAL *levels, const REAL *units, REAL *out);  \
    int (*count_places_##NAME)(const integer *places, integer rows, integer drawn,     \
                               integer n, REAL *out);                                  \
    int (*count_drawn_##NAME)(const word *low, const word *high, integer start,        \
                              integer rows, integer drawn, integer n, REAL *out);      \
    int (*mark_smallest_##NAME)(const word *keys, integer rows, integer size,          \
                                integer n, REAL *out);                                 \
    int (*sum_bytes_##NAME)(const REAL *table, integer entries, const word *words,     \
                            integer rows, integer width, integer n_bytes, REAL *out);  \
    int (*spread_bit_##NAME)(const word *words, integer size, integer bit, REAL *out); \
    int (*sum_exactly_##NAME)(const REAL *x, integer entries, integer n,               \
                              const integer *places, integer rows, integer drawn,      \
                              REAL *out);                                              \
    int (*sum_bits_exactly_##NAME)(const REAL *x, integer entries, integer n,          \
                                   const word *words, integer rows, integer width,     \
                                   REAL *out);                                         \
    int (*resample_sorted_##NAME)(const REAL *scores, integer entries, integer models, \
                                  integer n, const float *widths, integer rows,        \
                                  integer drawn, double below, integer lanes,          \
                                  REAL *out);                                          \
    int (*find_ratios_##NAME)(                                                         \
        const REAL *x, const REAL *y, const integer *starts, integer pairs,            \
        integer x_step, integer y_step, integer nodes, integer rows, integer lanes,    \
        integer has_ranks, integer has_widths, const integer *ranks_x,                 \
        const integer *ranks_y, const REAL *widths, REAL *out);                        \
    int (*sum_deviations_##NAME)(const REAL *steps, const integer *ranks,              \
                                 const REAL *centers, integer entries, integer n,      \
                                 integer rows, integer nodes, integer columns,         \
                                 const REAL *weights, REAL *out);

typedef struct {
    int (*draw)(const word *low, const word *high, integer streams, integer start,
                integer rows, integer width, integer halves, integer size,
                integer first, integer kind, void *out);
    KERNELS_OF_REALS(double, f64)
    KERNELS_OF_REALS(float, f32)
} kernels;

/* Compiled for one set of instructions each: see hatch_build.py. */
extern const kernels kernels_base, kernels_v3, kernels_v4;

#endif
