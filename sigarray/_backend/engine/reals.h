/* Sums of float64 or of float32: REAL, with NAMED(f) for the name of a function. */

/* NumPy's sum of up to 128 numbers side by side. */
ONCE REAL NAMED(sum_block)(const REAL *restrict x, integer n) {
    if (n < 8) {
        REAL sum = 0;
        for (integer i = 0; i < n; i++) sum += x[i];
        return sum;
    }
    REAL s[8];
    for (int j = 0; j < 8; j++) s[j] = x[j];
    integer i = 8;
    for (; i + 8 <= n; i += 8)
        for (int j = 0; j < 8; j++) s[j] += x[i + j];
    REAL sum = ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));
    for (; i < n; i++) sum += x[i];
    return sum;
}

/* NumPy's sum of any number of them, but for the 0 that it begins with: it makes 0 of
   a sum of -0. */
ONCE REAL NAMED(add_up)(const REAL *x, integer n) {
    if (n <= 128) return NAMED(sum_block)(x, n);
    const integer half = n / 2 - n / 2 % 8;
    return NAMED(add_up)(x, half) + NAMED(add_up)(x + half, n - half);
}

/* `add_up` of the numbers at some places, which are not put side by side first. */
ONCE REAL NAMED(add_up_at)(const REAL *restrict x, const integer *restrict at,
                           integer n) {
    if (n > 128) {
        const integer half = n / 2 - n / 2 % 8;
        return NAMED(add_up_at)(x, at, half) + NAMED(add_up_at)(x, at + half, n - half);
    }
    REAL sum = 0;
    integer i = 0;
    if (n >= 8) {
        REAL s[8];
        for (int j = 0; j < 8; j++) s[j] = x[at[j]];
        for (i = 8; i + 8 <= n; i += 8)
            for (int j = 0; j < 8; j++) {
                integer k = at[i + j];
                BY_ITSELF(k);
                s[j] += x[k];
            }
        sum = ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));
    }
    for (; i < n; i++) sum += x[at[i]];
    return sum;
}

/* Sums (entries, rows) of x (entries, n) at places (rows, drawn). */
static int NAMED(sum_taken)(const REAL *x, integer entries, integer n,
                            const integer *places, integer rows, integer drawn,
                            REAL *out) {
    for (integer r = 0; r < rows; r++)
        for (integer e = 0; e < entries; e++)
            out[e * rows + r] =
                0 + NAMED(add_up_at)(x + e * n, places + r * drawn, drawn);
    return 0;
}

/* Sum (x - level) / unit as `add_up`, or with a mean their squared deviations. */
ONCE REAL NAMED(add_up_relative)(const REAL *restrict x, integer n, REAL level,
                                 REAL unit, const REAL *mean) {
    if (n > 128) {
        const integer half = n / 2 - n / 2 % 8;
        return NAMED(add_up_relative)(x, half, level, unit, mean) +
               NAMED(add_up_relative)(x + half, n - half, level, unit, mean);
    }
    REAL terms[128];
    for (integer i = 0; i < n; i++) terms[i] = (x[i] - level) / unit;
    if (mean)
        for (integer i = 0; i < n; i++) {
            const REAL deviation = terms[i] - *mean;
            terms[i] = deviation * deviation;
        }
    return NAMED(sum_block)(terms, n);
}

/* The means of (x - level) / unit of x (entries, n), and then the sums of squared
   deviations from them: (2, entries). */
static int NAMED(relative_moments)(const REAL *x, integer entries, integer n,
                                   const REAL *levels, const REAL *units, REAL *out) {
    for (integer e = 0; e < entries; e++) {
        const REAL *own = x + e * n;
        const REAL level = levels[e], unit = units[e];
        const REAL sum = 0 + NAMED(add_up_relative)(own, n, level, unit, NULL);
        const REAL mean = (REAL)((double)sum / (double)n);
        out[e] = mean;
        out[entries + e] = 0 + NAMED(add_up_relative)(own, n, level, unit, &mean);
    }
    return 0;
}

