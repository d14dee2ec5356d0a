// A libcobalt that keeps to its rules and runs on Linux: no service before xenomai_init(), which only the main thread
// may call, and no sleep for a thread that was not promoted.
//
// STAND_IN_COBALT makes /proc/xenomai/version readable; STAND_IN_AHEAD_S puts its clock ahead of Linux's.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int is_initialised;
static __thread int is_promoted;

/// For the check: sleeps that Cobalt took.
int stand_in_sleeps;

int access(const char* path, int mode) {
  if (strncmp(path, "/proc/xenomai/", 14) == 0) {
    if (getenv("STAND_IN_COBALT") != NULL) return 0;
    errno = ENOENT;
    return -1;
  }
  int (*next)(const char*, int) = (int (*)(const char*, int))dlsym(RTLD_NEXT, "access");
  return next(path, mode);
}

void xenomai_init(int* argcp, char* const** argvp) {
  if (getenv("STAND_IN_COBALT") == NULL || getpid() != gettid() || *argcp != 1 || (*argvp)[1] != NULL) {
    fputs("initialization failed\n", stderr);
    exit(1);
  }
  is_initialised = 1;
}

int __cobalt_clock_gettime(clockid_t clock, struct timespec* now) {
  if (!is_initialised) return errno = EPERM, -1;
  const int result = clock_gettime(clock, now);
  const char* ahead_s = getenv("STAND_IN_AHEAD_S");
  if (ahead_s != NULL) now->tv_sec += atoi(ahead_s);
  return result;
}

int __cobalt_pthread_setschedparam(pthread_t thread, int policy, const struct sched_param* parameters) {
  if (!is_initialised || policy != SCHED_FIFO || parameters->sched_priority < 1) return EPERM;
  is_promoted = pthread_equal(thread, pthread_self());
  return 0;
}

int __cobalt_clock_nanosleep(clockid_t clock, int flags, const struct timespec* until, struct timespec* rest) {
  if (!is_promoted) return EPERM;
  ++stand_in_sleeps;
  return clock_nanosleep(clock, flags, until, rest);
}
