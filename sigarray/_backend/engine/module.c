/* The kernels as a module of Python, by its limited API: one build for all versions
   from 3.11 on. Arguments are integers, or contiguous buffers, in the order of the
   kernel; while it computes, other threads of Python may. */

#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <string.h>

#include "kernels.h"

#define MOST_ARGUMENTS 20

typedef union {
    int64_t i;
    double d;
    void *p;
} argument;

/* Kinds: i, an integer; d, a float; r, a buffer to read; s, one with strides; w,
   one to write. */
static int read_arguments(const char *kinds, PyObject *const *given, Py_ssize_t n,
                          argument *out, Py_buffer *views, int *n_views) {
    if (n != (Py_ssize_t)strlen(kinds)) {
        PyErr_SetString(PyExc_TypeError, "wrong number of arguments");
        return -1;
    }
    for (Py_ssize_t k = 0; k < n; k++) {
        if (kinds[k] == 'i') out[k].i = PyLong_AsLongLong(given[k]);
        else if (kinds[k] == 'd') out[k].d = PyFloat_AsDouble(given[k]);
        else {
            Py_buffer *view = &views[*n_views];
            const int flags = kinds[k] == 'w'   ? PyBUF_WRITABLE
                              : kinds[k] == 's' ? PyBUF_STRIDED_RO
                                                : PyBUF_SIMPLE;
            if (PyObject_GetBuffer(given[k], view, flags)) return -1;
            ++*n_views;
            out[k].p = view->buf;
        }
        if (PyErr_Occurred()) return -1;
    }
    return 0;
}

/* The kernels that are used: the best for this processor, or what `use` has chosen. */
static const kernels *in_use;

static int list_levels(const kernels **levels) {
    int n = 0;
#ifdef __x86_64__
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2")) levels[n++] = &kernels_v3;
#else
    levels[n++] = &kernels_base;
#endif
#if LEVELS > 1
    if (n == 1 && __builtin_cpu_supports("avx512f") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        levels[n++] = &kernels_v4;
#endif
    return n;
}

#define FUNCTION(NAME, KINDS, ...)                                                     \
    static PyObject *py_##NAME(PyObject *self, PyObject *const *given, Py_ssize_t n) { \
        (void)self;                                                                    \
        argument a[MOST_ARGUMENTS];                                                    \
        Py_buffer views[MOST_ARGUMENTS];                                               \
        int n_views = 0, code = read_arguments(KINDS, given, n, a, views, &n_views);   \
        if (!code) {                                                                   \
            Py_BEGIN_ALLOW_THREADS code = in_use->NAME(__VA_ARGS__);                   \
            Py_END_ALLOW_THREADS if (code == 1) PyErr_NoMemory();                      \
        }                                                                              \
        while (n_views) PyBuffer_Release(&views[--n_views]);                           \
        return code < 0 || code == 1 ? NULL : PyBool_FromLong(code == 0);              \
    }

FUNCTION(draw, "rriiiiiiiiw", a[0].p, a[1].p, a[2].i, a[3].i, a[4].i, a[5].i, a[6].i,
         a[7].i, a[8].i, a[9].i, a[10].p)

