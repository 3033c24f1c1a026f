// SPDX-License-Identifier: Apache-2.0
// OpenBLAS, which lies beside this library and is loaded by the first product: kernels without one never pay for it. Every
// core makes its products on its own thread, so OpenBLAS is told to use one. Its symbols stay out of the process's, where
// other copies of it (NumPy's, SciPy's) may live.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mutex>

#include "adv/matmul_abi.h"
#include "vec/product.hpp"

namespace opkg::twin {

ProductFunctions product_functions;

namespace {

// CBLAS, as its standard has it.
enum CblasOrder { kRowMajor = 101 };
enum CblasTranspose { kPlain = 111, kTransposed = 112 };
using Sgemm = void (*)(CblasOrder, CblasTranspose, CblasTranspose, int m, int n, int k, float alpha, const float *a,
                       int lda, const float *b, int ldb, float beta, float *c, int ldc);

struct Blas {
    Sgemm sgemm = nullptr;
    char name[96] = "opkg";
};

void *open_beside_this()
{
    Dl_info here;
    if (dladdr(reinterpret_cast<void *>(&opkg_twin_blas), &here) == 0 || here.dli_fname == nullptr) {
        return nullptr;
    }
    char *real = realpath(here.dli_fname, nullptr);
    if (real == nullptr) {
        return nullptr;
    }
    char path[4096];
    const char *slash = strrchr(real, '/');
    snprintf(path, sizeof path, "%.*s/libscipy_openblas.so", static_cast<int>(slash - real), real);
    free(real);
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

void name_it(Blas &blas, void *library)
{
    using Config = char *(*)();
    const Config config = reinterpret_cast<Config>(dlsym(library, "scipy_openblas_get_config"));
    char version[32] = "";
    if (config != nullptr) {
        sscanf(config(), "%*s %31s", version);
    }
    snprintf(blas.name, sizeof blas.name, "openblas %s", version);
}

// OPKG_TWIN_BLAS=opkg leaves OpenBLAS out: for tests, and to compare.
Blas load()
{
    Blas blas;
    const char *wish = getenv("OPKG_TWIN_BLAS");
    if (wish != nullptr && strcmp(wish, "opkg") == 0) {
        return blas;
    }
    void *library = open_beside_this();
    if (library == nullptr) {
        return blas;
    }
    using SetThreads = void (*)(int);
    const SetThreads set_threads = reinterpret_cast<SetThreads>(dlsym(library, "scipy_openblas_set_num_threads"));
    blas.sgemm = reinterpret_cast<Sgemm>(dlsym(library, "scipy_cblas_sgemm"));
    if (blas.sgemm == nullptr || set_threads == nullptr) {
        blas.sgemm = nullptr;
        return blas;
    }
    set_threads(1);
    name_it(blas, library);
    return blas;
}

const Blas &blas()
{
    static const Blas instance = load();
    return instance;
}

} // namespace

void multiply(const Product &p)
{
    const Sgemm sgemm = blas().sgemm;
    if (sgemm == nullptr) {
        product_functions.multiply(p);
        return;
    }
    sgemm(kRowMajor, p.a_transposed ? kTransposed : kPlain, p.b_transposed ? kTransposed : kPlain, static_cast<int>(p.m),
          static_cast<int>(p.n), static_cast<int>(p.k), 1.0f, p.a, static_cast<int>(p.a_line), p.b,
          static_cast<int>(p.b_line), p.onto ? 1.0f : 0.0f, p.c, static_cast<int>(p.c_line));
}

} // namespace opkg::twin

const char *opkg_twin_blas() { return opkg::twin::blas().name; }
