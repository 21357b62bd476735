/* Order statistics of resamples, and violation ratios of samples that are sorted: of
   REAL, as reals.h. */

#ifndef SIGARRAY_ORDER_H
#define SIGARRAY_ORDER_H

/* Terms of a block of `cumulative_places`. */
#define TERMS 8
/* Replicates whose ranks are found before their scores are put side by side. */
#define ROWS_OF_RANKS 16
/* Replicates whose ratios are summed side by side. */
#define ROWS_OF_RATIOS 64
/* As many terms are added up in the order of einsum, and more in that of a sum. */
#define TERMS_OF_EINSUM 1024

/* `cumulative_places` of the widths (n + 1) of one replicate. */
static void find_ranks(const float *restrict widths, integer n, double below,
                       double *restrict sums, int32_t *restrict ranks) {
    double before = 0;
    integer k = 0;
    for (; k + TERMS <= n + 1; k += TERMS) {
        double *restrict s = sums + k;
        double within = 0;
        UNROLLED(TERMS)
        for (int i = 0; i < TERMS; i++) {
            within = i ? within + widths[k + i] : widths[k];
            s[i] = within + before;
        }
        before += within;
    }
    if (k <= n) {
        double within = 0;
        for (integer i = k; i <= n; i++) {
            within = i > k ? within + widths[i] : widths[k];
            sums[i] = within + before;
        }
        before += within;
    }
    const double scale = before != 0 ? below / before : 0;
    for (integer c = 0; c < n; c++) ranks[c] = (int32_t)(sums[c] * scale);
}

#endif

/* Sorted scores (entries, models, n) at `cumulative_places` of widths (rows, models,
   drawn + 1): (entries, models, rows, drawn), or with `lanes` (.., drawn, rows). */
static int NAMED(resample_sorted)(const REAL *scores, integer entries, integer models,
                                  integer n, const float *widths, integer rows,
                                  integer drawn, double below, integer lanes,
                                  REAL *out) {
    const integer size = drawn + 1, at_once = lanes ? ROWS_OF_RANKS : 1;
    double *sums = malloc(sizeof(double) * size);
    int32_t *ranks = malloc(sizeof(int32_t) * size * ROWS_OF_RANKS);
    if (!sums || !ranks) {
        free(sums);
        free(ranks);
        return 1;
    }
    for (integer m = 0; m < models; m++)
        for (integer r0 = 0; r0 < rows; r0 += at_once) {
            const integer own = MIN(at_once, rows - r0);
            for (integer r = 0; r < own; r++)
                find_ranks(widths + ((r0 + r) * models + m) * (drawn + 1), drawn, below,
                           sums, ranks + r * drawn);
            for (integer e = 0; e < entries; e++) {
                const REAL *restrict from = scores + (e * models + m) * n;
                REAL *restrict to = out + (e * models + m) * rows * drawn;
                if (lanes) {
                    for (integer c = 0; c < drawn; c++)
                        for (integer r = 0; r < own; r++)
                            to[c * rows + r0 + r] = from[ranks[r * drawn + c]];
                    continue;
                }
                for (integer c = 0; c < own * drawn; c++) {
                    int32_t k = ranks[c];
                    BY_ITSELF(k);
                    to[r0 * drawn + c] = from[k];
                }
            }
        }
    free(sums);
    free(ranks);
    return 0;
}

INLINE REAL NAMED(ratio_of)(REAL violation, REAL distance) {
    const REAL ratio = violation / distance;
    if (distance == 0) return (REAL)0.5;
    return ratio > 1 ? 1 : ratio;
}

/* Terms of the distance and of the violation at nodes from `start` on. */
static void NAMED(find_terms)(const REAL *x, const REAL *y, const integer *ranks_x,
                              const integer *ranks_y, const REAL *widths, integer start,
                              integer n, REAL *restrict distances,
                              REAL *restrict violations) {
    for (integer c = 0; c < n; c++) {
        const integer k = start + c;
        distances[c] = ranks_x ? y[ranks_y[k]] - x[ranks_x[k]] : y[k] - x[k];
    }
    for (integer c = 0; c < n; c++) {
        const REAL d = distances[c], above = d > 0 ? d : 0;
        const REAL weighted = widths ? d * widths[start + c] : d;
        distances[c] = d * weighted;
        violations[c] = above * (widths ? weighted : above);
    }
}