#define FUNCTIONS_OF_REALS(NAME)                                                       \
    FUNCTION(sum_taken_##NAME, "riiriiw", a[0].p, a[1].i, a[2].i, a[3].p, a[4].i,      \
             a[5].i, a[6].p)                                                           \
    FUNCTION(sum_exactly_##NAME, "riiriiw", a[0].p, a[1].i, a[2].i, a[3].p, a[4].i,    \
             a[5].i, a[6].p)                                                           \
    FUNCTION(sum_bits_exactly_##NAME, "riiriiw", a[0].p, a[1].i, a[2].i, a[3].p,       \
             a[4].i, a[5].i, a[6].p)                                                   \
    FUNCTION(resample_sorted_##NAME, "riiiriidiw", a[0].p, a[1].i, a[2].i, a[3].i,     \
             a[4].p, a[5].i, a[6].i, a[7].d, a[8].i, a[9].p)                           \
    FUNCTION(find_ratios_##NAME, "ssriiiiiiiirrrw", a[0].p, a[1].p, a[2].p, a[3].i,    \
             a[4].i, a[5].i, a[6].i, a[7].i, a[8].i, a[9].i, a[10].i, a[11].p,         \
             a[12].p, a[13].p, a[14].p)                                                \
    FUNCTION(sum_deviations_##NAME, "rrriiiiirw", a[0].p, a[1].p, a[2].p, a[3].i,      \
             a[4].i, a[5].i, a[6].i, a[7].i, a[8].p, a[9].p)                           \
    FUNCTION(count_drawn_##NAME, "rriiiiw", a[0].p, a[1].p, a[2].i, a[3].i, a[4].i,    \
             a[5].i, a[6].p)                                                           \
    FUNCTION(relative_moments_##NAME, "riirrw", a[0].p, a[1].i, a[2].i, a[3].p,        \
             a[4].p, a[5].p)                                                           \
    FUNCTION(spread_bit_##NAME, "riiw", a[0].p, a[1].i, a[2].i, a[3].p)                \
    FUNCTION(count_places_##NAME, "riiiw", a[0].p, a[1].i, a[2].i, a[3].i, a[4].p)     \
    FUNCTION(mark_smallest_##NAME, "riiiw", a[0].p, a[1].i, a[2].i, a[3].i, a[4].p)    \
    FUNCTION(sum_bytes_##NAME, "ririiiw", a[0].p, a[1].i, a[2].p, a[3].i, a[4].i,      \
             a[5].i, a[6].p)

FUNCTIONS_OF_REALS(f64)
FUNCTIONS_OF_REALS(f32)

/* How many sets of instructions there are here, from 0 on. */
static PyObject *py_count_levels(PyObject *self, PyObject *arguments) {
    (void)self;
    (void)arguments;
    const kernels *levels[LEVELS];
    return PyLong_FromLong(list_levels(levels));
}

/* Use one of them: for tests, as all have the same bits. */
static PyObject *py_use_level(PyObject *self, PyObject *level) {
    (void)self;
    const kernels *levels[LEVELS];
    const long k = PyLong_AsLong(level);
    if (k < 0 || k >= list_levels(levels)) {
        if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "no such level");
        return NULL;
    }
    in_use = levels[k];
    Py_RETURN_NONE;
}

#define ROW(NAME) {#NAME, (PyCFunction)(void (*)(void))py_##NAME, METH_FASTCALL, NULL}
#define ROWS_OF_REALS(NAME)                                                            \
    ROW(sum_taken_##NAME), ROW(count_places_##NAME), ROW(mark_smallest_##NAME),        \
        ROW(sum_bytes_##NAME), ROW(sum_exactly_##NAME), ROW(spread_bit_##NAME),        \
        ROW(sum_bits_exactly_##NAME), ROW(resample_sorted_##NAME),                     \
        ROW(find_ratios_##NAME), ROW(sum_deviations_##NAME),                           \
        ROW(count_drawn_##NAME), ROW(relative_moments_##NAME)

static PyMethodDef methods[] = {
    {"count_levels", py_count_levels, METH_NOARGS, NULL},
    {"use_level", py_use_level, METH_O, NULL},
    ROW(draw),
    ROWS_OF_REALS(f64),
    ROWS_OF_REALS(f32),
    {NULL, NULL, 0, NULL},
};

static int start(PyObject *module) {
    const kernels *levels[LEVELS];
    const int n = list_levels(levels);
    if (!n) {
        PyErr_SetString(PyExc_ImportError, "the processor has no AVX2");
        return -1;
    }
    in_use = levels[n - 1];
    if (PyModule_AddStringConstant(module, "DIGEST", DIGEST)) return -1;
    return PyModule_AddIntConstant(module, "VERSION", ENGINE_VERSION);
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, start}, {0, NULL}};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_engine", NULL, 0, methods, slots, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__engine(void) { return PyModuleDef_Init(&definition); }
