/*
 * What a disk can do to a program, as a library that is loaded before libc (LD_PRELOAD). It sees every call that
 * changes a file below LARES_FAULT_FOLDER and, by LARES_FAULT_MODE:
 *   count        counts them and writes "name number" lines to LARES_FAULT_OUT at the end
 *   kill-before  SIGKILL in place of the call number LARES_FAULT_AT
 *   kill-after   SIGKILL right after it
 *   fail         that call, and LARES_FAULT_FOR in all, end with LARES_FAULT_ERRNO; LARES_FAULT_ONLY=sync: of the syncs
 *   log          writes each call with its bytes to LARES_FAULT_OUT, and what is written to LARES_FAULT_MARKS with it
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum op { WRITE, SYNC, TRUNCATE, UNLINK, RENAME, MARK, OPS };
static const char *const op_names[OPS] = {"write", "sync", "truncate", "unlink", "rename", "mark"};
enum mode { OFF, COUNT, KILL_BEFORE, KILL_AFTER, FAIL, LOG };

#define MAX_FD 4096
static char *paths[MAX_FD]; /* of the descriptors that belong to the folder or are the marks */
static enum mode mode = OFF;
static const char *folder, *marks, *out;
static long at, most, only_syncs;
static int error_number, out_fd = -1;
static long seen, counts[OPS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

#define REAL(type, name, ...)                                     \
  static type (*real_##name)(__VA_ARGS__);                        \
  static void find_##name(void) {                                 \
    if (!real_##name) real_##name = dlsym(RTLD_NEXT, #name);      \
  }
REAL(ssize_t, write, int, const void *, size_t)
REAL(ssize_t, writev, int, const struct iovec *, int)
REAL(ssize_t, pwrite, int, const void *, size_t, off_t)
REAL(ssize_t, pwrite64, int, const void *, size_t, off_t)
REAL(ssize_t, pwritev, int, const struct iovec *, int, off_t)
REAL(ssize_t, pwritev64, int, const struct iovec *, int, off_t)
REAL(int, fsync, int)
REAL(int, fdatasync, int)
REAL(int, ftruncate, int, off_t)
REAL(int, ftruncate64, int, off_t)
REAL(int, unlink, const char *)
REAL(int, remove, const char *)
REAL(int, rename, const char *, const char *)
REAL(int, open, const char *, int, ...)
REAL(int, open64, const char *, int, ...)
REAL(int, openat, int, const char *, int, ...)
REAL(int, openat64, int, const char *, int, ...)
REAL(int, close, int)

static long number_of(const char *name, long otherwise) {
  const char *text = getenv(name);
  return text ? atol(text) : otherwise;
}

__attribute__((constructor)) static void begin(void) {
  static const char *const names[] = {"off", "count", "kill-before", "kill-after", "fail", "log"};
  const char *wanted = getenv("LARES_FAULT_MODE");
  folder = getenv("LARES_FAULT_FOLDER");
  if (!wanted || !folder) return;
  marks = getenv("LARES_FAULT_MARKS");
  out = getenv("LARES_FAULT_OUT");
  at = number_of("LARES_FAULT_AT", 0);
  most = number_of("LARES_FAULT_FOR", 1);
  error_number = (int)number_of("LARES_FAULT_ERRNO", ENOSPC);
  only_syncs = getenv("LARES_FAULT_ONLY") != NULL;
  find_open();
  if (out) out_fd = real_open(out, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  for (int i = 0; i <= LOG; i++)
    if (strcmp(wanted, names[i]) == 0) mode = i;
}

__attribute__((destructor)) static void end(void) {
  if (mode == COUNT)
    for (int i = 0; i < OPS; i++) dprintf(out_fd, "%s %ld\n", op_names[i], counts[i]);
}

static int is_below(const char *path) {
  size_t length = strlen(folder);
  return strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == 0);
}

static int is_mark(const char *path) { return marks && strcmp(path, marks) == 0; }

static void put(const void *bytes, size_t length) {
  find_write();
  while (length > 0) {
    ssize_t done = real_write(out_fd, bytes, length);
    if (done <= 0) abort(); /* a log with a hole would prove nothing */
    bytes = (const char *)bytes + done;
    length -= (size_t)done;
  }
}

struct record {
  uint32_t op, path_length;
  uint64_t offset, length;
};

static void log_call(enum op op, const char *path, off_t offset, const void *bytes, size_t length) {
  if (mode != LOG) return;
  struct record record = {(uint32_t)op, (uint32_t)strlen(path), (uint64_t)offset, length};
  put(&record, sizeof record);
  put(path, record.path_length);
  put(bytes, length);
}

static void die(void) {
  kill(getpid(), SIGKILL);
  for (;;) pause();
}

/* Before a call that changes the folder: whether it goes on. Holds the lock until `after`, so that the order is one. */
static int before(enum op op, long *number) {
  pthread_mutex_lock(&lock);
  counts[op]++;
  *number = only_syncs && op != SYNC ? 0 : ++seen;
  if (mode == KILL_BEFORE && *number == at) die();
  if (mode == FAIL && *number >= at && *number < at + most && *number > 0) {
    pthread_mutex_unlock(&lock);
    errno = error_number;
    return 0;
  }
  return 1;
}

static void after(long number) {
  if (mode == KILL_AFTER && number == at) die();
  pthread_mutex_unlock(&lock);
}

static const char *path_of(int fd) { return mode != OFF && fd >= 0 && fd < MAX_FD ? paths[fd] : NULL; }

static int opened(int fd, const char *path, int flags) {
  if (mode == OFF || fd < 0 || fd >= MAX_FD) return fd;
  pthread_mutex_lock(&lock);
  free(paths[fd]);
  paths[fd] = is_below(path) || is_mark(path) ? strdup(path) : NULL;
  if (paths[fd] && !is_mark(path) && (flags & O_TRUNC)) log_call(TRUNCATE, path, 0, NULL, 0);
  pthread_mutex_unlock(&lock);
  return fd;
}

#define MODE_OF(flags, last)                        \
  mode_t permissions = 0;                           \
  if ((flags) & (O_CREAT | O_TMPFILE)) {            \
    va_list list;                                   \
    va_start(list, last);                           \
    permissions = va_arg(list, mode_t);             \
    va_end(list);                                   \
  }

int open(const char *path, int flags, ...) {
  MODE_OF(flags, flags)
  find_open();
  return opened(real_open(path, flags, permissions), path, flags);
}
int open64(const char *path, int flags, ...) {
  MODE_OF(flags, flags)
  find_open64();
  return opened(real_open64(path, flags, permissions), path, flags);
}
int openat(int folder_fd, const char *path, int flags, ...) {
  MODE_OF(flags, flags)
  find_openat();
  return opened(real_openat(folder_fd, path, flags, permissions), path, flags);
}
int openat64(int folder_fd, const char *path, int flags, ...) {
  MODE_OF(flags, flags)
  find_openat64();
  return opened(real_openat64(folder_fd, path, flags, permissions), path, flags);
}

int close(int fd) {
  find_close();
  if (path_of(fd)) {
    pthread_mutex_lock(&lock);
    free(paths[fd]);
    paths[fd] = NULL;
    pthread_mutex_unlock(&lock);
  }
  return real_close(fd);
}

static size_t gathered(const struct iovec *parts, int count, char **bytes) {
  size_t length = 0;
  for (int i = 0; i < count; i++) length += parts[i].iov_len;
  char *next = *bytes = malloc(length + 1);
  for (int i = 0; i < count; i++) next = mempcpy(next, parts[i].iov_base, parts[i].iov_len);
  return length;
}

/* A write by any of the names: `call` does it, `offset` is where (-1: where the file stands). */
#define WRITTEN(fd, call, bytes_now, where)                                                         \
  const char *path = path_of(fd);                                                                   \
  if (!path) return call;                                                                           \
  if (is_mark(path)) {                                                                              \
    pthread_mutex_lock(&lock);                                                                      \
    ssize_t done = call;                                                                            \
    if (done > 0) log_call(MARK, path, 0, bytes_now, (size_t)done);                                 \
    pthread_mutex_unlock(&lock);                                                                    \
    return done;                                                                                    \
  }                                                                                                 \
  long number;                                                                                      \
  if (!before(WRITE, &number)) return -1;                                                           \
  ssize_t done = call;                                                                              \
  int kept = errno;                                                                                 \
  if (done > 0) log_call(WRITE, path, (where) < 0 ? lseek(fd, 0, SEEK_CUR) - done : (where), bytes_now, (size_t)done); \
  after(number);                                                                                    \
  errno = kept;                                                                                     \
  return done;

ssize_t write(int fd, const void *bytes, size_t length) {
  find_write();
  WRITTEN(fd, real_write(fd, bytes, length), bytes, (off_t)-1)
}
ssize_t pwrite(int fd, const void *bytes, size_t length, off_t offset) {
  find_pwrite();
  WRITTEN(fd, real_pwrite(fd, bytes, length, offset), bytes, offset)
}
ssize_t pwrite64(int fd, const void *bytes, size_t length, off_t offset) {
  find_pwrite64();
  WRITTEN(fd, real_pwrite64(fd, bytes, length, offset), bytes, offset)
}

static ssize_t vector(int fd, const struct iovec *parts, int count, off_t offset) {
  char *bytes;
  size_t length = gathered(parts, count, &bytes);
  ssize_t done = offset < 0 ? write(fd, bytes, length) : pwrite(fd, bytes, length, offset);
  int kept = errno;
  free(bytes);
  errno = kept;
  return done;
}
ssize_t writev(int fd, const struct iovec *parts, int count) {
  find_writev();
  return path_of(fd) ? vector(fd, parts, count, -1) : real_writev(fd, parts, count);
}
ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t offset) {
  find_pwritev();
  return path_of(fd) ? vector(fd, parts, count, offset) : real_pwritev(fd, parts, count, offset);
}
ssize_t pwritev64(int fd, const struct iovec *parts, int count, off_t offset) {
  find_pwritev64();
  return path_of(fd) ? vector(fd, parts, count, offset) : real_pwritev64(fd, parts, count, offset);
}

#define CHANGED(op, path, call, offset, bytes, length)      \
  long number;                                              \
  if (!before(op, &number)) return -1;                      \
  int done = call;                                          \
  int kept = errno;                                         \
  if (done == 0) log_call(op, path, offset, bytes, length); \
  after(number);                                            \
  errno = kept;                                             \
  return done;

int fsync(int fd) {
  find_fsync();
  const char *path = path_of(fd);
  if (!path || is_mark(path)) return real_fsync(fd);
  CHANGED(SYNC, path, real_fsync(fd), 0, NULL, 0)
}
int fdatasync(int fd) {
  find_fdatasync();
  const char *path = path_of(fd);
  if (!path || is_mark(path)) return real_fdatasync(fd);
  CHANGED(SYNC, path, real_fdatasync(fd), 0, NULL, 0)
}
int ftruncate(int fd, off_t size) {
  find_ftruncate();
  const char *path = path_of(fd);
  if (!path) return real_ftruncate(fd, size);
  CHANGED(TRUNCATE, path, real_ftruncate(fd, size), size, NULL, 0)
}
int ftruncate64(int fd, off_t size) {
  find_ftruncate64();
  const char *path = path_of(fd);
  if (!path) return real_ftruncate64(fd, size);
  CHANGED(TRUNCATE, path, real_ftruncate64(fd, size), size, NULL, 0)
}
int unlink(const char *path) {
  find_unlink();
  if (mode == OFF || !is_below(path)) return real_unlink(path);
  CHANGED(UNLINK, path, real_unlink(path), 0, NULL, 0)
}
int remove(const char *path) { /* a file: folders are never removed below the folder */
  find_remove();
  if (mode == OFF || !is_below(path)) return real_remove(path);
  CHANGED(UNLINK, path, real_remove(path), 0, NULL, 0)
}
int rename(const char *from, const char *to) {
  find_rename();
  if (mode == OFF || !is_below(from)) return real_rename(from, to);
  CHANGED(RENAME, from, real_rename(from, to), 0, to, strlen(to))
}
