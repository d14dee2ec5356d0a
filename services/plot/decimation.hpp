// Owns the thinning of data to what a picture can show: long files in bounded memory, small pictures.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "services/plot/geometry.hpp"

namespace kinloop::plot {

/// Pixels that a drawn line may stray from the data.
inline constexpr double kDrawnTolerance = 0.08;

/// A course of any length in a few thousand buckets of consecutive samples. Each keeps its first, lowest, highest and
/// last sample, so that no peak is lost.
class Envelope {
 public:
  static constexpr std::size_t kMaxBuckets = 4096;

  /// A `y` that is not drawable makes a gap.
  void add(double x, double y);
  /// What was kept, in order.
  Line line() const;

 private:
  struct Bucket {
    Point first, low, high, last;
    long long low_sample = 0, high_sample = 0;
    bool empty = true;
    bool gap = false;
  };
  static Bucket merged(const Bucket& a, const Bucket& b);

  std::vector<Bucket> buckets_;
  long long stride_ = 1;   // samples per bucket
  long long samples_ = 0;  // added so far
};

/// Rows of numbers, thinned evenly to at most `max_rows`; the first and the last one are always there.
class RowSampler {
 public:
  RowSampler(std::size_t width, std::size_t max_rows);

  void add(std::span<const double> row);
  std::size_t size() const noexcept;
  std::span<const double> operator[](std::size_t i) const noexcept;

 private:
  std::size_t width_;
  std::size_t max_rows_;
  std::vector<double> kept_;
  std::vector<double> last_;
  bool last_is_kept_ = false;
  long long stride_ = 1;
  long long rows_ = 0;
};

/// A line in pixels with at most four points for each column of pixels that it passes at a time.
Line thinned_to_columns(std::span<const Point> line);

/// A line in pixels without the parts that run over pixels where it has been before, which nobody could see. Short
/// lines stay as they are: theirs is a file small enough.
Line without_overdrawn(std::span<const Point> line);

/// The line without points that lie nearer than `tolerance` to what remains (Douglas and Peucker 1973).
Line simplified(std::span<const Point> line, double tolerance);

}  // namespace kinloop::plot
