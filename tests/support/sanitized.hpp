// Owns kIsSanitized: whether this is built with a sanitizer, which takes processor time of its own.
#pragma once

namespace kinloop {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kIsSanitized = true;
#else
inline constexpr bool kIsSanitized = false;
#endif

}  // namespace kinloop
