// What Kinloop uses of the header of this name.
#pragma once

#include <time.h>

#define __RT(call) __cobalt_##call

#ifdef __cplusplus
extern "C" {
#endif
int __cobalt_clock_gettime(clockid_t clock, struct timespec* now);
int __cobalt_clock_nanosleep(clockid_t clock, int flags, const struct timespec* until, struct timespec* rest);
#ifdef __cplusplus
}
#endif
