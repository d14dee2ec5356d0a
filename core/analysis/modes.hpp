// Owns the modes of a linear map from step to step: how fast they swing, grow and die. For analysis: it allocates.
#pragma once

#include <complex>
#include <vector>

#include "core/spatial/types.hpp"

namespace kinloop {

enum class ModeKind {
  kSwings,  // a pair of eigenvalues, of which the one with positive imaginary part is given
  kDecays,  // one real eigenvalue below 1
  kGrows,   // one above
  kStays,   // at 1 but for rounding: a place that nothing pulls back
  kGone,    // at 0 but for rounding, or nearly: what delays forget within a few steps
};

struct Mode {
  std::complex<double> eigenvalue;
  ModeKind kind = ModeKind::kDecays;
  // Of the continuous motion with the same samples, s = ln(eigenvalue) / dt; not for kStays and kGone.
  double frequency_Hz = 0.0;     // |Im s| / 2 pi
  double damping = 0.0;          // -Re s / |s|: negative where it grows
  double time_constant_s = 0.0;  // -1 / Re s
};

/// Of x+ = A x, slowest first: by the size of their eigenvalues.
std::vector<Mode> modes(const MatrixX& A, double dt_s);

}  // namespace kinloop