/* How often each of n places is among those of a row: (rows, n). */
static int NAMED(count_places)(const integer *places, integer rows, integer drawn,
                               integer n, REAL *out) {
    memset(out, 0, sizeof(REAL) * rows * n);
    for (integer r = 0; r < rows; r++)
        for (integer c = 0; c < drawn; c++) out[r * n + places[r * drawn + c]] += 1;
    return 0;
}

/* `count_places` of the places that `draw` gives of whole words, of one stream; some
   words at a time, so that these and the counts of a row stay in the cache. */
static int NAMED(count_drawn)(const word *low, const word *high, integer start,
                              integer rows, integer drawn, integer n, REAL *out) {
    int32_t *counts = malloc(sizeof(int32_t) * MAX(n, 1));
    if (!counts) return 1;
    word words[WORDS_AT_ONCE], places[WORDS_AT_ONCE];
    for (integer r = 0; r < rows; r++) {
        memset(counts, 0, sizeof(int32_t) * n);
        for (integer k = 0; k < drawn; k += WORDS_AT_ONCE) {
            const integer own = MIN(WORDS_AT_ONCE, drawn - k);
            encrypt(*low, *high, (word)(start + r), 1, own, (word)(k / 2), words);
            for (integer c = 0; c < own; c++) places[c] = (word)place_of(words[c], n);
            for (integer c = 0; c < own; c++) counts[places[c]]++;
        }
        for (integer c = 0; c < n; c++) out[r * n + c] = (REAL)counts[c];
    }
    free(counts);
    return 0;
}

/* 1 for the keys of a row up to its n-th smallest, and 0 for the others. */
static int NAMED(mark_smallest)(const word *keys, integer rows, integer size, integer n,
                                REAL *out) {
    int32_t *ordered = malloc(sizeof(int32_t) * WHOLE_VECTORS(MAX(size, 1)));
    if (!ordered) return 1;
    for (integer c = size; c < WHOLE_VECTORS(size); c++) ordered[c] = INT32_MAX;
    for (integer r = 0; r < rows; r++) {
        for (integer c = 0; c < size; c++)
            ordered[c] = (int32_t)(keys[r * size + c] ^ 0x80000000u);
        const int32_t limit = find_threshold(ordered, size, n);
        REAL *restrict to = out + r * size;
        for (integer c = 0; c < size; c++) to[c] = (REAL)(ordered[c] <= limit);
    }
    free(ordered);
    return 0;
}

/* Sums (entries, rows) of the numbers whose bits are 1 in words (rows, width), by a
   table (entries, width, 4, 256) of the sums of each eight; of `n_bytes` of a word. */
static int NAMED(sum_bytes)(const REAL *table, integer entries, const word *words,
                            integer rows, integer width, integer n_bytes, REAL *out) {
    REAL *taken = malloc(sizeof(REAL) * MAX(width, 1));
    if (!taken) return 1;
    for (integer r = 0; r < rows; r++)
        for (integer e = 0; e < entries; e++) {
            const REAL *restrict from = table + e * width * 1024;
            const word *restrict own = words + r * width;
            REAL sum = 0;
            for (integer k = 0; k < n_bytes; k++) {
                for (integer c = 0; c < width; c++) {
                    word byte = own[c] >> 8 * k & 255;
                    BY_ITSELF(byte);
                    taken[c] = from[c * 1024 + k * 256 + byte];
                }
                sum += NAMED(add_up)(taken, width);
            }
            out[e * rows + r] = sum;
        }
    free(taken);
    return 0;
}

/* One bit of each word, as 0 or 1. */
static int NAMED(spread_bit)(const word *words, integer size, integer bit, REAL *out) {
    for (integer c = 0; c < size; c++) out[c] = (REAL)(int32_t)(words[c] >> bit & 1);
    return 0;
}
