/*
 * Intercepts the C library's changes of files below one folder. Preloaded by harness/shim.ts.
 *
 * PRIORART_SHIM_ROOT   prefix of the recorded paths
 * PRIORART_SHIM_LOG    file for the record of every change, in order; log.ts reads it
 * PRIORART_SHIM_FAIL   number of the first change without space, from 1; 0: never
 * PRIORART_SHIM_SPACE  path of a file whose existence frees space
 *
 * A record: u32 kind, u32 flags, u64 inode, u64 offset, u32 bytes of the path, u32 bytes of the data (or of the second
 * path), path, data, in the machine's byte order. One lock is held around each change and its record, so that the log
 * has the order of the changes. Writes through a memory map are not recorded: among the tested files, only LMDB's lock
 * file uses one, and a power cut discards it. Writes of stdio are recorded when the file is closed. A sync is recorded
 * but not performed.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <unistd.h>

enum { CREATE = 1, WRITE, TRUNCATE, SYNC, SYNC_FOLDER, RENAME, UNLINK, MAKE_FOLDER, REMOVE_FOLDER, LINK };
enum { DURABLE = 1 };
#define FILES 4096

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static const char *root, *space;
static size_t root_length;
static int log_file = -1;
static long fail_from, writes;
/* Path of each descriptor, or NULL for other files. */
static char *paths[FILES];
static int opened_as[FILES];
/* Identity of the file, because some closes are not intercepted and the number may then belong to a socket. */
static dev_t devices[FILES];
static ino_t inodes[FILES];
struct stream { FILE *file; char *path; };
static struct stream streams[64];

