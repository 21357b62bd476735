/* Sums of float64 or of float32: REAL, with NAMED(f) for the name of a function. */

/* NumPy's sum of up to 128 numbers side by side. */
INLINE REAL NAMED(sum_block)(const REAL *restrict x, integer n) {
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
static REAL NAMED(add_up)(const REAL *x, integer n) {
    if (n <= 128) return NAMED(sum_block)(x, n);
    const integer half = n / 2 - n / 2 % 8;
    return NAMED(add_up)(x, half) + NAMED(add_up)(x + half, n - half);
}

/* Sums (entries, rows) of x (entries, n) at places (rows, drawn). */
static int NAMED(sum_taken)(const REAL *x, integer entries, integer n,
                            const integer *places, integer rows, integer drawn,
                            REAL *out) {
    REAL *taken = malloc(sizeof(REAL) * MAX(drawn, 1));
    if (!taken) return 1;
    for (integer r = 0; r < rows; r++)
        for (integer e = 0; e < entries; e++) {
            const REAL *restrict from = x + e * n;
            const integer *restrict at = places + r * drawn;
            for (integer c = 0; c < drawn; c++) {
                integer k = at[c];
                BY_ITSELF(k);
                taken[c] = from[k];
            }
            out[e * rows + r] = 0 + NAMED(add_up)(taken, drawn);
        }
    free(taken);
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

/* `count_places` of the places that `draw` gives of whole words, of one stream. */
static int NAMED(count_drawn)(const word *low, const word *high, integer start,
                              integer rows, integer drawn, integer n, REAL *out) {
    word *words = malloc(sizeof(word) * MAX(drawn, 1));
    if (!words) return 1;
    memset(out, 0, sizeof(REAL) * rows * n);
    for (integer r = 0; r < rows; r++) {
        encrypt(*low, *high, (word)(start + r), 1, drawn, 0, words);
        for (integer c = 0; c < drawn; c++) out[r * n + place_of(words[c], n)] += 1;
    }
    free(words);
    return 0;
}

/* 1 for the keys of a row up to its n-th smallest, and 0 for the others. */
static int NAMED(mark_smallest)(const word *keys, integer rows, integer size, integer n,
                                REAL *out) {
    int32_t *ordered = malloc(sizeof(int32_t) * MAX(size, 1));
    if (!ordered) return 1;
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
