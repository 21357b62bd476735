/* Random words, uniforms and places: sigarray/_backend/threefry.py. */

#define ROUND(r)                                                                       \
    x += y;                                                                            \
    y = ((y << r) | (y >> (32 - r))) ^ x;

#define GROUP(r0, r1, r2, r3, to_x, to_y)                                              \
    ROUND(r0) ROUND(r1) ROUND(r2) ROUND(r3) x += to_x;                                 \
    y += to_y;

/* Encrypt a block: 20 rounds of Threefry-2x32. */
INLINE void threefry(word low, word high, word *px, word *py) {
    const word parity = low ^ high ^ 0x1BD11BDAu;
    word x = *px + low, y = *py + high;
    GROUP(13, 15, 26, 6, high, parity + 1)
    GROUP(17, 29, 16, 24, parity, low + 2)
    GROUP(13, 15, 26, 6, low, high + 3)
    GROUP(17, 29, 16, 24, high, parity + 4)
    GROUP(13, 15, 26, 6, parity, low + 5)
    *px = x;
    *py = y;
}

/* Blocks of short rows, or the last ones of a long row, that are encrypted together. */
#define BLOCKS_AT_ONCE 512
/* Words of a row that are counted before the next ones are drawn: an even number. */
#define WORDS_AT_ONCE 512
/* A row of so many blocks is long enough by itself. */
#define LONG_ROW 64

/* Words of the replicates from `start` on, each `width` of them, row by row. What is
   behind the last block of some that are encrypted together is nobody's. */
static void encrypt(word low, word high, word start, integer rows, integer width,
                    word first, word *restrict out) {
    const integer blocks = (width + 1) / 2, whole = width / 2;
    const integer done = blocks < LONG_ROW ? 0 : whole & -WORDS_OF_VECTOR;
    const integer rest = blocks - done;
    const integer step = done ? 1 : BLOCKS_AT_ONCE / MAX(blocks, 1);
    word xs[BLOCKS_AT_ONCE], ys[BLOCKS_AT_ONCE];
    for (integer r = 0; r < rows; r += step) {
        word *restrict a = out + r * width, *restrict b = a + blocks;
        for (integer c = 0; c < done; c++) {
            word x = start + (word)r, y = first + (word)c;
            threefry(low, high, &x, &y);
            a[c] = x;
            b[c] = y;
        }
        const integer own = MIN(step, rows - r);
        for (integer i = 0; i < own; i++)
            for (integer c = 0; c < rest; c++) {
                xs[i * rest + c] = start + (word)(r + i);
                ys[i * rest + c] = first + (word)(done + c);
            }
        for (integer k = 0; k < WHOLE_VECTORS(own * rest); k++)
            threefry(low, high, &xs[k], &ys[k]);
        for (integer i = 0; i < own; i++, a += width, b += width) {
            for (integer c = done; c < blocks; c++) a[c] = xs[i * rest + c - done];
            for (integer c = done; c < whole; c++) b[c] = ys[i * rest + c - done];
        }
    }
}

/* The halves of the words of a replicate are the upper ones, and then the lower ones. */
INLINE void as_uniforms(const word *restrict words, integer width,
                        float *restrict out) {
    const integer n = (width + 1) / 2;
    for (integer c = 0; c < n; c++)
        out[c] = ((float)(int32_t)(words[c] >> 16) + 0.5f) * 0x1p-16f;
    for (integer c = n; c < width; c++)
        out[c] = ((float)(int32_t)(words[c - n] & 0xFFFF) + 0.5f) * 0x1p-16f;
}

INLINE integer place_of(word chosen, integer size) {
    return (integer)((uint64_t)chosen * (uint64_t)size >> 32);
}

INLINE void as_places(const word *restrict words, integer width, integer size,
                      integer *restrict out) {
    for (integer c = 0; c < width; c++) out[c] = place_of(words[c], size);
}

/* Half words, each above that of the next replicate. */
INLINE void overlap(const word *restrict words, const word *restrict next,
                    integer width, word *restrict out) {
    const integer n = (width + 1) / 2;
    for (integer c = 0; c < n; c++) out[c] = (words[c] & 0xFFFF0000u) | next[c] >> 16;
    for (integer c = n; c < width; c++)
        out[c] = words[c - n] << 16 | (next[c - n] & 0xFFFF);
}

INLINE integer place_of_halves(word upper, word next, word size) {
    return (integer)((upper * size + (next * size >> 16)) >> 16);
}

/* Their places, below up to 2^16, without products of 64 bits. */
INLINE void place_halves(const word *restrict words, const word *restrict next,
                         integer width, word size, integer *restrict out) {
    const integer n = (width + 1) / 2;
    for (integer c = 0; c < n; c++)
        out[c] = place_of_halves(words[c] >> 16, next[c] >> 16, size);
    for (integer c = n; c < width; c++)
        out[c] = place_of_halves(words[c - n] & 0xFFFF, next[c - n] & 0xFFFF, size);
}

/* Rows at a time, so that their words stay in the cache. */
INLINE integer rows_at_once(integer width, integer rows) {
    const integer n = 4096 / MAX(width, 1);
    return MIN(MAX(n, 1), rows);
}

/* Numbers (rows, streams, width) of `draw_fused`, words of 32 bits or of halves. */
static int draw(const word *low, const word *high, integer streams, integer start,
                integer rows, integer width, integer halves, integer size,
                integer first, integer kind, void *out) {
    const integer drawn = halves ? (width + 1) / 2 : width;
    const integer at_once = rows_at_once(drawn, rows);
    const int overlapping = halves && kind != UNIFORMS;
    if (kind == WORDS && !halves && streams == 1) {
        encrypt(*low, *high, (word)start, rows, width, (word)first, out);
        return 0;
    }
    word *words = malloc(sizeof(word) * ((at_once + 1) * drawn + width));
    if (!words) return 1;
    word *whole = words + (at_once + 1) * drawn;
    for (integer s = 0; s < streams; s++)
        for (integer r0 = 0; r0 < rows; r0 += at_once) {
            const integer n = MIN(at_once, rows - r0);
            encrypt(low[s], high[s], (word)(start + r0), n + overlapping, drawn,
                    (word)first, words);
            for (integer i = 0; i < n; i++) {
                const integer at = ((r0 + i) * streams + s) * width;
                const word *own = words + i * drawn, *next = own + drawn;
                if (kind == UNIFORMS)
                    as_uniforms(own, width, (float *)out + at);
                else if (kind == WORDS && overlapping)
                    overlap(own, next, width, (word *)out + at);
                else if (kind == WORDS)
                    memcpy((word *)out + at, own, sizeof(word) * width);
                else if (overlapping && size <= 1 << 16)
                    place_halves(own, next, width, (word)size, (integer *)out + at);
                else {
                    if (overlapping) overlap(own, next, width, whole);
                    as_places(overlapping ? whole : own, width, size,
                              (integer *)out + at);
                }
            }
        }
    free(words);
    return 0;
}
