// What Kinloop uses of the header of this name.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif
void xenomai_init(int* argcp, char* const** argvp);
#ifdef __cplusplus
}
#endif
