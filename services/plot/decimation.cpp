// Buckets double their size whenever there are too many.
#include "services/plot/decimation.hpp"

#include "core/base/require.hpp"

namespace kinloop::plot {
namespace {

constexpr std::size_t kSimplifiedAtOnce = 2048;  // points; bounds the time that awkward lines take
constexpr std::size_t kShortLine = 10000;        // points

void append_new(Point p, Line& line) {
  if (line.empty() || !(line.back() == p)) line.push_back(p);
}

void append_gap(Line& line) {
  if (!line.empty() && is_drawable(line.back())) line.push_back(kGap);
}

double distance_to_segment(Point p, Point a, Point b) {
  const Point ab = b - a;
  const double square = ab.x * ab.x + ab.y * ab.y;
  if (square == 0.0) return length(p - a);
  const double share = std::clamp(((p.x - a.x) * ab.x + (p.y - a.y) * ab.y) / square, 0.0, 1.0);
  return length(p - (a + share * ab));
}

/// Hands each piece between gaps to `treat`, and joins what comes back with gaps.
template <class Treat>
Line piece_by_piece(std::span<const Point> line, Treat treat) {
  Line result;
  for (std::size_t i = 0; i < line.size();) {
    if (!is_drawable(line[i])) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < line.size() && is_drawable(line[end])) ++end;
    append_gap(result);
    treat(line.subspan(i, end - i), result);
    i = end;
  }
  return result;
}

void thin_piece(std::span<const Point> piece, Line& result) {
  for (std::size_t i = 0; i < piece.size();) {
    const double column = std::floor(piece[i].x);
    std::size_t low = i;
    std::size_t high = i;
    std::size_t end = i;
    for (; end < piece.size() && std::floor(piece[end].x) == column; ++end) {
      if (piece[end].y < piece[low].y) low = end;
      if (piece[end].y > piece[high].y) high = end;
    }
    for (const std::size_t kept : {i, std::min(low, high), std::max(low, high), end - 1}) {
      append_new(piece[kept], result);
    }
    i = end;
  }
}

void simplify_part(std::span<const Point> piece, double tolerance, Line& result) {
  std::vector<bool> kept(piece.size(), false);
  kept.front() = true;
  kept.back() = true;
  struct Part {
    std::size_t first, last;
  };
  std::vector<Part> open = {{0, piece.size() - 1}};
  while (!open.empty()) {
    const Part part = open.back();
    open.pop_back();
    double farthest = tolerance;
    std::size_t at = part.first;
    for (std::size_t i = part.first + 1; i < part.last; ++i) {
      const double distance = distance_to_segment(piece[i], piece[part.first], piece[part.last]);
      if (distance <= farthest) continue;
      farthest = distance;
      at = i;
    }
    if (at == part.first) continue;
    kept[at] = true;
    open.push_back({part.first, at});
    open.push_back({at, part.last});
  }
  for (std::size_t i = 0; i < piece.size(); ++i) {
    if (kept[i]) append_new(piece[i], result);
  }
}

void simplify_piece(std::span<const Point> piece, double tolerance, Line& result) {
  for (std::size_t i = 0; i < piece.size(); i += kSimplifiedAtOnce) {
    // Each part ends where the next one starts.
    simplify_part(piece.subspan(i, std::min(kSimplifiedAtOnce + 1, piece.size() - i)), tolerance, result);
  }
}

/// Which pixels a line has touched.
class Touched {
 public:
  explicit Touched(std::span<const Point> line) {
    Range x;
    Range y;
    for (const Point& p : line) {
      x.add(p.x);
      y.add(p.y);
    }
    if (x.empty()) return;
    origin_ = {std::floor(x.least), std::floor(y.least)};
    width_ = static_cast<std::size_t>(x.most - origin_.x) + 2;  // one to spare for rounding
    pixels_.resize(width_ * (static_cast<std::size_t>(y.most - origin_.y) + 2));
  }

  /// Whether the segment touches a new pixel.
  bool add(Point a, Point b) {
    const int steps = static_cast<int>(length(b - a)) + 1;
    bool is_new = false;
    for (int i = 0; i <= steps; ++i) {
      const Point p = a + (static_cast<double>(i) / steps) * (b - a) - origin_;
      auto pixel = pixels_[static_cast<std::size_t>(p.y) * width_ + static_cast<std::size_t>(p.x)];
      is_new = is_new || !pixel;
      pixel = true;
    }
    return is_new;
  }

