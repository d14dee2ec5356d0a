// Owns SteppingMode: the floating-point mode of every thread that steps, the same everywhere, so that bits are too.
//
// Round to nearest, no traps, and numbers below 1e-308 are zero: an operation on them would take a hundred times as
// long, and motion that dies away passes through them.
#pragma once

namespace kinloop {

/// Sets the mode of the calling thread and puts the old one back at its end. No system call.
class SteppingMode {
 public:
  SteppingMode() noexcept : before_(mode()) { set_mode(kMode); }
  SteppingMode(const SteppingMode&) = delete;
  SteppingMode& operator=(const SteppingMode&) = delete;
  ~SteppingMode() { set_mode(before_); }

 private:
#if defined(__x86_64__)
  // Of MXCSR: all exceptions masked, flush to zero, denormals are zero.
  static constexpr unsigned kMode = 0x1F80U | 0x8000U | 0x0040U;
  static unsigned mode() noexcept { return __builtin_ia32_stmxcsr(); }
  static void set_mode(unsigned mode) noexcept { __builtin_ia32_ldmxcsr(mode); }
#elif defined(__aarch64__)
  static constexpr unsigned kMode = 1U << 24U;  // of FPCR: flush to zero
  static unsigned mode() noexcept { return __builtin_aarch64_get_fpcr(); }
  static void set_mode(unsigned mode) noexcept { __builtin_aarch64_set_fpcr(mode); }
#else
#error "the floating-point mode of this processor is not known: add it here"
#endif

  unsigned before_;
};

}  // namespace kinloop
