// Finds out which picture is meant, reads what it needs, draws, writes.
#include "services/cli/plot.hpp"

#include <CLI/CLI.hpp>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <iostream>
#include <optional>
#include <variant>

#include "core/base/nearest_name.hpp"
#include "services/base/write_file.hpp"
#include "services/cli/load_options.hpp"
#include "services/console/exit_code.hpp"
#include "services/files/load_model.hpp"
#include "services/plot/mechanism_motion.hpp"
#include "services/plot/motion_charts.hpp"

namespace kinloop::cli {
namespace {

using Errors = std::vector<Error>;
using Picture = std::variant<plot::LineChart, plot::PhaseChart, plot::MechanismPicture>;

constexpr int kMaxInstants = 1000;
constexpr double kLeastPixels = 120.0;
constexpr double kMaxPixels = 8000.0;

bool wants_mechanism(const PlotOptions& options) {
  return options.figure || options.strobe != 0 || !options.paths.empty();
}

Result<plot::ImageFormat> format_of(const std::string& out) {
  std::string ending = std::filesystem::path(out).extension().string();
  for (char& c : ending) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (ending == ".svg") return plot::ImageFormat::kSvg;
  if (ending == ".png") return plot::ImageFormat::kPng;
  return Error{"--out " + out, "the name ends in neither .svg nor .png, so the kind of picture is not known"};
}

std::optional<plot::ViewKind> view_of(const std::string& name) {
  if (name == "front") return plot::ViewKind::kFront;
  if (name == "side") return plot::ViewKind::kSide;
  if (name == "top") return plot::ViewKind::kTop;
  if (name == "iso") return plot::ViewKind::kIso;
  return std::nullopt;
}

/// Nothing if none was given.
Result<std::optional<plot::ImageSize>> size_of(const std::string& text) {
  if (text.empty()) return std::optional<plot::ImageSize>{};
  const auto number = [](std::string_view digits) {
    double value = 0.0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    const bool is_good = error == std::errc{} && end == digits.data() + digits.size();
    return is_good && value >= kLeastPixels && value <= kMaxPixels ? std::optional(value) : std::nullopt;
  };
  const std::size_t cross = text.find('x');
  if (cross != std::string::npos) {
    const std::optional<double> width = number(std::string_view(text).substr(0, cross));
    const std::optional<double> height = number(std::string_view(text).substr(cross + 1));
    if (width && height) return std::optional(plot::ImageSize{*width, *height});
  }
  return Error{"--size " + text, "expected width x height in pixels from 120 to 8000, as in 800x500"};
}

/// Options that contradict each other, or miss another; empty if they make sense.
Errors misuse(const PlotOptions& options) {
  Errors errors;
  const auto refuse_if = [&](bool is_wrong, const char* where, const char* what) {
    if (is_wrong) errors.push_back({where, what});
  };
  const bool mechanism = wants_mechanism(options);
  refuse_if(options.figure && !options.file.empty(), "--figure", "draws the model alone, without a CSV");
  refuse_if(options.figure && (options.strobe != 0 || !options.paths.empty()), "--figure",
            "shows one state; --strobe and --path need a motion instead");
  refuse_if(!options.figure && options.file.empty(), "FILE", "name the CSV that `kinloop sim --out` wrote");
  refuse_if(mechanism && options.model.empty(), "--model", "is needed to draw the mechanism");
  refuse_if(mechanism && !options.columns.empty(), "--columns", "is for charts, not for pictures of the mechanism");
  refuse_if(mechanism && !options.phase.empty(), "--phase", "is for charts, not for pictures of the mechanism");
  refuse_if(!options.phase.empty() && !options.columns.empty(), "--phase",
            "names its columns itself; leave out --columns");
  refuse_if(!mechanism && !options.view.empty(), "--view", "is for --figure, --path and --strobe");
  refuse_if(options.strobe < 0 || options.strobe > kMaxInstants, "--strobe", "expected 1 to 1000 instants");
  return errors;
}

/// The rows, from a file or from standard input.
class Input {
 public:
  explicit Input(const std::string& path) : is_stdin_(path == "-") {
    errno = 0;
    if (!is_stdin_) file_.open(path, std::ios::binary);
    if (is_stdin_ || file_) {
      std::error_code ignored;
      if (!is_stdin_ && std::filesystem::is_directory(path, ignored)) failure_ = "is a directory";
    } else {
      failure_ = std::string("cannot open the file: ") + (errno != 0 ? std::strerror(errno) : "no reason given");
    }
  }
  const std::string& failure() const { return failure_; }
  std::istream& stream() { return is_stdin_ ? std::cin : static_cast<std::istream&>(file_); }