#define REAL(result, name, ...) \
    static result (*real_##name)(__VA_ARGS__); \
    if (!real_##name) real_##name = dlsym(RTLD_NEXT, #name)

static ssize_t raw_write(int fd, const void *bytes, size_t length) {
    REAL(ssize_t, write, int, const void *, size_t);
    return real_write(fd, bytes, length);
}

__attribute__((constructor)) static void start(void) {
    root = getenv("PRIORART_SHIM_ROOT");
    root_length = root ? strlen(root) : 0;
    space = getenv("PRIORART_SHIM_SPACE");
    const char *from = getenv("PRIORART_SHIM_FAIL");
    fail_from = from ? atol(from) : 0;
    const char *log = getenv("PRIORART_SHIM_LOG");
    REAL(int, open, const char *, int, ...);
    if (log) {
        int fd = real_open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
        /* A high number, so that the program's files keep their usual numbers. */
        log_file = fcntl(fd, F_DUPFD_CLOEXEC, FILES);
        close(fd);
        if (log_file < 0) abort();
    }
}

static int ours(const char *path) { return root && path && strncmp(path, root, root_length) == 0; }
static const char *path_of(int fd) {
    struct stat state;
    if (fd < 0 || fd >= FILES || !paths[fd]) return NULL;
    if (fstat(fd, &state) || state.st_dev != devices[fd] || state.st_ino != inodes[fd]) return NULL;
    return paths[fd];
}

static void put(const void *bytes, size_t length) {
    for (const char *at = bytes; length > 0;) {
        ssize_t n = raw_write(log_file, at, length);
        if (n <= 0) abort();
        at += n;
        length -= n;
    }
}

static void record(uint32_t kind, uint32_t flags, uint64_t inode, uint64_t offset, const char *path,
                   const void *data, uint32_t length) {
    if (log_file < 0) return;
    struct { uint32_t kind, flags; uint64_t inode, offset; uint32_t path, data; } head = {
        kind, flags, inode, offset, path ? strlen(path) : 0, length};
    put(&head, sizeof head);
    if (path) put(path, head.path);
    put(data, length);
}

static uint64_t inode_of(int fd) {
    struct stat state;
    return fstat(fd, &state) ? 0 : state.st_ino;
}

/* Whether the disk is full now. */
static int is_full(void) {
    if (fail_from == 0 || writes < fail_from) return 0;
    if (space && access(space, F_OK) == 0) return 0;
    return 1;
}

/* Counts a change that needs space. Returns 1 if the disk is full. */
static int no_room(void) {
    writes++;
    if (!is_full()) return 0;
    errno = ENOSPC;
    return 1;
}

static int remember(int fd, const char *path, int flags) {
    if (fd >= 0 && fd < FILES) {
        free(paths[fd]);
        struct stat state;
        int is_ours = ours(path) && fstat(fd, &state) == 0;
        paths[fd] = is_ours ? strdup(path) : NULL;
        opened_as[fd] = flags;
        if (is_ours) {
            devices[fd] = state.st_dev;
            inodes[fd] = state.st_ino;
        }
    }
    return fd;
}

static int opening(int (*real)(const char *, int, ...), const char *path, int flags, mode_t mode) {
    if (!ours(path)) return remember(real(path, flags, mode), path, flags);
    pthread_mutex_lock(&lock);
    int makes = (flags & O_CREAT) && access(path, F_OK) != 0, fd = -1;
    if (!makes || !no_room()) fd = real(path, flags, mode);
    int error = errno;
    if (fd >= 0 && makes) record(CREATE, 0, inode_of(fd), 0, path, NULL, 0);
    if (fd >= 0 && !makes && (flags & O_TRUNC)) record(TRUNCATE, 0, inode_of(fd), 0, NULL, NULL, 0);
    remember(fd, path, flags);
    pthread_mutex_unlock(&lock);
    errno = error;
    return fd;
}

#define OPEN(name) \
    int name(const char *path, int flags, ...) { \
        REAL(int, name, const char *, int, ...); \
        va_list rest; \
        va_start(rest, flags); \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0; \
        va_end(rest); \
        return opening(real_##name, path, flags, mode); \
    }
OPEN(open)
OPEN(open64)

int close(int fd) {
    REAL(int, close, int);
    if (fd == log_file && fd >= 0) return 0;
    if (path_of(fd)) {
        pthread_mutex_lock(&lock);
        free(paths[fd]);
        paths[fd] = NULL;
        pthread_mutex_unlock(&lock);
    }
    return real_close(fd);
}

/* Writes a range through `pwrite`; on a full disk, half of it the first time, as a real disk does. */
static ssize_t writing(int fd, const void *bytes, size_t length, off_t offset) {
    REAL(ssize_t, pwrite64, int, const void *, size_t, off_t);
    struct stat state;
    /* Overwritten bytes have their blocks already. */
    int grows = fstat(fd, &state) != 0 || offset + (off_t)length > state.st_size;
    if (grows && no_room()) {
        if (writes != fail_from || length < 2) return -1;
        length /= 2;
    }
    ssize_t n = real_pwrite64(fd, bytes, length, offset);
    int durable = opened_as[fd] & O_DSYNC ? DURABLE : 0;
    if (n > 0) record(WRITE, durable, inode_of(fd), offset, NULL, bytes, n);
    return n;
}

static ssize_t writing_all(int fd, const struct iovec *parts, int count, off_t offset) {
    ssize_t total = 0;
    for (int i = 0; i < count; i++) {
        if (parts[i].iov_len == 0) continue;
        ssize_t n = writing(fd, parts[i].iov_base, parts[i].iov_len, offset + total);
        if (n < 0) return total > 0 ? total : n;
        total += n;
        if ((size_t)n < parts[i].iov_len) break;
    }
    return total;
}

/* At the descriptor's own position, which advances. */
static ssize_t writing_on(int fd, const struct iovec *parts, int count) {
    off_t at = lseek(fd, 0, opened_as[fd] & O_APPEND ? SEEK_END : SEEK_CUR);
    ssize_t n = writing_all(fd, parts, count, at);
    if (n > 0) lseek(fd, at + n, SEEK_SET);
    return n;
}

#define LOCKED(result, call) \
    pthread_mutex_lock(&lock); \
    result n = call; \
    int error = errno; \
    pthread_mutex_unlock(&lock); \
    errno = error; \
    return n

ssize_t write(int fd, const void *bytes, size_t length) {
    if (!path_of(fd)) return raw_write(fd, bytes, length);
    struct iovec part = {(void *)bytes, length};
    LOCKED(ssize_t, writing_on(fd, &part, 1));
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
    REAL(ssize_t, writev, int, const struct iovec *, int);
    if (!path_of(fd)) return real_writev(fd, parts, count);
    LOCKED(ssize_t, writing_on(fd, parts, count));
}

#define PWRITE(name) \
    ssize_t name(int fd, const void *bytes, size_t length, off_t offset) { \
        REAL(ssize_t, name, int, const void *, size_t, off_t); \
        if (!path_of(fd)) return real_##name(fd, bytes, length, offset); \
        LOCKED(ssize_t, writing(fd, bytes, length, offset)); \
    }
PWRITE(pwrite)
PWRITE(pwrite64)

#define PWRITEV(name) \
    ssize_t name(int fd, const struct iovec *parts, int count, off_t offset) { \
        REAL(ssize_t, name, int, const struct iovec *, int, off_t); \
        if (!path_of(fd)) return real_##name(fd, parts, count, offset); \
        LOCKED(ssize_t, writing_all(fd, parts, count, offset)); \
    }
PWRITEV(pwritev)
PWRITEV(pwritev64)

static int truncating(int fd, off_t size) {
    REAL(int, ftruncate64, int, off_t);
    struct stat state;
    if (fstat(fd, &state)) return -1;
    if (size > state.st_size && no_room()) return -1;
    int failed = real_ftruncate64(fd, size);
    if (!failed) record(TRUNCATE, 0, state.st_ino, size, NULL, NULL, 0);
    return failed;
}

#define FTRUNCATE(name) \
    int name(int fd, off_t size) { \
        REAL(int, name, int, off_t); \
        if (!path_of(fd)) return real_##name(fd, size); \
        LOCKED(int, truncating(fd, size)); \
    }
FTRUNCATE(ftruncate)
FTRUNCATE(ftruncate64)

static int syncing(int fd) {
    struct stat state;
    if (fstat(fd, &state)) return -1;
    if (S_ISDIR(state.st_mode)) record(SYNC_FOLDER, 0, 0, 0, path_of(fd), NULL, 0);
    else record(SYNC, 0, state.st_ino, 0, NULL, NULL, 0);
    return 0;
}

#define FSYNC(name) \
    int name(int fd) { \
        REAL(int, name, int); \
        if (!path_of(fd)) return real_##name(fd); \
        LOCKED(int, syncing(fd)); \
    }
FSYNC(fsync)
FSYNC(fdatasync)

static int renaming(const char *from, const char *to) {
    REAL(int, rename, const char *, const char *);
    int failed = real_rename(from, to);
    if (!failed) record(RENAME, 0, 0, 0, from, to, strlen(to));
    return failed;
}
int rename(const char *from, const char *to) {
    REAL(int, rename, const char *, const char *);
    if (!ours(from)) return real_rename(from, to);
    LOCKED(int, renaming(from, to));
}

static int linking(const char *from, const char *to) {
    REAL(int, link, const char *, const char *);
    if (no_room()) return -1;
    int failed = real_link(from, to);
    if (!failed) record(LINK, 0, 0, 0, from, to, strlen(to));
    return failed;
}
int link(const char *from, const char *to) {
    REAL(int, link, const char *, const char *);
    if (!ours(from)) return real_link(from, to);
    LOCKED(int, linking(from, to));
}

static int changing(int (*real)(const char *), uint32_t kind, const char *path) {
    int failed = real(path);
    if (!failed) record(kind, 0, 0, 0, path, NULL, 0);
    return failed;
}
#define REMOVE(name, kind) \
    int name(const char *path) { \
        REAL(int, name, const char *); \
        if (!ours(path)) return real_##name(path); \
        LOCKED(int, changing(real_##name, kind, path)); \
    }
REMOVE(unlink, UNLINK)
REMOVE(rmdir, REMOVE_FOLDER)

static int making(const char *path, mode_t mode) {
    REAL(int, mkdir, const char *, mode_t);
    if (access(path, F_OK) != 0 && no_room()) return -1;
    int failed = real_mkdir(path, mode);
    if (!failed) record(MAKE_FOLDER, 0, 0, 0, path, NULL, 0);
    return failed;
}
int mkdir(const char *path, mode_t mode) {
    REAL(int, mkdir, const char *, mode_t);
    if (!ours(path)) return real_mkdir(path, mode);
    LOCKED(int, making(path, mode));
}

/* A full disk reports no free blocks. */
#define STATFS(name, type) \
    int name(const char *path, struct type *state) { \
        REAL(int, name, const char *, struct type *); \
        int failed = real_##name(path, state); \
        if (!failed && ours(path) && is_full()) state->f_bavail = state->f_bfree = 0; \
        return failed; \
    }
STATFS(statfs, statfs)
STATFS(statfs64, statfs64)

/* FAISS writes its files through stdio, whose internal writes are not intercepted. */
static FILE *opening_stream(FILE *(*real)(const char *, const char *), const char *path, const char *mode) {
    if (!ours(path) || mode[0] == 'r') return real(path, mode);
    pthread_mutex_lock(&lock);
    int makes = access(path, F_OK) != 0;
    FILE *file = makes && no_room() ? NULL : real(path, mode);
    int error = errno;
    for (int i = 0; file && i < 64; i++) {
        if (streams[i].file) continue;
        streams[i] = (struct stream){file, strdup(path)};
        if (makes) record(CREATE, 0, inode_of(fileno(file)), 0, path, NULL, 0);
        break;
    }
    pthread_mutex_unlock(&lock);
    errno = error;
    return file;
}
#define FOPEN(name) \
    FILE *name(const char *path, const char *mode) { \
        REAL(FILE *, name, const char *, const char *); \
        return opening_stream(real_##name, path, mode); \
    }
FOPEN(fopen)
FOPEN(fopen64)

static struct stream *stream_of(FILE *file) {
    for (int i = 0; i < 64; i++) if (streams[i].file == file) return &streams[i];
    return NULL;
}

size_t fwrite(const void *bytes, size_t size, size_t count, FILE *file) {
    REAL(size_t, fwrite, const void *, size_t, size_t, FILE *);
    pthread_mutex_lock(&lock);
    int refused = stream_of(file) && no_room();
    pthread_mutex_unlock(&lock);
    if (refused) errno = ENOSPC;
    return refused ? 0 : real_fwrite(bytes, size, count, file);
}

int fclose(FILE *file) {
    REAL(int, fclose, FILE *);
    struct stream *stream = stream_of(file);
    if (!stream) return real_fclose(file);
    pthread_mutex_lock(&lock);
    fflush(file);
    REAL(int, open, const char *, int, ...);
    int fd = real_open(stream->path, O_RDONLY | O_CLOEXEC);
    struct stat state;
    if (fd >= 0 && fstat(fd, &state) == 0 && state.st_size > 0) {
        char *bytes = malloc(state.st_size);
        ssize_t n = pread(fd, bytes, state.st_size, 0);
        if (n > 0) record(WRITE, 0, state.st_ino, 0, NULL, bytes, n);
        free(bytes);
    }
    if (fd >= 0) close(fd);
    free(stream->path);
    stream->file = NULL;
    pthread_mutex_unlock(&lock);
    return real_fclose(file);
}
