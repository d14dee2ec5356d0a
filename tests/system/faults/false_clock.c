// Gives a program another time of day, by LD_PRELOAD: the host's plus what stands in a file, which may change at any
// time. What counts time without a date, and all sleeping, is left alone. (libfaketime does not: with it, absolute sleeps
// on CLOCK_MONOTONIC return at once, so that a plant in real time runs as fast as it can.)
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t* offset_ns;
static int (*host_clock)(clockid_t, struct timespec*);

__attribute__((constructor)) static void open_file(void) {
  host_clock = (int (*)(clockid_t, struct timespec*))dlsym(RTLD_NEXT, "clock_gettime");
  const char* path = getenv("KINLOOP_FALSE_CLOCK");
  const int file = path != NULL ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (file < 0) return;
  void* memory = mmap(NULL, sizeof(int64_t), PROT_READ, MAP_SHARED, file, 0);
  close(file);
  if (memory != MAP_FAILED) offset_ns = memory;
}

int clock_gettime(clockid_t clock, struct timespec* now) {
  const int failed = host_clock != NULL ? host_clock(clock, now) : (int)syscall(SYS_clock_gettime, clock, now);
  if (failed || offset_ns == NULL || (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE)) return failed;
  const int64_t sum = (int64_t)now->tv_sec * 1000000000 + now->tv_nsec + *offset_ns;
  const int64_t ns = (sum % 1000000000 + 1000000000) % 1000000000;
  now->tv_sec = (sum - ns) / 1000000000;
  now->tv_nsec = ns;
  return 0;
}

int gettimeofday(struct timeval* restrict now, void* restrict zone) {
  (void)zone;
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  now->tv_sec = time.tv_sec;
  now->tv_usec = time.tv_nsec / 1000;
  return 0;
}

time_t time(time_t* now) {
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  if (now != NULL) *now = time.tv_sec;
  return time.tv_sec;
}