 private:
  bool is_stdin_;
  std::ifstream file_;
  std::string failure_;
};

template <class T>
Result<Picture, Errors> as_picture(Result<T> result) {
  if (!result) return Errors{result.error()};
  return Picture(std::move(result).value());
}

Result<Picture, Errors> read_mechanism(const PlotOptions& options, const Model& model, const std::vector<int>& q,
                                       plot::CsvReader& reader) {
  plot::MotionRequest request;
  request.columns = q;
  request.instants = std::max(1, options.strobe);
  request.view = view_of(options.view);
  Errors errors;
  for (const std::string& text : options.paths) {
    Result<plot::PathRequest> path = plot::parse_path(model, text);
    if (!path) {
      errors.push_back(path.error());
    } else {
      request.paths.push_back(std::move(path).value());
    }
  }
  if (!errors.empty()) return errors;
  return as_picture(plot::picture_of_motion(model, reader, request));
}

Result<Picture, Errors> read_picture(const PlotOptions& options, const Model* model) {
  if (options.figure) return Picture(plot::picture_at_start(*model, view_of(options.view)));
  Input input(options.file);
  if (!input.failure().empty()) return Errors{{options.file, input.failure()}};
  auto reader = plot::CsvReader::open(input.stream(), options.file == "-" ? "standard input" : options.file);
  if (!reader) return Errors{reader.error()};
  std::vector<int> q;
  if (model != nullptr) {
    auto matched = plot::match_model(reader->columns(), reader->file_name(), *model, options.model);
    if (!matched) return matched.error();
    q = std::move(matched).value();
  }
  if (wants_mechanism(options)) return read_mechanism(options, *model, q, *reader);
  if (!options.phase.empty()) {
    const auto pair = plot::column_pair(reader->columns(), reader->place() + ": --phase", options.phase);
    if (!pair) return Errors{pair.error()};
    return as_picture(plot::read_phase_chart(*reader, *pair, model));
  }
  const auto columns = options.columns.empty()
                           ? Result<std::vector<int>>(plot::default_columns(reader->columns()))
                           : plot::select_columns(reader->columns(), reader->place() + ": --columns", options.columns);
  if (!columns) return Errors{columns.error()};
  if (columns->empty()) return Errors{{reader->place(), "there is no column but the time"}};
  return as_picture(plot::read_line_chart(*reader, *columns, model));
}

plot::ImageSize natural_size_of(const Picture& picture) {
  if (const auto* chart = std::get_if<plot::LineChart>(&picture)) return natural_size(*chart);
  if (const auto* mechanism = std::get_if<plot::MechanismPicture>(&picture)) return natural_size(*mechanism);
  return plot::kPhaseSize;
}

Result<std::string> drawn(const Picture& picture, plot::ImageFormat format, const plot::ImageSize& size) {
  plot::CairoCanvas canvas(format, size);
  std::visit([&](const auto& one) { draw(one, size, canvas); }, picture);
  return canvas.finish();
}

}  // namespace

int run_plot(const PlotOptions& options, const console::Console& console) {
  Errors errors = misuse(options);
  const auto format = format_of(options.out);
  if (!format) errors.push_back(format.error());
  const auto asked_size = size_of(options.size);
  if (!asked_size) errors.push_back(asked_size.error());
  if (!errors.empty()) return console::refuse_all(errors, console);

  std::optional<LoadedModel> loaded;
  if (!options.model.empty()) {
    auto model = load_model(options.model, options.load);
    if (!model) return console::refuse_all(model.error(), console);
    loaded.emplace(std::move(model).value());
  }
  auto picture = read_picture(options, loaded ? &loaded->model : nullptr);
  if (!picture) return console::refuse_all(picture.error(), console);
  std::visit([&](auto& one) { one.title = options.title; }, *picture);

  const plot::ImageSize size = *asked_size ? **asked_size : natural_size_of(*picture);
  const Result<std::string> bytes = drawn(*picture, *format, size);
  if (!bytes) {
    console::print_errors(console, {bytes.error()}, "");
    return console::kInternalError;
  }
  if (const auto failure = write_file(options.out, *bytes)) {
    console::print_errors(console, {failure->error}, "");
    return failure->stage == WriteStage::kOpen ? console::kBadInput : console::kInternalError;
  }
  console.out << "wrote " << options.out << "\n";
  return console::kDone;
}

void add_plot(CLI::App& app, Job& job) {
  CLI::App* verb = app.add_subcommand("plot", "draw a motion or a mechanism as SVG or PNG");
  auto options = std::make_shared<PlotOptions>();
  verb->add_option("FILE", options->file, "CSV that `kinloop sim --out` wrote; - for standard input");
  verb->add_option("-o,--out", options->out, "picture to write; its ending decides: .svg or .png")->required();
  verb->add_option("-m,--model", options->model,
                   "the model of the motion: needed to draw the mechanism; gives charts their units");
  add_load_options(*verb, options->load);
  verb->add_option("-c,--columns", options->columns, "columns to draw over time, with * and ?: 'q.*,kinetic_J'");
  verb->add_option("--phase", options->phase, "draw one column over another: x,y");
  verb->add_option("-p,--path", options->paths,
                   "trace a point in the mechanism: BODY (its centre of mass), BODY:x,y,z (in its frame, m) or a "
                   "named frame; may be repeated")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  verb->add_option("--strobe", options->strobe, "draw the mechanism at so many instants, old ones faded");
  verb->add_flag("--figure", options->figure, "draw the model at its initial state, no CSV needed");
  verb->add_option("--view", options->view,
                   "front (x right, z up), side (y, z), top (x, y) or iso; else the plane of the motion")
      ->check(CLI::IsMember({"front", "side", "top", "iso"}));
  verb->add_option("--title", options->title, "text above the picture");
  verb->add_option("--size", options->size, "width x height in pixels, as in 800x500; PNG has two dots a pixel");
  verb->footer(
      "Without --columns and --phase, all coordinates are drawn over time. With --model, angles, lengths, speeds,\n"
      "forces and energies get their units and a panel each. Long files are thinned to what a picture can show,\n"
      "peaks included; values that are no numbers leave gaps.\n"
      "\n"
      "signs: circle revolute, box prismatic, dot spherical, circle with cross universal, box with circle\n"
      "cylindrical, box with stroke screw, slot pin_slot, diamond planar; zig-zag spring, hatching ground.\n"
      "\n"
      "exit codes: 0 done, 2 bad usage, CSV or model, 1 the picture could not be written (none is left half-written)\n"
      "\n"
      "examples:\n"
      "  kinloop plot run.csv -o run.svg\n"
      "  kinloop plot run.csv -m configs/models/demo.yaml -o run.svg --columns 'q.*,*_J'\n"
      "  kinloop plot run.csv -o phase.png --phase q.luff,u.luff\n"
      "  kinloop plot run.csv -m configs/models/demo.yaml -o crane.svg --strobe 8 --path load --path boom:8,0,0\n"
      "  kinloop plot -m configs/models/demo.yaml --figure -o figure.svg\n"
      "  kinloop sim configs/models/pendulum.yaml -o - | kinloop plot - -o pendulum.svg");
  verb->callback(
      [options, &job] { job = [options](const console::Console& console) { return run_plot(*options, console); }; });
}

}  // namespace kinloop::cli
