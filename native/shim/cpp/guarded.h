// Common parts of the functions that Rust calls.
#pragma once

#include "shim.h"

#include <omp.h>

#include <cstdio>
#include <new>

extern "C" {

struct PriorartStatus {
    int32_t code;
    char message[508];
};

} // extern "C"

namespace priorart {

/// Runs `body` and turns exceptions into a status: no exception may leave a C function.
template <class Body>
void guarded(PriorartStatus* status, Body body) {
    auto failed = [&](Code code, const char* what) {
        status->code = code;
        std::snprintf(status->message, sizeof(status->message), "%s", what);
    };
    status->code = OK;
    status->message[0] = 0;
    try {
        body();
    } catch (const CorruptError& e) {
        failed(CORRUPT, e.what());
    } catch (const IoError& e) {
        failed(IO, e.what());
    } catch (const std::bad_alloc&) {
        failed(OUT_OF_MEMORY, "not enough memory");
    } catch (const std::exception& e) {
        failed(FAISS, e.what());
    } catch (...) {
        failed(FAISS, "an exception of an unknown type");
    }
}

/// Sets the number of threads. OpenMP's setting belongs to the calling thread and persists, so
/// every call sets it.
inline void use_threads(int threads) {
    omp_set_num_threads(threads > 0 ? threads : omp_get_num_procs());
}

} // namespace priorart
