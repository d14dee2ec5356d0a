// Owns the rights of files that only their owner may use.
#pragma once

#include <sys/stat.h>

namespace kinloop::net {

inline constexpr mode_t kOthersAtAll = S_IRWXG | S_IRWXO;

}  // namespace kinloop::net
