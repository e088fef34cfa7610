// LAPACK routines that FAISS declares and that no index kind of ours ever calls: they belong to PCA, OPQ, ITQ
// and the additive quantizers. A call is a mistake in this program, and it surfaces as an ordinary FAISS
// exception instead of a wrong result.

#include <faiss/impl/FaissException.h>

#define ABSENT(name)                                                                             \
    extern "C" int name(...) {                                                                   \
        throw faiss::FaissException(#name " is not part of this build of FAISS");                \
    }

ABSENT(dgemm_)
ABSENT(ssyrk_)
ABSENT(sgeqrf_)
ABSENT(sorgqr_)
ABSENT(sgetrf_)
ABSENT(sgetri_)
ABSENT(dgetrf_)
ABSENT(dgetri_)
ABSENT(sgelsd_)
ABSENT(sgesvd_)
ABSENT(dgesvd_)
ABSENT(ssyev_)
ABSENT(dsyev_)
