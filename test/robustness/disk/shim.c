// SPDX-License-Identifier: Apache-2.0
/*
 * A disk with faults below one folder, for a process that is started with LD_PRELOAD (faulty-disk.ts starts it).
 *
 *   PALISADE_DISK_FOLDER   absolute path without symbolic links; what is below it is the disk
 *   PALISADE_DISK_CONTROL  file of CONTROL_BYTES, shared by the test and all processes: struct control
 *   PALISADE_DISK_LOG      folder, outside of the disk; each process appends records to a file of its own there
 *
 * Each change that succeeded is one record (struct record), in the order of `sequence`. Calls that change the disk are
 * made under one lock of all threads and processes, so that the order of the log is the order of the changes. A sync
 * writes a record and nothing else: what it makes durable is decided by who reads the log. What the process writes to
 * stdout is logged before it goes out, so that the log also says what had been answered by then.
 *
 * Not seen: mapped memory (SQLite maps only the -shm index of a log, which is rebuilt after a crash), stdio streams
 * (fopen), chmod and times. The folder acts as a file system of its own: rename and link across its border fail with EXDEV.
 * io_uring, fallocate, sendfile and copy_file_range are refused as on an old kernel, so that callers use plain writes.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

/* ---- what is shared with the test; the offsets are in control.ts ---- */

enum { SLOTS = 32, CONTROL_BYTES = 8192, MAGIC = 0x4b534944 };
enum call { CALL_WRITE = 1, CALL_SYNC, CALL_READ };
enum kind { WRITE = 1, TRUNCATE, SYNC, SYNC_FAILED, CREATE, MKDIR, RENAME, UNLINK, LINK, SYMLINK, SAID };

struct slot {
  _Atomic uint32_t armed;
  uint32_t call;
  int32_t error; /* errno; 0: short */
  uint32_t suffix_length;
  uint64_t after, times;
  _Atomic uint64_t seen, struck;
  char suffix[80];
};
struct control {
  _Atomic uint64_t sequence;
  _Atomic int64_t clock_ns;
  uint64_t unused[6];
  struct slot slots[SLOTS];
};
_Static_assert(sizeof(struct slot) == 128, "control.ts has the offsets");

struct record { /* then length1 bytes, then length2 bytes */
  uint32_t magic, length;
  uint64_t sequence, inode, value; /* value: offset, or size */
  uint32_t kind, mode, length1, length2;
};

/* ---- this process ---- */

static long (*real_syscall)(long, ...);
static int (*real_clock_gettime)(clockid_t, struct timespec *);
#define sys(...) real_syscall(__VA_ARGS__)

static char folder[PATH_MAX];
static size_t folder_length;
static struct control *control;
static int log_fd = -1, lock_fd = -1;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* Descriptors of files of the disk. */
enum { FDS = 65536, APPENDS = 1, SYNCS_EACH = 2 };
struct entry {
  _Atomic uint32_t used;
  uint32_t flags;
  uint64_t inode;
  char name[112]; /* the end of its path when it was opened */
};
static struct entry entries[FDS];

static int high(int fd) { /* out of the way of the program's own descriptors */
  int up = (int)sys(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 700);
  if (up < 0) return fd;
  sys(SYS_close, fd);
  return up;
}

