/* Sums that are exact, and so the same in any order: of numbers that are whole
   multiples of a power of two, as counts are. REAL and NAMED are those of reals.h.
   MAGNITUDE has all bits of REAL but the sign, and REAL holds integers up to
   2^EXACT_BITS. */

#ifndef SIGARRAY_EXACT_H
#define SIGARRAY_EXACT_H

/* Entries whose sums are found side by side, as integers, in registers. */
#define LANES 16
#if defined __AVX512F__
#define BYTES_OF_VECTOR 64
#elif defined __AVX2__
#define BYTES_OF_VECTOR 32
#else
#define BYTES_OF_VECTOR 16
#endif
#define VECTORS (4 * LANES / BYTES_OF_VECTOR)

typedef int32_t vector __attribute__((vector_size(BYTES_OF_VECTOR)));
typedef struct {
    vector of[VECTORS];
} lanes;

INLINE void add_to(lanes *sum, const lanes *x) {
    UNROLLED(4)
    for (int v = 0; v < VECTORS; v++) sum->of[v] += x->of[v];
}

/* The numbers of lanes, one after the other. */
typedef int32_t number __attribute__((may_alias));

static lanes *allocate_lanes(integer n) {
    return aligned_alloc(sizeof(lanes), sizeof(lanes) * MAX(n, 1));
}

/* Replicates whose sums are held, and numbers that are held side by side: 8 MiB. */
#define ROWS_OF_SUMS 1024
#define MOST_NUMBERS (1 << 17)
/* Words whose table is in the cache, and the parts of a word that it is by. */
#define WORDS_OF_TABLE 32
#define NIBBLES 8

typedef int64_t bits_of_f64 __attribute__((may_alias));
typedef int32_t bits_of_f32 __attribute__((may_alias));

#endif

/* The largest absolute value of n numbers, which is not finite if one of them is not.
 */
INLINE REAL NAMED(find_largest)(const REAL *x, integer n) {
    const NAMED(bits_of) *bits = (const void *)x;
    NAMED(bits_of) largest = 0;
    for (integer c = 0; c < n; c++) {
        const NAMED(bits_of) size = bits[c] & MAGNITUDE;
        largest = size > largest ? size : largest;
    }
    REAL value;
    memcpy(&value, &largest, sizeof(value));
    return value;
}

/* What makes integers of n numbers; or 0 if `most` of them, perhaps with repetition,
   have sums with a rounding error. */
static REAL NAMED(find_scale)(const REAL *x, integer n, integer most) {
    const double bound = (double)NAMED(find_largest)(x, n) * (double)MAX(most, 1);
    int exponent = EXACT_BITS;
    if (!(bound <= REAL_MAX)) return 0;
    if (bound > 0) frexp(bound, &exponent);
    if (exponent < MIN_EXPONENT) return 0;
    const REAL scale = (REAL)ldexp(1.0, EXACT_BITS - exponent);
    int32_t differs = 0;
    for (integer c = 0; c < n; c++) {
        const REAL scaled = x[c] * scale;
        differs |= (REAL)(int32_t)scaled != scaled;
    }
    return differs ? 0 : scale;
}

/* Return the scales of all entries (entries, n), to be freed; or NULL, with 2 as the
   code if one has none. */
static REAL *NAMED(find_scales)(const REAL *x, integer entries, integer n, integer most,
                                int *code) {
    REAL *scales = malloc(sizeof(REAL) * MAX(entries, 1));
    *code = !scales;
    for (integer e = 0; e < entries && !*code; e++)
        if (!(scales[e] = NAMED(find_scale)(x + e * n, n, most))) *code = 2;
    if (!*code) return scales;
    free(scales);
    return NULL;
}

/* Put `count` of their integers side by side, and 0 for entries that are not there. */
static void NAMED(as_lanes)(const REAL *x, integer entries, integer n, integer count,
                            const REAL *scales, lanes *table) {
    number *numbers = (void *)table;
    memset(table, 0, sizeof(lanes) * count);
    for (integer e = 0; e < MIN(entries, LANES); e++)
        for (integer c = 0; c < count; c++)
            numbers[c * LANES + e] = (int32_t)(x[e * n + c] * scales[e]);
}

/* Write `count` sums of entries where all have theirs (entries, rows). */
static void NAMED(put_lanes)(const lanes *sums, integer entries, integer count,
                             integer rows, const REAL *scales, REAL *out) {
    const number *numbers = (const void *)sums;
    for (integer e = 0; e < MIN(entries, LANES); e++)
        for (integer r = 0; r < count; r++)
            out[e * rows + r] = (REAL)numbers[r * LANES + e] * (1 / scales[e]);
}

