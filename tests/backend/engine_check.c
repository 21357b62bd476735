/* Calls every kernel with arrays of the size that it needs, and not a byte more: for
   sanitizers of addresses and of undefined behaviour. Ends with 0 if they are content.
 */

#include <stdio.h>
#include <stdlib.h>

#include "kernels.h"

static uint32_t state = 1;

static word next_word(void) {
    state = state * 1664525u + 1013904223u;
    return state ^ state >> 16;
}

static void *make(integer n, size_t size) { return malloc(n * size); }

static integer *make_places(integer count, integer n) {
    integer *places = make(count, sizeof(integer));
    for (integer k = 0; k < count; k++) places[k] = next_word() % n;
    return places;
}

static word *make_words(integer count) {
    word *words = make(count, sizeof(word));
    for (integer k = 0; k < count; k++) words[k] = next_word();
    return words;
}

static int check_draws(integer rows, integer width) {
    static const size_t sizes[] = {sizeof(word), sizeof(float), sizeof(integer)};
    int code = 0;
    for (integer kind = WORDS; kind <= PLACES; kind++)
        for (integer halves = 0; halves < 2; halves++)
            for (integer streams = 1; streams < 4; streams += 2) {
                if (kind == UNIFORMS && !halves) continue;
                word *low = make_words(streams), *high = make_words(streams);
                void *out = make(rows * streams * width, sizes[kind]);
                const integer size = halves ? 4096 : 2147483647;
                code |= kernels_base.draw(low, high, streams, 2147483647 - rows, rows,
                                          width, halves, size, 1 << 30, kind, out);
                free(low), free(high), free(out);
            }
    return code;
}

#define CHECK_REALS(REAL, NAME)                                                        \
    static REAL *make_##NAME(integer count, int are_whole) {                           \
        REAL *x = make(count, sizeof(REAL));                                           \
        for (integer k = 0; k < count; k++)                                            \
            x[k] = are_whole ? (REAL)(next_word() % 9) : (REAL)next_word() / 3;        \
        return x;                                                                      \
    }                                                                                  \
    static int check_##NAME(integer rows, integer n, integer entries, int are_whole) { \
        const integer width = (n + 31) / 32;                                           \
        REAL *x = make_##NAME(entries * n, are_whole);                                 \
        REAL *table = make_##NAME(entries * width * 1024, are_whole);                  \
        integer *places = make_places(rows * (n + 3), n);                              \
        word *words = make_words(rows * width), *keys = make_words(rows * n);          \
        REAL *sums = make(entries * rows, sizeof(REAL));                               \
        REAL *marks = make(rows * n, sizeof(REAL));                                    \
        REAL *bits = make(rows * width, sizeof(REAL));                                 \
        int code =                                                                     \
            kernels_base.sum_taken_##NAME(x, entries, n, places, rows, n + 3, sums);   \
        code |= kernels_base.count_places_##NAME(places, rows, n + 3, n, marks);       \
        code |= kernels_base.count_drawn_##NAME(words, words, 1, rows, n + 3, n,       \
                                                marks);                                \
        code |= kernels_base.mark_smallest_##NAME(keys, rows, n, n / 2 + 1, marks);    \
        code |= kernels_base.sum_bytes_##NAME(table, entries, words, rows, width, 4,   \
                                              sums);                                   \
        code |= kernels_base.spread_bit_##NAME(words, rows * width, 31, bits);         \
        code |= kernels_base.sum_exactly_##NAME(x, entries, n, places, rows, n + 3,    \
                                                sums) &                                \
                ~2;                                                                    \
        code |= kernels_base.sum_bits_exactly_##NAME(x, entries, n, words, rows,       \
                                                     width, sums) &                    \
                ~2;                                                                    \
        REAL *moments = make(2 * entries, sizeof(REAL));                               \
        REAL *steps = make_##NAME(12 * entries * n, are_whole);                        \
        REAL *deviations = make(2 * entries * rows, sizeof(REAL));                     \
        code |= kernels_base.sum_deviations_##NAME(steps, places, x, entries, 2 * n,   \
                                                   rows, 2, 3, steps, deviations);     \
        code |= kernels_base.relative_moments_##NAME(x, entries, n, sums, sums,        \
                                                     moments);                         \
        float *widths = make_f32(rows * 2 * (n + 1), 1);                               \
        REAL *drawn = make(entries * 2 * rows * n, sizeof(REAL));                      \
        REAL *models = make_##NAME(entries * 2 * n, are_whole);                        \
        for (integer lanes = 0; lanes < 2; lanes++) {                                  \
            code |= kernels_base.resample_sorted_##NAME(models, entries, 2, n, widths, \
                                                        rows, n, n * (1 - 0x1p-50),    \
                                                        lanes, drawn);                 \
            if (lanes && n > 1024) continue;                                           \
            integer starts[3] = {0, 0, (2 * entries - 1) * rows * n};                  \
            const integer step = lanes ? rows : n;                                     \
            code |= kernels_base.find_ratios_##NAME(drawn, drawn, starts, 1, step,     \
                                                    step, n, rows, lanes, 0, 0, NULL,  \
                                                    NULL, NULL, sums);                 \
            code |= kernels_base.find_ratios_##NAME(drawn, drawn, starts, 1, step,     \
                                                    step, n, rows, lanes, 0, 1, NULL,  \
                                                    NULL, x, sums);                    \
            code |= kernels_base.find_ratios_##NAME(drawn, drawn, starts, 1, step,     \
                                                    step, n, rows, lanes, 1, 1,        \
                                                    places, places, x, sums);          \
        }                                                                              \
        free(x), free(table), free(places), free(words), free(keys), free(sums);       \
        free(marks), free(bits), free(widths), free(drawn), free(models);              \
        free(moments), free(steps), free(deviations);                                  \
        return code;                                                                   \
    }

CHECK_REALS(float, f32)
CHECK_REALS(double, f64)

int main(void) {
    static const integer sizes[] = {1, 2, 3, 7, 8, 9, 33, 64, 129, 260, 1030};
    int code = 0;
    for (size_t k = 0; k < sizeof(sizes) / sizeof(*sizes); k++)
        for (integer rows = 1; rows < 20; rows += 17) {
            code |= check_draws(rows, sizes[k]);
            for (integer entries = 1; entries < 20; entries += 16)
                for (int are_whole = 0; are_whole < 2; are_whole++) {
                    code |= check_f64(rows, sizes[k], entries, are_whole);
                    code |= check_f32(rows, sizes[k], entries, are_whole);
                }
        }
    if (code) fprintf(stderr, "a kernel has returned %d\n", code);
    return code;
}
