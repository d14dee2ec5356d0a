// Forces inward from leaves to ground, accelerations outward, four speeds at a time.
#include "core/derivatives/inverse_inertia.hpp"

#include <algorithm>
#include <array>
#include <type_traits>

#include "core/base/at.hpp"
#include "core/spatial/lanes.hpp"

namespace kinloop {
namespace {

/// Three rows in lanes, or numbers of one speed.
template <class Number>
struct Rows3 {
  Number x, y, z;
};

template <class Number>
Number load_row(const double* p) noexcept {
  if constexpr (sizeof(Number) == sizeof(double)) {
    return *p;
  } else {
    return load_lanes(p);
  }
}
void store_row(Lanes4 lanes, double* p) noexcept { store_lanes(lanes, p); }
void store_row(double number, double* p) noexcept { *p = number; }

Lanes4 fused_row(double s, Lanes4 a, Lanes4 b) noexcept { return fused(everywhere(s), a, b); }
Lanes4 fused_from_row(double s, Lanes4 a, Lanes4 b) noexcept { return fused_from(everywhere(s), a, b); }
double fused_row(double s, double a, double b) noexcept { return b + s * a; }
double fused_from_row(double s, double a, double b) noexcept { return b - s * a; }

template <class Number>
Rows3<Number> load_rows(const double* p, std::ptrdiff_t stride) noexcept {
  return {load_row<Number>(p), load_row<Number>(p + stride), load_row<Number>(p + 2 * stride)};
}
template <class Number>
void store_rows(const Rows3<Number>& a, double* p, std::ptrdiff_t stride) noexcept {
  store_row(a.x, p);
  store_row(a.y, p + stride);
  store_row(a.z, p + 2 * stride);
}

/// One for the first speed, none for others.
Lanes4 first_unit(Lanes4 /*of*/) noexcept { return Lanes4{1.0, 0.0, 0.0, 0.0}; }
double first_unit(double /*of*/) noexcept { return 1.0; }

template <class Number>
Number dot_rows(const Vec3& a, const Rows3<Number>& b, Number start) noexcept {
  return fused_row(a.z(), b.z, fused_row(a.y(), b.y, fused_row(a.x(), b.x, start)));
}
/// b - s * a.
template <class Number>
Rows3<Number> minus_rows(const Vec3& s, Number a, const Rows3<Number>& b) noexcept {
  return {fused_from_row(s.x(), a, b.x), fused_from_row(s.y(), a, b.y), fused_from_row(s.z(), a, b.z)};
}
/// b + s * a.
template <class Number>
Rows3<Number> plus_rows(const Vec3& s, Number a, const Rows3<Number>& b) noexcept {
  return {fused_row(s.x(), a, b.x), fused_row(s.y(), a, b.y), fused_row(s.z(), a, b.z)};
}
/// b + r x a.
template <class Number>
Rows3<Number> plus_cross(const Vec3& r, const Rows3<Number>& a, const Rows3<Number>& b) noexcept {
  return {fused_from_row(r.z(), a.y, fused_row(r.y(), a.z, b.x)),
          fused_from_row(r.x(), a.z, fused_row(r.z(), a.x, b.y)),
          fused_from_row(r.y(), a.x, fused_row(r.x(), a.y, b.z))};
}
/// b + a x r.
template <class Number>
Rows3<Number> plus_crossed(const Rows3<Number>& a, const Vec3& r, const Rows3<Number>& b) noexcept {
  return plus_cross(-r, a, b);
}

/// Lanes as far as they belong to the range, or to the padding behind all speeds.
template <class Call>
void for_columns(int begin, int end, int count, const Call& call) noexcept {
  int c = begin;
  for (; c + 4 <= end; c += 4) call(c, Lanes4{});
  if (c < end && end == count) {
    call(c, Lanes4{});
  } else {
    for (; c < end; ++c) call(c, double{});
  }
}

}  // namespace

InverseInertia::InverseInertia(const Model& model)
    : model_(model),
      count_(model.nv()),
      stride_(padded_to_lanes(count_)),
      beyond_(at(model.body_count())),
      columns_(at(count_)),
      forces_(at(6 * stride_)),
      rows_(MatrixX::Zero(stride_, count_)) {
  std::vector<std::vector<int>> children(at(model.body_count()));
  for (int k = 1; k < model.body_count(); ++k) children[at(model.body(k).parent)].push_back(k);
  std::vector<int> waiting(children[0].rbegin(), children[0].rend());
  std::vector<int> piece_of(at(model.body_count()), -1);
  while (!waiting.empty()) {
    const int k = waiting.back();
    waiting.pop_back();
    waiting.insert(waiting.end(), children[at(k)].rbegin(), children[at(k)].rend());
    const BodyConstants& body = model.body(k);
    Piece piece;
    piece.body = k;
    piece.parent = body.parent > 0 ? piece_of[at(body.parent)] : -1;
    piece.first = static_cast<int>(speed_at_.size());
    piece.is_leaf = children[at(k)].empty();
    piece.is_turn = body.joint == JointType::kRevolute;
    for (int i = 0; i < body.nv; ++i) speed_at_.push_back(body.v + i);
    piece.end = static_cast<int>(speed_at_.size());
    piece_of[at(k)] = static_cast<int>(pieces_.size());
    pieces_.push_back(piece);
  }
  std::vector<char> has_child(pieces_.size(), 0);
  for (std::size_t i = pieces_.size(); i-- > 0;) {
    Piece& piece = pieces_[i];
    if (piece.parent < 0) continue;
    Piece& parent = pieces_[at(piece.parent)];
    parent.end = std::max(parent.end, piece.end);
    piece.is_last_child = has_child[at(piece.parent)] == 0;
    has_child[at(piece.parent)] = 1;
  }
  // The last child needs the accelerations of its parent last, and may write over them.
  int slots = 0;
  for (Piece& piece : pieces_) piece.slot = piece.is_last_child ? pieces_[at(piece.parent)].slot : slots++;
  accelerations_.resize(at(6 * stride_ * std::max(slots, 1)));
  for (int i = 0; i < count_; ++i) is_in_order_ = is_in_order_ && speed_at_[at(i)] == i;
  if (!is_in_order_) sorted_ = MatrixX::Zero(stride_, count_);
}

bool InverseInertia::update(const Workspace& ws) noexcept {
  if (!inward(ws)) return false;
  outward(ws);
  if (is_in_order_) {
    for (int i = 0; i < count_; ++i) {
      for (int j = i + 1; j < count_; ++j) rows_(i, j) = rows_(j, i);
    }
    return true;
  }
  for (int i = 0; i < count_; ++i) {
    for (int j = i; j < count_; ++j) {
      sorted_(speed_at_[at(i)], speed_at_[at(j)]) = sorted_(speed_at_[at(j)], speed_at_[at(i)]) = rows_(j, i);
    }
  }
  return true;
}

bool InverseInertia::inward(const Workspace& ws) noexcept {
  std::fill(forces_.begin(), forces_.end(), 0.0);
  for (std::size_t n = pieces_.size(); n-- > 0;) {
    const Piece& piece = pieces_[n];
    const BodyConstants& body = model_.body(piece.body);
    const Vec3& r = ws.motion[at(piece.body)].r;
    const bool hands_over = piece.parent >= 0;
    SpatialInertia h = rigid_inertia(body.mass, ws.load[at(piece.body)]);
    if (!piece.is_leaf) add(h, beyond_[n]);
    for (int i = body.nv - 1; i >= 0; --i) {
      Column& column = columns_[at(piece.first + i)];
      const auto speed = at(body.v + i);
      column.H = {ws.Hw[speed], ws.Hv[speed]};
      const auto& [z, s] = column.H;
      double D = ws.armature[body.v + i];
      double scale = 0.0;
      if (piece.is_turn) {
        column.U = {h.J * z, h.L * z};
        D += dot(z, column.U.angular);
        scale = trace(h.J);
      } else {
        column.U = {h.J * z + transposed_times(h.L, s), h.L * z + h.M * s};
        D += dot(column.H, column.U);
        scale = dot(z, z) * trace(h.J) + dot(s, s) * trace(h.M);
      }
      if (!(D > kSingular * scale)) return false;
      column.inverse_D = 1.0 / D;
      const bool is_last = i == 0 && hands_over;
      if (piece.is_turn) {
        is_last ? take_force<true, true>(column, r, piece.first + i, piece.end)
                : take_force<true, false>(column, r, piece.first + i, piece.end);
      } else {
        is_last ? take_force<false, true>(column, r, piece.first + i, piece.end)
                : take_force<false, false>(column, r, piece.first + i, piece.end);
      }
      if (i == 0 && !hands_over) break;
      const Vec3 sn = column.inverse_D * column.U.angular;
      const Vec3 sf = column.inverse_D * column.U.linear;
      subtract_outer(h.J, column.U.angular, sn);
      subtract_outer(h.L, column.U.linear, sn);
      subtract_outer(h.M, column.U.linear, sf);
    }
    if (!hands_over) continue;
    if (body.nv == 0) shift_forces(r, piece.first, piece.end);
    SpatialInertia& sum = beyond_[at(piece.parent)];
    if (piece.is_last_child) {
      sum = shifted(h, r);
    } else {
      add(sum, shifted(h, r));
    }
  }
  return true;
}

/// Of the speed at `place`: its share e / D of every force beyond it, which it keeps, and what is left of that force,
/// at the parent's point where it is the last of its joint.
template <bool kTurn, bool kShift>
void InverseInertia::take_force(const Column& column, const Vec3& r, int place, int end) noexcept {
  double* moment = forces_.data();
  double* force = moment + 3 * stride_;
  double* share = row(place);
  const SpatialVector H = column.H;
  const SpatialVector U = column.U;
  const double inverse_D = column.inverse_D;
  const Vec3 moment_share = kShift ? U.angular + cross(r, U.linear) : U.angular;
  for_columns(place, end, count_, [&](int c, auto number) {
    using Number = decltype(number);
    Rows3<Number> n = load_rows<Number>(moment + c, stride_);
    const Rows3<Number> f = load_rows<Number>(force + c, stride_);
    Number e = dot_rows(H.angular, n, c == place ? first_unit(number) : Number{});
    if constexpr (!kTurn) e = dot_rows(H.linear, f, e);
    const Number taken = inverse_D * e;
    store_row(taken, share + c);
    if constexpr (kShift) n = plus_cross(r, f, n);
    store_rows(minus_rows(moment_share, taken, n), moment + c, stride_);
    store_rows(minus_rows(U.linear, taken, f), force + c, stride_);
  });
  std::fill(share + end, share + count_, 0.0);
}

void InverseInertia::shift_forces(const Vec3& r, int first, int end) noexcept {
  double* moment = forces_.data();
  const double* force = moment + 3 * stride_;
  for_columns(first, end, count_, [&](int c, auto number) {
    using Number = decltype(number);
    const Rows3<Number> n = load_rows<Number>(moment + c, stride_);
    store_rows(plus_cross(r, load_rows<Number>(force + c, stride_), n), moment + c, stride_);
  });
}

void InverseInertia::outward(const Workspace& ws) noexcept {
  for (const Piece& piece : pieces_) {
    const Vec3& r = ws.motion[at(piece.body)].r;
    piece.is_turn ? accelerate<true>(piece, r) : accelerate<false>(piece, r);
  }
}

template <bool kTurn>
void InverseInertia::accelerate(const Piece& piece, const Vec3& r) noexcept {
  const double* from =
      piece.parent >= 0 ? accelerations_.data() + 6 * stride_ * pieces_[at(piece.parent)].slot : nullptr;
  double* to = accelerations_.data() + 6 * stride_ * piece.slot;
  const int speeds = model_.body(piece.body).nv;
  for (int c = piece.first; c < count_; c += 4) {
    Rows3<Lanes4> angular{};
    Rows3<Lanes4> linear{};
    if (from != nullptr) {
      angular = load_rows<Lanes4>(from + c, stride_);
      linear = plus_crossed(angular, r, load_rows<Lanes4>(from + 3 * stride_ + c, stride_));
    }
    for (int p = piece.first; p < piece.first + speeds; ++p) {
      const auto& [H, U, inverse_D] = columns_[at(p)];
      double* own = row(p) + c;
      Lanes4 x = load_lanes(own);
      if (from != nullptr || p > piece.first) {
        x = x - inverse_D * dot_rows(U.linear, linear, dot_rows(U.angular, angular, Lanes4{}));
      }
      store_lanes(x, own);
      angular = plus_rows(H.angular, x, angular);
      if constexpr (!kTurn) linear = plus_rows(H.linear, x, linear);
    }
    if (piece.is_leaf) continue;
    store_rows(angular, to + c, stride_);
    store_rows(linear, to + 3 * stride_ + c, stride_);
  }
}

/// Eight rows by four columns at a time: what they sum stays in registers.
void InverseInertia::multiply(const MatrixX& a, double scale, Eigen::Ref<MatrixX> product) const noexcept {
  const double* inverse = matrix().data();
  const Eigen::Index n = count_;
  const auto block = [&](Eigen::Index row, Eigen::Index column, auto width) {
    constexpr std::size_t kWidth = decltype(width)::value;
    std::array<Lanes4, kWidth> upper{};
    std::array<Lanes4, kWidth> lower{};
    const double* factor = a.data() + column * n;
    for (Eigen::Index r = 0; r < n; ++r) {
      const Lanes4 i0 = load_lanes(inverse + r * stride_ + row);
      const Lanes4 i1 = load_lanes(inverse + r * stride_ + row + 4);
      for (std::size_t c = 0; c < kWidth; ++c) {
        const Lanes4 f = everywhere(factor[static_cast<Eigen::Index>(c) * n + r]);
        upper[c] = fused(i0, f, upper[c]);
        lower[c] = fused(i1, f, lower[c]);
      }
    }
    const auto left = static_cast<int>(n - row);
    for (std::size_t c = 0; c < kWidth; ++c) {
      double* to = product.col(column + static_cast<Eigen::Index>(c)).data() + row;
      store_lanes(scale * upper[c], to, left);
      if (left > 4) store_lanes(scale * lower[c], to + 4, left - 4);
    }
  };
  for (Eigen::Index row = 0; row < n; row += 8) {
    Eigen::Index column = 0;
    for (; column + 4 <= product.cols(); column += 4) block(row, column, std::integral_constant<std::size_t, 4>());
    for (; column < product.cols(); ++column) block(row, column, std::integral_constant<std::size_t, 1>());
  }
}

}  // namespace kinloop