/* As `sum_taken`; return 2 if sums are not exact, or the numbers too many. */
static int NAMED(sum_exactly)(const REAL *x, integer entries, integer n,
                              const integer *places, integer rows, integer drawn,
                              REAL *out) {
    if (n > MOST_NUMBERS) return 2;
    int code;
    REAL *scales = NAMED(find_scales)(x, entries, n, drawn, &code);
    if (code) return code;
    lanes *table = allocate_lanes(n), *sums = allocate_lanes(ROWS_OF_SUMS);
    code = !table || !sums;
    for (integer e = 0; e < entries && !code; e += LANES) {
        NAMED(as_lanes)(x + e * n, entries - e, n, n, scales + e, table);
        for (integer r0 = 0; r0 < rows; r0 += ROWS_OF_SUMS) {
            const integer count = MIN(ROWS_OF_SUMS, rows - r0);
            for (integer r = 0; r < count; r++) {
                const integer *at = places + (r0 + r) * drawn;
                lanes sum = {0};
                for (integer c = 0; c < drawn; c++) add_to(&sum, &table[at[c]]);
                sums[r] = sum;
            }
            NAMED(put_lanes)(sums, entries - e, count, rows, scales + e,
                             out + e * rows + r0);
        }
    }
    free(scales);
    free(table);
    free(sums);
    return code;
}

/* Add the sums of some words, `width` apart, by a table of the sums of each four
   numbers: by the nibble that says which. */
static void NAMED(add_by_nibbles)(const lanes *numbers, const word *words, integer own,
                                  integer rows, integer width, lanes (*table)[16],
                                  lanes *sums) {
    for (integer t = 0; t < own * NIBBLES; t++) {
        memset(&table[t][0], 0, sizeof(lanes));
        for (int bit = 0; bit < 4; bit++)
            for (int k = 0; k < 1 << bit; k++) {
                table[t][k + (1 << bit)] = table[t][k];
                add_to(&table[t][k + (1 << bit)], &numbers[4 * t + bit]);
            }
    }
    for (integer r = 0; r < rows; r++) {
        lanes sum = sums[r];
        for (integer w = 0; w < own; w++) {
            const word bits = words[r * width + w];
            UNROLLED(NIBBLES)
            for (int k = 0; k < NIBBLES; k++)
                add_to(&sum, &table[w * NIBBLES + k][bits >> 4 * k & 15]);
        }
        sums[r] = sum;
    }
}

/* Sums (entries, rows) of the numbers (entries, n) whose bits are 1 in words (rows,
   width): bit k of word w is of number 32 w + k. Return 2 if sums are not exact. */
static int NAMED(sum_bits_exactly)(const REAL *x, integer entries, integer n,
                                   const word *words, integer rows, integer width,
                                   REAL *out) {
    int code;
    REAL *scales = NAMED(find_scales)(x, entries, n, n, &code);
    if (code) return code;
    const integer at_once = 32 * WORDS_OF_TABLE;
    lanes *numbers = allocate_lanes(at_once), *sums = allocate_lanes(ROWS_OF_SUMS);
    lanes(*table)[16] = (void *)allocate_lanes(16 * WORDS_OF_TABLE * NIBBLES);
    code = !numbers || !sums || !table;
    for (integer e = 0; e < entries && !code; e += LANES)
        for (integer r0 = 0; r0 < rows; r0 += ROWS_OF_SUMS) {
            const integer count = MIN(ROWS_OF_SUMS, rows - r0);
            memset(sums, 0, sizeof(lanes) * count);
            for (integer w0 = 0; w0 < width; w0 += WORDS_OF_TABLE) {
                const integer left = MIN(MAX(n - 32 * w0, 0), at_once);
                memset(numbers, 0, sizeof(lanes) * at_once);
                NAMED(as_lanes)(x + e * n + 32 * w0, entries - e, n, left, scales + e,
                                numbers);
                NAMED(add_by_nibbles)(numbers, words + r0 * width + w0,
                                      MIN(WORDS_OF_TABLE, width - w0), count, width,
                                      table, sums);
            }
            NAMED(put_lanes)(sums, entries - e, count, rows, scales + e,
                             out + e * rows + r0);
        }
    free(scales);
    free(numbers);
    free(sums);
    free(table);
    return code;
}