/* Their sums, as `add_up` of all. */
static void NAMED(add_up_terms)(const REAL *x, const REAL *y, const integer *ranks_x,
                                const integer *ranks_y, const REAL *widths,
                                integer start, integer n, REAL *distance,
                                REAL *violation) {
    if (n <= 128) {
        REAL distances[128], violations[128];
        NAMED(find_terms)(x, y, ranks_x, ranks_y, widths, start, n, distances,
                          violations);
        *distance = NAMED(sum_block)(distances, n);
        *violation = NAMED(sum_block)(violations, n);
        return;
    }
    const integer half = n / 2 - n / 2 % 8;
    REAL d, v;
    NAMED(add_up_terms)(x, y, ranks_x, ranks_y, widths, start, half, distance,
                        violation);
    NAMED(add_up_terms)(x, y, ranks_x, ranks_y, widths, start + half, n - half, &d, &v);
    *distance += d;
    *violation += v;
}

/* Vectors of 16 bytes in which einsum adds up, four at a time and the last one first.
 */
#define IN_VECTOR ((integer)(16 / sizeof(REAL)))

/* Sum both as einsum does; behind the terms is a vector of zeros. */
INLINE void NAMED(add_as_einsum)(const REAL *distances, const REAL *violations,
                                 integer n, REAL *distance, REAL *violation) {
    REAL d[16 / sizeof(REAL)] = {0}, v[16 / sizeof(REAL)] = {0};
    integer c = 0;
    for (; c + 4 * IN_VECTOR <= n; c += 4 * IN_VECTOR)
        for (integer k = c + 3 * IN_VECTOR; k >= c; k -= IN_VECTOR)
            for (int i = 0; i < IN_VECTOR; i++) {
                d[i] += distances[k + i];
                v[i] += violations[k + i];
            }
    for (; c < n; c += IN_VECTOR)
        for (int i = 0; i < IN_VECTOR; i++) {
            d[i] += distances[c + i];
            v[i] += violations[c + i];
        }
    *distance = d[0] + d[1];
    *violation = v[0] + v[1];
    if (IN_VECTOR == 4) {
        *distance += d[2] + d[3];
        *violation += v[2] + v[3];
    }
}

INLINE REAL NAMED(ratio_of_row)(const REAL *x, const REAL *y, integer nodes,
                                const integer *ranks_x, const integer *ranks_y,
                                const REAL *widths) {
    REAL distance, violation;
    if (nodes > TERMS_OF_EINSUM) {
        NAMED(add_up_terms)(x, y, ranks_x, ranks_y, widths, 0, nodes, &distance,
                            &violation);
        return NAMED(ratio_of)(0 + violation, distance);
    }
    REAL distances[TERMS_OF_EINSUM + 4], violations[TERMS_OF_EINSUM + 4];
    NAMED(find_terms)(x, y, ranks_x, ranks_y, widths, 0, nodes, distances, violations);
    for (int i = 0; i < 4; i++) distances[nodes + i] = violations[nodes + i] = 0;
    NAMED(add_as_einsum)(distances, violations, nodes, &distance, &violation);
    return NAMED(ratio_of)(violation, distance);
}

/* Ratios of replicates side by side, whose nodes are x_step and y_step apart. */
INLINE void NAMED(ratios_of_lanes)(const REAL *x, const REAL *y, integer x_step,
                                   integer y_step, integer nodes, integer rows,
                                   const integer *ranks_x, const integer *ranks_y,
                                   const REAL *widths, REAL *restrict out) {
    REAL distances[ROWS_OF_RATIOS], violations[ROWS_OF_RATIOS];
    for (integer r = 0; r < rows; r++) distances[r] = violations[r] = 0;
    for (integer c = 0; c < nodes; c++) {
        const REAL *restrict a = x + (ranks_x ? ranks_x[c] : c) * x_step;
        const REAL *restrict b = y + (ranks_y ? ranks_y[c] : c) * y_step;
        const REAL width = widths ? widths[c] : 1;
        if (widths) {
            UNROLLED(8)
            for (integer r = 0; r < rows; r++) {
                const REAL d = b[r] - a[r], weighted = d * width;
                distances[r] += d * weighted;
                violations[r] += (d > 0 ? d : 0) * weighted;
            }
        } else {
            UNROLLED(8)
            for (integer r = 0; r < rows; r++) {
                const REAL d = b[r] - a[r], above = d > 0 ? d : 0;
                distances[r] += d * d;
                violations[r] += above * above;
            }
        }
    }
    for (integer r = 0; r < rows; r++)
        out[r] = NAMED(ratio_of)(violations[r], distances[r]);
}

