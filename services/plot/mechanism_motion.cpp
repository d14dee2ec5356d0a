// Rows become postures; postures become figures and paths.
#include "services/plot/mechanism_motion.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "core/base/nearest_name.hpp"
#include "services/plot/columns.hpp"
#include "services/plot/decimation.hpp"
#include "services/plot/wanted_columns.hpp"

namespace kinloop::plot {
namespace {

constexpr std::size_t kMaxStates = 1U << 14U;      // to choose instants from
constexpr std::size_t kMaxPathPoints = 1U << 21U;  // a path must not lose its curves in a long run
constexpr std::size_t kMaxNumbers = 1U << 23U;     // in either
constexpr std::size_t kViewSamples = 200;
// What is no depth worth an oblique view, of the largest extent: a planar motion stays in its plane, but a figure may
// have its links side by side.
constexpr double kPlanarMotion = 0.002;
constexpr double kFlatFigure = 0.03;

std::optional<Vector3> read_point(std::string_view text) {
  Vector3 point;
  for (int i = 0; i < 3; ++i) {
    const std::size_t comma = text.find(',');
    if ((comma == std::string_view::npos) != (i == 2)) return std::nullopt;
    std::string_view number = text.substr(0, comma);
    number.remove_prefix(std::min(number.find_first_not_of(' '), number.size()));
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), point[i]);
    if (error != std::errc{} || end != number.data() + number.size() || !is_drawable(point[i])) return std::nullopt;
    if (comma != std::string_view::npos) text.remove_prefix(comma + 1);
  }
  return point;
}

Error unknown_body(const Model& model, const std::string& name) {
  std::vector<std::string_view> known;
  for (int k = 1; k < model.body_count(); ++k) known.emplace_back(model.body_name(k));
  for (const FrameOnBodySpec& frame : model.spec().frames) known.emplace_back(frame.name);
  std::string hint = did_you_mean(name, known);
  if (hint.empty() && known.size() <= 12) hint = " (there are: " + quoted_list(known) + ")";
  return {"--path", "there is no body or frame " + in_quotes(name) + hint};
}

/// A point of the body that the path is of, where no coordinates are given.
std::optional<BodyPoint> own_point(const Model& model, const std::string& name) {
  const int k = model.find_body(name);
  if (k > 0) {
    const BodyConstants& body = model.body(k);
    return BodyPoint{k, body.mass > 0.0 ? Vector3(body.first_moment.eigen() / body.mass) : model.body_frame(k).p};
  }
  for (const FrameOnBodySpec& frame : model.spec().frames) {
    const int on = model.find_body(frame.body);
    if (frame.name == name && on >= 0) return BodyPoint{on, (model.body_frame(on) * frame.pose).p};
  }
  return std::nullopt;
}

/// Some rows of a motion, evenly spread, and the paths of points through all of them.
struct Motion {
  std::vector<double> times_s;
  std::vector<Posture> postures;  // empty where the row is not complete
  std::vector<TracedPath> paths;
};

/// Halved until so many rows of that width fit into the memory we mean to use.
std::size_t rows_that_fit(std::size_t max_rows, std::size_t width) {
  while (max_rows > 256 && max_rows * width > kMaxNumbers) max_rows /= 2;
  return max_rows;
}

/// t and q of a row; empty where it is not complete.
Posture posture_of_row(const Model& model, std::span<const double> row, Workspace& ws) {
  if (!std::all_of(row.begin(), row.end(), [](double value) { return is_drawable(value); })) return {};
  return posture_at(model, Eigen::Map<const VectorX>(row.data() + 1, model.nq()), ws);
}

Result<Motion> read_motion(const Model& model, CsvReader& reader, const MotionRequest& request) {
  const Result<int> time = find_column(reader.columns(), reader.place(), "t");
  if (!time) return time.error();
  std::vector<int> columns = {*time};
  columns.insert(columns.end(), request.columns.begin(), request.columns.end());
  Workspace ws(model);
  RowSampler states(columns.size(), rows_that_fit(kMaxStates, columns.size()));
  const std::size_t path_width = std::max<std::size_t>(1, 3 * request.paths.size());
  RowSampler path_points(path_width, rows_that_fit(kMaxPathPoints, path_width));
  std::vector<double> points(path_width);
  const Result<long long> rows = WantedColumns(columns).read(reader, [&](std::span<const double> row) {
    states.add(row);
    if (request.paths.empty()) return;
    const Posture posture = posture_of_row(model, row, ws);
    for (std::size_t i = 0; i < request.paths.size(); ++i) {
      const BodyPoint& point = request.paths[i].point;
      const Vector3 p = posture.empty() ? Vector3::Constant(std::numeric_limits<double>::quiet_NaN()).eval()
                                        : at(posture, point.body, point.point);
      std::copy_n(p.data(), 3, points.begin() + static_cast<std::ptrdiff_t>(3 * i));
    }
    path_points.add(points);
  });
  if (!rows) return rows.error();

  Motion motion;
  for (std::size_t i = 0; i < states.size(); ++i) {
    motion.times_s.push_back(states[i][0]);
    motion.postures.push_back(posture_of_row(model, states[i], ws));
  }
  for (std::size_t i = 0; i < request.paths.size(); ++i) {
    TracedPath& path = motion.paths.emplace_back(TracedPath{request.paths[i].name, {}});
    for (std::size_t n = 0; n < path_points.size(); ++n) path.points.emplace_back(path_points[n].data() + 3 * i);
  }
  return motion;
}