__attribute__((constructor)) static void init(void) {
  if (real_syscall != NULL) return;
  real_clock_gettime = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
  real_syscall = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
  const char *where = getenv("PALISADE_DISK_FOLDER"), *file = getenv("PALISADE_DISK_CONTROL");
  const char *logs = getenv("PALISADE_DISK_LOG");
  if (where == NULL || file == NULL || logs == NULL) return;
  int fd = (int)sys(SYS_openat, AT_FDCWD, file, O_RDWR | O_CLOEXEC, 0);
  if (fd < 0) return; /* the test is over */
  lock_fd = high(fd);
  control = mmap(NULL, CONTROL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, lock_fd, 0);
  char path[PATH_MAX];
  struct timespec now;
  real_clock_gettime(CLOCK_MONOTONIC, &now);
  snprintf(path, sizeof path, "%s/%ld.%ld%09ld", logs, (long)getpid(), (long)now.tv_sec, now.tv_nsec);
  fd = (int)sys(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (control == MAP_FAILED || fd < 0) abort(); /* a test without its disk would prove nothing */
  log_fd = high(fd);
  snprintf(folder, sizeof folder, "%s", where);
  folder_length = strlen(folder);
}
#define READY() do { if (__builtin_expect(real_syscall == NULL, 0)) init(); } while (0)

static int failing(int error) {
  errno = error;
  return -1;
}

/* Of all threads and processes. The kernel drops the lock of a process that is killed. */
static void lock(void) {
  pthread_mutex_lock(&mutex);
  while (sys(SYS_flock, lock_fd, LOCK_EX) != 0) {}
}
static void unlock(void) {
  int error = errno;
  sys(SYS_flock, lock_fd, LOCK_UN);
  pthread_mutex_unlock(&mutex);
  errno = error;
}

/* Under the lock. One call, which a kill can cut: the reader ignores a last record that is not whole. */
static void log_bytes(enum kind kind, uint64_t inode, uint64_t value, uint32_t mode, const struct iovec *parts, int count,
                      size_t bytes, const char *second) {
  int error = errno;
  size_t length2 = second == NULL ? 0 : strlen(second);
  struct record head = {MAGIC, (uint32_t)(sizeof head + bytes + length2), atomic_fetch_add(&control->sequence, 1),
                        inode, value, kind, mode, (uint32_t)bytes, (uint32_t)length2};
  struct iovec all[count + 2];
  int used = 0;
  all[used++] = (struct iovec){&head, sizeof head};
  for (int i = 0; i < count && bytes > 0; i++) {
    size_t part = parts[i].iov_len < bytes ? parts[i].iov_len : bytes;
    if (part == 0) continue;
    all[used++] = (struct iovec){parts[i].iov_base, part};
    bytes -= part;
  }
  if (length2 > 0) all[used++] = (struct iovec){(void *)second, length2};
  if (sys(SYS_writev, log_fd, all, used) != (long)head.length) abort();
  errno = error;
}
static void log_name(enum kind kind, uint64_t inode, uint32_t mode, const char *first, const char *second) {
  struct iovec part = {(void *)first, strlen(first)};
  log_bytes(kind, inode, 0, mode, &part, 1, part.iov_len, second);
}
static void log_plain(enum kind kind, uint64_t inode, uint64_t value) {
  log_bytes(kind, inode, value, 0, NULL, 0, 0, NULL);
}

/* ---- faults ---- */

enum { ROOM = 1, CHANGES = 2, OPENS = 4, BYTES = 8 }; /* what a call does */
enum { HEALTHY = -1, SHORT = 0 };

static bool concerns(const struct slot *slot, int does) {
  switch (slot->error) {
    case SHORT: return (does & BYTES) != 0;
    case EROFS: return true;
    case ENOSPC: case EDQUOT: return (does & ROOM) != 0;
    default: return (does & (ROOM | CHANGES | BYTES)) != 0;
  }
}

/* HEALTHY, SHORT, or the errno that the call fails with. */
static int strike(enum call call, const char *name, int does) {
  size_t length = strlen(name);
  for (int i = 0; i < SLOTS; i++) {
    struct slot *slot = &control->slots[i];
    if (!atomic_load(&slot->armed) || slot->call != call || !concerns(slot, does)) continue;
    size_t suffix = slot->suffix_length;
    if (suffix > length || memcmp(name + length - suffix, slot->suffix, suffix) != 0) continue;
    uint64_t seen = atomic_fetch_add(&slot->seen, 1);
    if (seen < slot->after || seen - slot->after >= slot->times) continue;
    atomic_fetch_add(&slot->struck, 1);
    return slot->error;
  }
  return HEALTHY;
}

/* ---- paths and descriptors ---- */

/* The path from the folder, "" for itself; false: not of the disk. Symbolic links are not followed. */
static bool below(int dir, const char *path, char rel[PATH_MAX]) {
  if (control == NULL || path == NULL) return false;
  char all[2 * PATH_MAX];
  size_t used = 0;
  if (path[0] != '/') {
    char link[64];
    long got;
    if (dir == AT_FDCWD) got = sys(SYS_getcwd, all, PATH_MAX) - 1;
    else {
      snprintf(link, sizeof link, "/proc/self/fd/%d", dir);
      got = sys(SYS_readlinkat, AT_FDCWD, link, all, PATH_MAX);
    }
    if (got <= 0) return false;
    used = (size_t)got;
  }
  snprintf(all + used, sizeof all - used, "/%s", path);
  char plain[2 * PATH_MAX];
  size_t end = 0;
  for (char *save, *part = strtok_r(all, "/", &save); part != NULL; part = strtok_r(NULL, "/", &save)) {
    if (strcmp(part, ".") == 0) continue;
    if (strcmp(part, "..") == 0) {
      while (end > 0 && plain[--end] != '/') {}
      continue;
    }
    plain[end++] = '/';
    size_t length = strlen(part);
    memcpy(plain + end, part, length);
    end += length;
  }
  plain[end] = 0;
  if (end < folder_length || memcmp(plain, folder, folder_length) != 0) return false;
  if (end > folder_length && plain[folder_length] != '/') return false;
  snprintf(rel, PATH_MAX, "%s", end == folder_length ? "" : plain + folder_length + 1);
  return true;
}

static struct entry *entry_of(int fd) {
  if (control == NULL || fd < 0 || fd >= FDS) return NULL;
  return atomic_load_explicit(&entries[fd].used, memory_order_acquire) ? &entries[fd] : NULL;
}
static void forget(int fd) {
  if (fd >= 0 && fd < FDS) atomic_store(&entries[fd].used, 0);
}
static void remember(int fd, int flags, const char *rel) {
  struct stat found;
  if (fd < 0 || fd >= FDS || fstat(fd, &found) != 0) return;
  struct entry *entry = &entries[fd];
  entry->inode = found.st_ino;
  entry->flags = ((flags & O_APPEND) ? APPENDS : 0) | ((flags & O_DSYNC) ? SYNCS_EACH : 0);
  size_t length = strlen(rel), most = sizeof entry->name - 1;
  snprintf(entry->name, sizeof entry->name, "%s", length > most ? rel + length - most : rel);
  atomic_store_explicit(&entry->used, 1, memory_order_release);
}
static int same_entry(int from, int to) {
  struct entry *entry = entry_of(from);
  if (to < 0 || to >= FDS || to == from) return to;
  forget(to);
  if (entry == NULL) return to;
  entries[to].inode = entry->inode;
  entries[to].flags = entry->flags;
  memcpy(entries[to].name, entry->name, sizeof entry->name);
  atomic_store(&entries[to].used, 1);
  return to;
}

/* ---- open, close ---- */

static int open_it(int dir, const char *path, int flags, mode_t mode) {
  READY();
  char rel[PATH_MAX];
  if (!below(dir, path, rel)) {
    int fd = (int)sys(SYS_openat, dir, path, flags, mode);
    forget(fd);
    return fd;
  }
  if ((flags & O_TMPFILE) == O_TMPFILE) return failing(EOPNOTSUPP);
  bool writes = (flags & O_ACCMODE) != O_RDONLY;
  if (!writes && (flags & (O_CREAT | O_TRUNC)) == 0) {
    int fd = (int)sys(SYS_openat, dir, path, flags, mode);
    if (fd >= 0) remember(fd, flags, rel);
    return fd;
  }
  lock();
  struct stat found;
  bool existed = fstatat(dir, path, &found, 0) == 0;
  bool creates = !existed && (flags & O_CREAT), cuts = existed && (flags & O_TRUNC) && found.st_size > 0;
  int error = strike(CALL_WRITE, rel, OPENS | (creates ? ROOM : 0) | (cuts ? CHANGES : 0));
  int fd = error > 0 ? failing(error) : (int)sys(SYS_openat, dir, path, flags, mode);
  if (fd >= 0) {
    remember(fd, flags, rel);
    if (fstat(fd, &found) != 0) abort();
    if (creates) log_name(CREATE, found.st_ino, found.st_mode & 07777, rel, NULL);
    else if (cuts) log_plain(TRUNCATE, found.st_ino, 0);
  }
  unlock();
  return fd;
}

#define MODE() mode_t mode = 0; if (flags & (O_CREAT | __O_TMPFILE)) { va_list list; va_start(list, flags); mode = va_arg(list, mode_t); va_end(list); }
int open(const char *path, int flags, ...) { MODE() return open_it(AT_FDCWD, path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE() return open_it(AT_FDCWD, path, flags, mode); }
int openat(int dir, const char *path, int flags, ...) { MODE() return open_it(dir, path, flags, mode); }
int openat64(int dir, const char *path, int flags, ...) { MODE() return open_it(dir, path, flags, mode); }
int creat(const char *path, mode_t mode) { return open_it(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode); }
int creat64(const char *path, mode_t mode) { return creat(path, mode); }

int close(int fd) { READY(); forget(fd); return (int)sys(SYS_close, fd); }
int dup(int fd) { READY(); return same_entry(fd, (int)sys(SYS_dup, fd)); }
int dup3(int fd, int to, int flags) { READY(); return same_entry(fd, (int)sys(SYS_dup3, fd, to, flags)); }
int dup2(int fd, int to) {
  READY();
  return fd == to ? (sys(SYS_fcntl, fd, F_GETFD) < 0 ? -1 : to) : dup3(fd, to, 0);
}
static int fcntl_it(int fd, int command, void *value) {
  READY();
  int result = (int)sys(SYS_fcntl, fd, command, value);
  return command == F_DUPFD || command == F_DUPFD_CLOEXEC ? same_entry(fd, result) : result;
}
#define POINTER(last) va_list list; va_start(list, last); void *value = va_arg(list, void *); va_end(list);
int fcntl(int fd, int command, ...) { POINTER(command) return fcntl_it(fd, command, value); }
int fcntl64(int fd, int command, ...) { POINTER(command) return fcntl_it(fd, command, value); }
int ioctl(int fd, unsigned long request, ...) {
  POINTER(request)
  READY();
  if ((request == FICLONE || request == FICLONERANGE) && entry_of(fd) != NULL) return failing(EOPNOTSUPP);
  return (int)sys(SYS_ioctl, fd, request, value);
}

/* ---- bytes ---- */

static size_t sum_of(const struct iovec *parts, int count) {
  size_t sum = 0;
  for (int i = 0; i < count; i++) sum += parts[i].iov_len;
  return sum;
}

/* The first `bytes` of some buffers, in one that may be shorter: short transfers are of the first buffer that has bytes. */
static struct iovec half_of(const struct iovec *parts, int count, size_t bytes) {
  for (int i = 0; i < count; i++)
    if (parts[i].iov_len > 0)
      return (struct iovec){parts[i].iov_base, parts[i].iov_len < bytes ? parts[i].iov_len : bytes};
  return (struct iovec){NULL, 0};
}

/* `at` < 0: at the position of the descriptor. */
static ssize_t write_it(int fd, const struct iovec *parts, int count, off_t at) {
  struct entry *entry = entry_of(fd);
  if (entry == NULL) {
    if (fd == STDOUT_FILENO && control != NULL) {
      lock();
      log_bytes(SAID, 0, 0, 0, parts, count, sum_of(parts, count), NULL);
      unlock();
    }
    return at < 0 ? sys(SYS_writev, fd, parts, count) : sys(SYS_pwritev, fd, parts, count, at, 0L);
  }
  size_t sum = sum_of(parts, count);
  int error = strike(CALL_WRITE, entry->name, ROOM | (sum > 1 ? BYTES : 0));
  if (error > 0) return failing(error);
  struct iovec half;
  if (error == SHORT) {
    half = half_of(parts, count, sum / 2);
    parts = &half;
    count = 1;
  }
  lock();
  ssize_t got = at < 0 ? sys(SYS_writev, fd, parts, count) : sys(SYS_pwritev, fd, parts, count, at, 0L);
  if (got > 0) {
    struct stat now;
    if (entry->flags & APPENDS) {
      if (fstat(fd, &now) != 0) abort();
      at = now.st_size - got;
    } else if (at < 0) at = sys(SYS_lseek, fd, 0, SEEK_CUR) - got;
    log_bytes(WRITE, entry->inode, (uint64_t)at, 0, parts, count, (size_t)got, NULL);
    if (entry->flags & SYNCS_EACH) log_plain(SYNC, entry->inode, 0);
  }
  unlock();
  return got;
}
#define ONE(buffer, bytes) &(struct iovec){(void *)(buffer), bytes}, 1
ssize_t write(int fd, const void *buffer, size_t bytes) {
  READY();
  /* As it is: an empty write, and one to a terminal or socket, differ from writev. */
  if (entry_of(fd) == NULL && fd != STDOUT_FILENO) return sys(SYS_write, fd, buffer, bytes);
  return write_it(fd, ONE(buffer, bytes), -1);
}
ssize_t writev(int fd, const struct iovec *parts, int count) { READY(); return write_it(fd, parts, count, -1); }
ssize_t pwrite64(int fd, const void *buffer, size_t bytes, off_t at) { READY(); return write_it(fd, ONE(buffer, bytes), at); }
ssize_t pwrite(int fd, const void *buffer, size_t bytes, off_t at) { return pwrite64(fd, buffer, bytes, at); }
ssize_t pwritev64(int fd, const struct iovec *parts, int count, off_t at) { READY(); return write_it(fd, parts, count, at); }
ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t at) { return pwritev64(fd, parts, count, at); }
ssize_t pwritev64v2(int fd, const struct iovec *parts, int count, off_t at, int flags) { (void)flags; return pwritev64(fd, parts, count, at); }
ssize_t pwritev2(int fd, const struct iovec *parts, int count, off_t at, int flags) { (void)flags; return pwritev64(fd, parts, count, at); }

static ssize_t read_it(int fd, const struct iovec *parts, int count, off_t at) {
  struct entry *entry = entry_of(fd);
  struct iovec half;
  if (entry != NULL) {
    size_t sum = sum_of(parts, count);
    int error = strike(CALL_READ, entry->name, ROOM | (sum > 1 ? BYTES : 0));
    if (error > 0) return failing(error);
    if (error == SHORT) {
      half = half_of(parts, count, sum / 2);
      parts = &half;
      count = 1;
    }
  }
  return at < 0 ? sys(SYS_readv, fd, parts, count) : sys(SYS_preadv, fd, parts, count, at, 0L);
}
ssize_t read(int fd, void *buffer, size_t bytes) {
  READY();
  return entry_of(fd) == NULL ? sys(SYS_read, fd, buffer, bytes) : read_it(fd, ONE(buffer, bytes), -1);
}
ssize_t readv(int fd, const struct iovec *parts, int count) { READY(); return read_it(fd, parts, count, -1); }
ssize_t pread64(int fd, void *buffer, size_t bytes, off_t at) { READY(); return read_it(fd, ONE(buffer, bytes), at); }
ssize_t pread(int fd, void *buffer, size_t bytes, off_t at) { return pread64(fd, buffer, bytes, at); }
ssize_t preadv64(int fd, const struct iovec *parts, int count, off_t at) { READY(); return read_it(fd, parts, count, at); }
ssize_t preadv(int fd, const struct iovec *parts, int count, off_t at) { return preadv64(fd, parts, count, at); }

int ftruncate64(int fd, off_t size) {
  READY();
  struct entry *entry = entry_of(fd);
  if (entry == NULL) return (int)sys(SYS_ftruncate, fd, size);
  lock();
  struct stat found;
  if (fstat(fd, &found) != 0) abort();
  int error = strike(CALL_WRITE, entry->name, size > found.st_size ? ROOM : CHANGES);
  int result = error > 0 ? failing(error) : (int)sys(SYS_ftruncate, fd, size);
  if (result == 0 && size != found.st_size) log_plain(TRUNCATE, entry->inode, (uint64_t)size);
  unlock();
  return result;
}
int ftruncate(int fd, off_t size) { return ftruncate64(fd, size); }
int truncate64(const char *path, off_t size) {
  int fd = open_it(AT_FDCWD, path, O_WRONLY | O_CLOEXEC, 0);
  if (fd < 0) return -1;
  int result = ftruncate64(fd, size), error = errno;
  close(fd);
  errno = error;
  return result;
}
int truncate(const char *path, off_t size) { return truncate64(path, size); }

static int sync_it(int fd, long number) {
  READY();
  struct entry *entry = entry_of(fd);
  if (entry == NULL) return (int)sys(number, fd);
  int error = strike(CALL_SYNC, entry->name, ROOM);
  lock();
  log_plain(error > 0 ? SYNC_FAILED : SYNC, entry->inode, 0);
  unlock();
  return error > 0 ? failing(error) : 0;
}
int fsync(int fd) { return sync_it(fd, SYS_fsync); }
int fdatasync(int fd) { return sync_it(fd, SYS_fdatasync); }

/* ---- refused, so that plain writes are used ---- */

#define REFUSE(fd, error, otherwise) READY(); return entry_of(fd) != NULL ? failing(error) : otherwise;
int fallocate(int fd, int mode, off_t at, off_t size) { REFUSE(fd, EOPNOTSUPP, (int)sys(SYS_fallocate, fd, mode, at, size)) }
int fallocate64(int fd, int mode, off_t at, off_t size) { return fallocate(fd, mode, at, size); }
int posix_fallocate(int fd, off_t at, off_t size) { return fallocate(fd, 0, at, size) == 0 ? 0 : errno; }
int posix_fallocate64(int fd, off_t at, off_t size) { return posix_fallocate(fd, at, size); }
ssize_t sendfile(int to, int from, off_t *at, size_t bytes) { REFUSE(to, EINVAL, sys(SYS_sendfile, to, from, at, bytes)) }
ssize_t sendfile64(int to, int from, off_t *at, size_t bytes) { return sendfile(to, from, at, bytes); }
ssize_t copy_file_range(int from, off_t *a, int to, off_t *b, size_t bytes, unsigned flags) { REFUSE(to, EXDEV, sys(SYS_copy_file_range, from, a, to, b, bytes, flags)) }

/* ---- names ---- */

static int rename_it(int from_dir, const char *from, int to_dir, const char *to, unsigned flags) {
  READY();
  char a[PATH_MAX], b[PATH_MAX];
  bool from_disk = below(from_dir, from, a), to_disk = below(to_dir, to, b);
  if (from_disk != to_disk) return failing(EXDEV);
  if (!from_disk) return (int)sys(SYS_renameat2, from_dir, from, to_dir, to, flags);
  if (flags & ~RENAME_NOREPLACE) return failing(EINVAL);
  lock();
  int error = strike(CALL_WRITE, b, CHANGES);
  int result = error > 0 ? failing(error) : (int)sys(SYS_renameat2, from_dir, from, to_dir, to, flags);
  if (result == 0) log_name(RENAME, 0, 0, a, b);
  unlock();
  return result;
}
int rename(const char *from, const char *to) { return rename_it(AT_FDCWD, from, AT_FDCWD, to, 0); }
int renameat(int a, const char *from, int b, const char *to) { return rename_it(a, from, b, to, 0); }
int renameat2(int a, const char *from, int b, const char *to, unsigned flags) { return rename_it(a, from, b, to, flags); }

int unlinkat(int dir, const char *path, int flags) {
  READY();
  char rel[PATH_MAX];
  if (!below(dir, path, rel)) return (int)sys(SYS_unlinkat, dir, path, flags);
  if (rel[0] == 0) return failing(EBUSY);
  lock();
  int error = strike(CALL_WRITE, rel, CHANGES);
  int result = error > 0 ? failing(error) : (int)sys(SYS_unlinkat, dir, path, flags);
  if (result == 0) log_name(UNLINK, 0, 0, rel, NULL);
  unlock();
  return result;
}
int unlink(const char *path) { return unlinkat(AT_FDCWD, path, 0); }
int rmdir(const char *path) { return unlinkat(AT_FDCWD, path, AT_REMOVEDIR); }
int remove(const char *path) { return unlink(path) == 0 ? 0 : errno == EISDIR ? rmdir(path) : -1; }

int mkdirat(int dir, const char *path, mode_t mode) {
  READY();
  char rel[PATH_MAX];
  if (!below(dir, path, rel)) return (int)sys(SYS_mkdirat, dir, path, mode);
  lock();
  struct stat found;
  bool existed = fstatat(dir, path, &found, AT_SYMLINK_NOFOLLOW) == 0;
  int error = existed ? HEALTHY : strike(CALL_WRITE, rel, ROOM);
  int result = error > 0 ? failing(error) : (int)sys(SYS_mkdirat, dir, path, mode);
  if (result == 0 && fstatat(dir, path, &found, AT_SYMLINK_NOFOLLOW) == 0)
    log_name(MKDIR, found.st_ino, found.st_mode & 07777, rel, NULL);
  unlock();
  return result;
}
int mkdir(const char *path, mode_t mode) { return mkdirat(AT_FDCWD, path, mode); }

int linkat(int from_dir, const char *from, int to_dir, const char *to, int flags) {
  READY();
  char a[PATH_MAX], b[PATH_MAX];
  bool from_disk = below(from_dir, from, a), to_disk = below(to_dir, to, b);
  if (from_disk != to_disk) return failing(EXDEV);
  if (!from_disk) return (int)sys(SYS_linkat, from_dir, from, to_dir, to, flags);
  lock();
  int error = strike(CALL_WRITE, b, ROOM);
  int result = error > 0 ? failing(error) : (int)sys(SYS_linkat, from_dir, from, to_dir, to, flags);
  if (result == 0) log_name(LINK, 0, 0, a, b);
  unlock();
  return result;
}
int link(const char *from, const char *to) { return linkat(AT_FDCWD, from, AT_FDCWD, to, 0); }

int symlinkat(const char *target, int dir, const char *path) {
  READY();
  char rel[PATH_MAX];
  if (!below(dir, path, rel)) return (int)sys(SYS_symlinkat, target, dir, path);
  lock();
  int error = strike(CALL_WRITE, rel, ROOM);
  int result = error > 0 ? failing(error) : (int)sys(SYS_symlinkat, target, dir, path);
  if (result == 0) log_name(SYMLINK, 0, 0, rel, target);
  unlock();
  return result;
}
int symlink(const char *target, const char *path) { return symlinkat(target, AT_FDCWD, path); }

/* ---- system calls by their number, as libuv makes some ---- */

long syscall(long number, ...) {
  READY();
  va_list list;
  va_start(list, number);
  long a = va_arg(list, long), b = va_arg(list, long), c = va_arg(list, long);
  long d = va_arg(list, long), e = va_arg(list, long), f = va_arg(list, long);
  va_end(list);
  if (control != NULL) switch (number) {
    case SYS_io_uring_setup: return failing(ENOSYS);
    case SYS_copy_file_range: return copy_file_range((int)a, (off_t *)b, (int)c, (off_t *)d, (size_t)e, (unsigned)f);
    case SYS_pwritev: case SYS_pwritev2: return pwritev64((int)a, (const struct iovec *)b, (int)c, d);
    case SYS_preadv: case SYS_preadv2: return preadv64((int)a, (const struct iovec *)b, (int)c, d);
    case SYS_renameat2: return rename_it((int)a, (const char *)b, (int)c, (const char *)d, (unsigned)e);
    case SYS_close: return close((int)a);
  }
  return sys(number, a, b, c, d, e, f);
}

/* ---- the wall clock ---- */

int clock_gettime(clockid_t clock, struct timespec *now) {
  READY();
  int result = real_clock_gettime(clock, now);
  if (result != 0 || control == NULL || (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE)) return result;
  int64_t step = atomic_load(&control->clock_ns);
  int64_t ns = now->tv_nsec + step % 1000000000;
  now->tv_sec += step / 1000000000 + (ns < 0 ? -1 : ns >= 1000000000 ? 1 : 0);
  now->tv_nsec = ns < 0 ? ns + 1000000000 : ns >= 1000000000 ? ns - 1000000000 : ns;
  return 0;
}
int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  (void)zone;
  struct timespec exact;
  clock_gettime(CLOCK_REALTIME, &exact);
  *now = (struct timeval){exact.tv_sec, exact.tv_nsec / 1000};
  return 0;
}
time_t time(time_t *where) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (where != NULL) *where = now.tv_sec;
  return now.tv_sec;
}