/* `ratio_of_samples` of pairs of samples in x and y, each (rows, nodes), or with
   `lanes` (nodes, rows): (pairs, rows). Of each pair `starts` has its place in the
   result and those where both samples begin; x_step and y_step are those of the second
   last axis. With ranks, nodes are these; widths are those of nodes. */
static int NAMED(find_ratios)(const REAL *x, const REAL *y, const integer *starts,
                              integer pairs, integer x_step, integer y_step,
                              integer nodes, integer rows, integer lanes,
                              integer has_ranks, integer has_widths,
                              const integer *ranks_x, const integer *ranks_y,
                              const REAL *widths, REAL *out) {
    if (!has_ranks) ranks_x = ranks_y = NULL;
    if (!has_widths) widths = NULL;
    for (integer p = 0; p < pairs; p++) {
        const REAL *a = x + starts[3 * p + 1], *b = y + starts[3 * p + 2];
        REAL *to = out + starts[3 * p] * rows;
        if (lanes)
            for (integer r = 0; r < rows; r += ROWS_OF_RATIOS) {
                const integer left = rows - r;
                /* A number that the compiler knows keeps sums in registers. */
                if (left >= ROWS_OF_RATIOS)
                    NAMED(ratios_of_lanes)(a + r, b + r, x_step, y_step, nodes,
                                           ROWS_OF_RATIOS, ranks_x, ranks_y, widths,
                                           to + r);
                else
                    NAMED(ratios_of_lanes)(a + r, b + r, x_step, y_step, nodes, left,
                                           ranks_x, ranks_y, widths, to + r);
            }
        else
            for (integer r = 0; r < rows; r++)
                to[r] = NAMED(ratio_of_row)(a + r * x_step, b + r * y_step, nodes,
                                            ranks_x, ranks_y, widths);
    }
    return 0;
}
#undef IN_VECTOR

/* Sum a row of x (n, nodes, columns) for each node, by ranks. */
ONCE void NAMED(add_rows)(const REAL *restrict x, const integer *ranks, integer nodes,
                          integer columns, REAL *restrict out) {
    memcpy(out, x + ranks[0] * nodes * columns, sizeof(REAL) * columns);
    for (integer k = 1; k < nodes; k++) {
        const REAL *restrict row = x + (ranks[k] * nodes + k) * columns;
        for (integer c = 0; c < columns; c++) out[c] += row[c];
    }
}

/* Sums over columns of w d and of w d^2, (2, entries, rows), where w are the weights of
   columns, and d the deviations of ratios from a center: those of the violations and
   distances that `add_rows` gives of steps (2, entries, n, columns), for each row of
   ranks (rows, nodes). */
static int NAMED(sum_deviations)(const REAL *steps, const integer *ranks,
                                 const REAL *centers, integer entries, integer n,
                                 integer rows, integer nodes, integer columns,
                                 const REAL *weights, REAL *out) {
    REAL *terms = malloc(sizeof(REAL) * 2 * columns), *squares = terms + columns;
    if (!terms) return 1;
    for (integer k = 0; k < entries * rows; k++) {
        const integer entry = k / rows, *of_row = ranks + k % rows * nodes;
        const REAL *own = steps + entry * n * columns, center = centers[entry];
        NAMED(add_rows)(own, of_row, nodes, columns, terms);
        NAMED(add_rows)(own + entries * n * columns, of_row, nodes, columns, squares);
        for (integer c = 0; c < columns; c++) {
            const REAL deviation = NAMED(ratio_of)(terms[c], squares[c]) - center;
            const REAL weighted = weights[c] * deviation;
            terms[c] = weighted;
            squares[c] = weighted * deviation;
        }
        out[k] = 0 + NAMED(add_up)(terms, columns);
        out[entries * rows + k] = 0 + NAMED(add_up)(squares, columns);
    }
    free(terms);
    return 0;
}