/// How far points of the mechanism move along x, y and z, and how far apart they are.
struct Reach {
  Vector3 motion = Vector3::Zero();
  Vector3 extent = Vector3::Zero();
};

Reach reach_of(const Skeleton& skeleton, const std::vector<Posture>& postures) {
  Reach reach;
  std::vector<Vector3> least;
  std::vector<Vector3> most;
  const std::size_t step = std::max<std::size_t>(1, postures.size() / kViewSamples);
  for (std::size_t i = 0; i < postures.size(); i += step) {
    if (postures[i].empty()) continue;
    const std::vector<Vector3> points = points_of(skeleton, postures[i]);
    reach.extent = reach.extent.cwiseMax(spread(points));
    if (least.empty()) least = most = points;
    for (std::size_t n = 0; n < points.size(); ++n) {
      least[n] = least[n].cwiseMin(points[n]);
      most[n] = most[n].cwiseMax(points[n]);
    }
  }
  for (std::size_t n = 0; n < least.size(); ++n) reach.motion = reach.motion.cwiseMax(most[n] - least[n]);
  return reach;
}

/// The complete row whose time is nearest. There is a complete row.
std::size_t nearest_row(const Motion& motion, double time_s) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < motion.times_s.size(); ++i) {
    if (motion.postures[i].empty()) continue;
    if (!best || std::abs(motion.times_s[i] - time_s) < std::abs(motion.times_s[*best] - time_s)) best = i;
  }
  return *best;
}

void add_instants(const Motion& motion, int count, MechanismPicture& picture) {
  Range times_s;
  for (std::size_t i = 0; i < motion.times_s.size(); ++i) {
    if (!motion.postures[i].empty()) times_s.add(motion.times_s[i]);
  }
  std::optional<std::size_t> before;
  for (int i = 0; i < count; ++i) {
    const double share = count > 1 ? static_cast<double>(i) / (count - 1) : 1.0;
    const std::size_t row = nearest_row(motion, times_s.least + share * times_s.span());
    if (before == row) continue;  // more instants than rows
    before = row;
    picture.postures.push_back(motion.postures[row]);
    picture.times_s.push_back(motion.times_s[row]);
  }
}

}  // namespace

Result<PathRequest> parse_path(const Model& model, const std::string& text) {
  if (const std::optional<BodyPoint> own = own_point(model, text)) return PathRequest{text, *own};
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos) return unknown_body(model, text);
  const std::string name = text.substr(0, colon);
  const int k = model.find_body(name);
  if (k < 0) return unknown_body(model, name);
  const std::optional<Vector3> point = read_point(std::string_view(text).substr(colon + 1));
  if (!point) {
    return Error{"--path " + text, "expected three numbers in metres after the colon, as in " + name + ":0.5,0,0"};
  }
  const Pose& frame = model.body_frame(k);
  return PathRequest{text, {k, frame.p + frame.R * *point}};
}

MechanismPicture picture_at_start(const Model& model, std::optional<ViewKind> view) {
  MechanismPicture picture;
  picture.skeleton = make_skeleton(model);
  Workspace ws(model);
  picture.postures.push_back(initial_posture(model, ws));
  if (!view) {
    const Vector3 extent = spread(points_of(picture.skeleton, picture.postures.front()));
    const Vector3 motion = possible_motion(model, picture.skeleton, ws);
    view = choose_view(extent, motion, kFlatFigure);
    // Links of a planar mechanism often lie in layers: what counts is then where they can go.
    if (*view == ViewKind::kIso) view = choose_view(motion, extent, kPlanarMotion);
  }
  picture.view = make_projection(*view, model.gravity());
  return picture;
}

Result<MechanismPicture> picture_of_motion(const Model& model, CsvReader& reader, const MotionRequest& request) {
  Result<Motion> motion = read_motion(model, reader, request);
  if (!motion) return motion.error();
  if (std::all_of(motion->postures.begin(), motion->postures.end(), [](const Posture& p) { return p.empty(); })) {
    return Error{reader.file_name(), "no row has a number for every coordinate"};
  }
  MechanismPicture picture;
  std::vector<BodyPoint> traced;
  traced.reserve(request.paths.size());
  for (const PathRequest& path : request.paths) traced.push_back(path.point);
  picture.skeleton = make_skeleton(model, traced);
  picture.paths = std::move(motion->paths);
  add_instants(*motion, request.instants, picture);
  const Reach reach = reach_of(picture.skeleton, motion->postures);
  const ViewKind view = request.view ? *request.view : choose_view(reach.motion, reach.extent, kPlanarMotion);
  picture.view = make_projection(view, model.gravity());
  return picture;
}

}  // namespace kinloop::plot
