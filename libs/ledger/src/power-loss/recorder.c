// Loaded into a process with LD_PRELOAD: writes down, in order, what it does to files below RECORD_DIR.
// One record: uint32 kind ('w' write, 's' sync, 't' truncate), uint32 length of the path, uint64 offset (of a truncate: the
// new size), uint64 length of the data; then path and data. A record stands behind the operation that it tells of.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static const char *folder;
static int record_fd = -1;

#define REAL(name) static __typeof__(&name) real; if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

static ssize_t real_write(int fd, const void *data, size_t size) {
  REAL(write);
  return real(fd, data, size);
}

__attribute__((constructor)) static void begin(void) {
  const char *file = getenv("RECORD_FILE");
  folder = getenv("RECORD_DIR");
  if (folder && file) record_fd = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static int watched(int fd, char *path) {
  char link[64];
  if (record_fd < 0 || fd == record_fd) return 0;
  char *end = link + sizeof link - 1;
  *end = 0;
  int rest = fd;
  if (fd < 0) return 0;
  do { *--end = '0' + rest % 10; rest /= 10; } while (rest);
  const char *prefix = "/proc/self/fd/";
  end -= strlen(prefix);
  memcpy(end, prefix, strlen(prefix));
  ssize_t size = readlink(end, path, PATH_MAX - 1);
  if (size <= 0) return 0;
  path[size] = 0;
  return strncmp(path, folder, strlen(folder)) == 0;
}

static void note(char kind, const char *path, uint64_t offset, const void *data, uint64_t size) {
  struct { uint32_t kind, path_size; uint64_t offset, size; } head = { kind, strlen(path), offset, size };
  struct iovec parts[3] = {
    { &head, sizeof head }, { (void *)path, head.path_size }, { (void *)data, size },
  };
  if (writev(record_fd, parts, 3) != (ssize_t)(sizeof head + head.path_size + size)) abort();
}

ssize_t write(int fd, const void *data, size_t size) {
  char path[PATH_MAX];
  if (!watched(fd, path)) return real_write(fd, data, size);
  pthread_mutex_lock(&turn);
  struct stat found;
  int appends = fcntl(fd, F_GETFL) & O_APPEND;
  uint64_t offset = appends && fstat(fd, &found) == 0 ? (uint64_t)found.st_size : (uint64_t)lseek(fd, 0, SEEK_CUR);
  ssize_t written = real_write(fd, data, size);
  if (written > 0) note('w', path, offset, data, written);
  pthread_mutex_unlock(&turn);
  return written;
}

#define PWRITE(name) \
  ssize_t name(int fd, const void *data, size_t size, off64_t offset) { \
    REAL(name); \
    char path[PATH_MAX]; \
    if (!watched(fd, path)) return real(fd, data, size, offset); \
    pthread_mutex_lock(&turn); \
    ssize_t written = real(fd, data, size, offset); \
    if (written > 0) note('w', path, offset, data, written); \
    pthread_mutex_unlock(&turn); \
    return written; \
  }
PWRITE(pwrite)
PWRITE(pwrite64)

#define SYNC(name) \
  int name(int fd) { \
    REAL(name); \
    char path[PATH_MAX]; \
    if (!watched(fd, path)) return real(fd); \
    pthread_mutex_lock(&turn); \
    int failed = real(fd); \
    if (!failed) note('s', path, 0, "", 0); \
    pthread_mutex_unlock(&turn); \
    return failed; \
  }
SYNC(fsync)
SYNC(fdatasync)

#define TRUNCATE(name) \
  int name(int fd, off64_t size) { \
    REAL(name); \
    char path[PATH_MAX]; \
    if (!watched(fd, path)) return real(fd, size); \
    pthread_mutex_lock(&turn); \
    int failed = real(fd, size); \
    if (!failed) note('t', path, size, "", 0); \
    pthread_mutex_unlock(&turn); \
    return failed; \
  }
TRUNCATE(ftruncate)
TRUNCATE(ftruncate64)
