// Reader of files that may be damaged. Every count is checked against the rest of the file before
// it is used.
#pragma once

#include "index_format.h"

#include <faiss/IndexFlat.h>
#include <faiss/IndexScalarQuantizer.h>
#include <faiss/impl/maybe_owned_vector.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace priorart {

/// A memory-mapped file, which lives as long as an index refers to it.
struct Mapping : faiss::MaybeOwnedVectorOwner {
    const uint8_t* data;
    size_t size;

    Mapping(int fd, size_t size, const std::string& path) : size(size) {
        void* p = mmap(nullptr, size, PROT_READ, MAP_SHARED, fd, 0);
        if (p == MAP_FAILED) {
            io_error("cannot map", path);
        }
        data = static_cast<const uint8_t*>(p);
    }
    ~Mapping() override {
        munmap(const_cast<uint8_t*>(data), size);
    }
};

class Reader {
  public:
    Reader(const char* path, bool map) : path_(path) {
        fd_ = open(path, O_RDONLY | O_CLOEXEC);
        if (fd_ < 0) {
            io_error("cannot open", path_);
        }
        struct stat st;
        if (fstat(fd_, &st) != 0 || !S_ISREG(st.st_mode)) {
            close(fd_);
            errno = errno ? errno : EINVAL;
            io_error("not a regular file:", path_);
        }
        size_ = static_cast<size_t>(st.st_size);
        try {
            expect(size_ >= 4, "the file is empty");
            if (map) {
                mapping_ = std::make_shared<Mapping>(fd_, size_, path_);
            }
        } catch (...) {
            close(fd_);
            throw;
        }
        // A large buffer: without a map, the file is read once, in order.
        if (!map) {
            posix_fadvise(fd_, 0, 0, POSIX_FADV_SEQUENTIAL);
            buffer_.resize(std::min<size_t>(size_, 1 << 18));
        }
    }
    ~Reader() {
        close(fd_);
    }
    Reader(const Reader&) = delete;

    bool mapped() const {
        return mapping_ != nullptr;
    }
    /// Bytes that have not been read yet.
    size_t left() const {
        return size_ - at_;
    }
    bool at_end() const {
        return left() == 0;
    }

    template <class T>
    T one() {
        T value;
        bytes(&value, sizeof(T));
        return value;
    }
    uint32_t type() {
        return one<uint32_t>();
    }
    bool flag() {
        uint8_t byte = one<uint8_t>();
        expect(byte <= 1, "a flag is neither 0 nor 1");
        return byte;
    }
    /// A count of items of `item` bytes, checked against the rest of the file.
    size_t count(size_t item) {
        uint64_t n = one<uint64_t>();
        expect(n <= (size_ - at_) / item, "the file ends before its data does");
        return n;
    }
    template <class T>
    std::vector<T> vector() {
        std::vector<T> v(count(sizeof(T)));
        bytes(v.data(), v.size() * sizeof(T));
        return v;
    }
    /// `n` items: a view of a mapped file, otherwise a copy.
    template <class T>
    faiss::MaybeOwnedVector<T> view(size_t n) {
        expect(n <= (size_ - at_) / sizeof(T), "the file ends before its data does");
        if (mapping_) {
            auto* p = const_cast<uint8_t*>(mapping_->data + at_);
            at_ += n * sizeof(T);
            return faiss::MaybeOwnedVector<T>::create_view(p, n, mapping_);
        }
        std::vector<T> v(n);
        bytes(v.data(), n * sizeof(T));
        return faiss::MaybeOwnedVector<T>(std::move(v));
    }
    void bytes(void* to, size_t n) {
        expect(n <= size_ - at_, "the file ends before its data does");
        if (mapping_) {
            std::memcpy(to, mapping_->data + at_, n);
        } else {
            copy(static_cast<uint8_t*>(to), n);
        }
        at_ += n;
    }

  private:
    /// Copies from the buffer as far as possible. Reads more than the buffer's size directly from
    /// the file.
    void copy(uint8_t* to, size_t n) {
        size_t from = at_;
        while (n > 0) {
            if (from >= buffer_at_ && from < buffer_at_ + buffer_fill_) {
                size_t take = std::min(n, buffer_at_ + buffer_fill_ - from);
                std::memcpy(to, buffer_.data() + (from - buffer_at_), take);
                to += take, from += take, n -= take;
            } else if (n >= buffer_.size()) {
                size_t got = pread_some(to, n, from);
                to += got, from += got, n -= got;
            } else {
                buffer_at_ = from;
                buffer_fill_ = pread_some(buffer_.data(), buffer_.size(), from);
            }
        }
    }
    size_t pread_some(void* to, size_t n, size_t from) {
        ssize_t got;
        do {
            got = pread(fd_, to, n, from);
        } while (got < 0 && errno == EINTR);
        if (got < 0) {
            io_error("cannot read", path_);
        }
        expect(got > 0, "the file became shorter while it was read");
        return got;
    }

    std::string path_;
    int fd_ = -1;
    size_t size_ = 0, at_ = 0;
    std::shared_ptr<Mapping> mapping_;
    std::vector<uint8_t> buffer_;
    size_t buffer_at_ = 0, buffer_fill_ = 0;
};

inline void expect_numbers(bool sound) {
    expect(sound, "a vector holds NaN, infinity or a component that is too large");
}

/// Checks `n` floats at any alignment.
inline void check_components(const void* data, size_t n) {
    bool sound = true;
    for (size_t i = 0; i < n; i++) {
        float x;
        std::memcpy(&x, static_cast<const uint8_t*>(data) + i * sizeof(x), sizeof(x));
        sound &= std::fabs(x) <= GREATEST_COMPONENT;
    }
    expect_numbers(sound);
}

/// Checks `n` half-precision floats at any alignment.
inline void check_halves(const void* data, size_t n) {
    constexpr uint16_t EXPONENT = 0x7c00;
    bool sound = true;
    for (size_t i = 0; i < n; i++) {
        uint16_t x;
        std::memcpy(&x, static_cast<const uint8_t*>(data) + i * sizeof(x), sizeof(x));
        sound &= (x & EXPONENT) != EXPONENT;
    }
    expect_numbers(sound);
}

struct Header {
    int32_t d;
    int64_t ntotal;
};

Header read_header(Reader& r);
void check_same(const Header& outer, const faiss::Index& inner);

/// Reads a flat index. The components of a mapped file are not checked.
template <class Flat>
std::unique_ptr<Flat> read_flat_as(Reader& r) {
    Header h = read_header(r);
    auto flat = std::make_unique<Flat>(h.d);
    expect(r.count(sizeof(float)) == size_t(h.ntotal) * h.d, "the number of vector components is wrong");
    flat->codes = r.view<uint8_t>(size_t(h.ntotal) * flat->code_size);
    flat->ntotal = h.ntotal;
    if (!r.mapped()) {
        check_components(flat->codes.data(), size_t(h.ntotal) * h.d);
    }
    return flat;
}
std::unique_ptr<faiss::IndexScalarQuantizer> read_flat_sq(Reader& r);
std::unique_ptr<faiss::Index> read_hnsw(Reader& r, bool flat_storage);

} // namespace priorart
