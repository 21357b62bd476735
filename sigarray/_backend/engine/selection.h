/* The n smallest of random keys, by the threshold up to which there are so many. */

INLINE integer count_up_to(const int32_t *restrict keys, integer size, int32_t limit) {
    int32_t count = 0;
    for (integer c = 0; c < size; c++) count += keys[c] <= limit;
    return count;
}

/* The n-th smallest key, or a number between it and the next one. For even keys it is
   near to where a line through two guesses puts it; halving, now and then, finds it
   among any others. Where keys are the same, more than n may be up to it. Behind the
   keys INT32_MAX fills a vector. */
static int32_t find_threshold(const int32_t *keys, integer size, integer n) {
    int64_t low = INT32_MIN - 1ll, high = INT32_MAX; /* up to low are too few */
    integer few = 0, many = size;
    for (int turn = 0; many != n && high - low > 1; turn++) {
        int64_t guess = (low + high) / 2;
        if (turn % 3 < 2)
            guess = low + (int64_t)((double)(high - low) * ((double)(n - few) - 0.5) /
                                    (double)(many - few));
        guess = MIN(MAX(guess, low + 1), high - 1);
        const integer count = count_up_to(keys, WHOLE_VECTORS(size), (int32_t)guess);
        if (count >= n) {
            high = guess;
            many = count;
        } else {
            low = guess;
            few = count;
        }
    }
    return (int32_t)high;
}
