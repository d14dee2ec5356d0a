// What Kinloop uses of the header of this name.
#pragma once

#include <pthread.h>

#define __RT(call) __cobalt_##call

#ifdef __cplusplus
extern "C" {
#endif
int __cobalt_pthread_setschedparam(pthread_t thread, int policy, const struct sched_param* parameters);
#ifdef __cplusplus
}
#endif