 private:
  Point origin_;
  std::size_t width_ = 0;
  std::vector<bool> pixels_;
};

}  // namespace

Envelope::Bucket Envelope::merged(const Bucket& a, const Bucket& b) {
  Bucket both = a.empty ? b : a;
  both.gap = a.gap || b.gap;
  if (a.empty || b.empty) return both;
  both.last = b.last;
  if (b.low.y < a.low.y) {
    both.low = b.low;
    both.low_sample = b.low_sample;
  }
  if (b.high.y > a.high.y) {
    both.high = b.high;
    both.high_sample = b.high_sample;
  }
  return both;
}

void Envelope::add(double x, double y) {
  const Point p{x, y};
  Bucket one;
  if (is_drawable(p)) {
    one = {p, p, p, p, samples_, samples_, false, false};
  } else {
    one.gap = true;
  }
  if (samples_ % stride_ != 0) {
    buckets_.back() = merged(buckets_.back(), one);
  } else {
    if (buckets_.size() == kMaxBuckets) {
      for (std::size_t i = 0; i < kMaxBuckets / 2; ++i) buckets_[i] = merged(buckets_[2 * i], buckets_[2 * i + 1]);
      buckets_.resize(kMaxBuckets / 2);
      stride_ *= 2;
    }
    buckets_.push_back(one);
  }
  ++samples_;
}

Line Envelope::line() const {
  Line line;
  for (const Bucket& bucket : buckets_) {
    if (!bucket.empty) {
      const bool low_first = bucket.low_sample < bucket.high_sample;
      append_new(bucket.first, line);
      append_new(low_first ? bucket.low : bucket.high, line);
      append_new(low_first ? bucket.high : bucket.low, line);
      append_new(bucket.last, line);
    }
    if (bucket.gap) append_gap(line);
  }
  return line;
}

RowSampler::RowSampler(std::size_t width, std::size_t max_rows) : width_(width), max_rows_(max_rows) {
  require(width > 0 && max_rows >= 2 && max_rows % 2 == 0, "an even number of rows of some width");
}

void RowSampler::add(std::span<const double> row) {
  require(row.size() == width_, "all rows are equally wide");
  last_is_kept_ = rows_ % stride_ == 0;
  if (last_is_kept_ && kept_.size() == max_rows_ * width_) {
    for (std::size_t i = 1; i < max_rows_ / 2; ++i) {
      std::copy_n(kept_.begin() + static_cast<std::ptrdiff_t>(2 * i * width_), width_,
                  kept_.begin() + static_cast<std::ptrdiff_t>(i * width_));
    }
    kept_.resize(max_rows_ / 2 * width_);
    stride_ *= 2;
  }
  if (last_is_kept_) kept_.insert(kept_.end(), row.begin(), row.end());
  last_.assign(row.begin(), row.end());
  ++rows_;
}

std::size_t RowSampler::size() const noexcept {
  return kept_.size() / width_ + (rows_ > 0 && !last_is_kept_ ? 1U : 0U);
}

std::span<const double> RowSampler::operator[](std::size_t i) const noexcept {
  require(i < size(), "the row exists");
  if (i == kept_.size() / width_) return last_;
  return std::span(kept_).subspan(i * width_, width_);
}

Line thinned_to_columns(std::span<const Point> line) { return piece_by_piece(line, thin_piece); }

Line without_overdrawn(std::span<const Point> line) {
  if (line.size() <= kShortLine) return Line(line.begin(), line.end());
  Touched touched(line);
  return piece_by_piece(line, [&](std::span<const Point> piece, Line& result) {
    result.push_back(piece.front());
    bool is_open = true;  // the result ends where this segment starts
    for (std::size_t i = 1; i < piece.size(); ++i) {
      const bool is_seen = touched.add(piece[i - 1], piece[i]);
      if (is_seen && !is_open) {
        append_gap(result);
        result.push_back(piece[i - 1]);
      }
      if (is_seen) result.push_back(piece[i]);
      is_open = is_seen;
    }
  });
}

Line simplified(std::span<const Point> line, double tolerance) {
  return piece_by_piece(
      line, [tolerance](std::span<const Point> piece, Line& result) { simplify_piece(piece, tolerance, result); });
}

}  // namespace kinloop::plot
