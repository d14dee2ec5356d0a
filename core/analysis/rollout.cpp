// Steps a plant through sequences of commands.
#include "core/analysis/rollout.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/at.hpp"
#include "core/base/field_path.hpp"
#include "core/base/stepping_mode.hpp"
#include "core/batch/plant_batch.hpp"

namespace kinloop {
namespace {

constexpr long long kStepsBetweenLooks = 16;

Result<bool> check_plan(const Plant& plant, const RolloutPlan& plan) {
  if (plan.steps_per_command < 1) return Error{"steps_per_command", "must be 1 or more"};
  if (plan.input.level < 0 || at(plan.input.level) >= plant.spec().levels.size()) {
    return Error{"level", "the plant has no solver level " + std::to_string(plan.input.level)};
  }
  const std::size_t actuators = plant.actuator_count();
  for (std::size_t i = 0; i < plan.sequences.size(); ++i) {
    const std::vector<double>& commands = plan.sequences[i];
    const std::string path = item_path("sequences", i) + ".commands";
    const bool is_whole = actuators == 0 ? commands.empty() : commands.size() % actuators == 0;
    if (!is_whole) {
      return Error{path, std::to_string(commands.size()) + " numbers are no whole rows of " +
                             std::to_string(actuators) + ", one for each actuator"};
    }
    if (!std::all_of(commands.begin(), commands.end(), [](double c) { return std::isfinite(c); })) {
      return Error{path, "must be finite"};
    }
  }
  return true;
}

/// One sequence on its way.
struct Course {
  explicit Course(const State& start) : result{{}, start, false, StepStatus::kOk} {}

  RolloutResult result;
  const std::vector<double>* commands = nullptr;
  std::size_t rows = 0;
  StepInput input;
};

/// What one worker needs: a plant of its own, and the lanes to step it in.
class Roller {
 public:
  Roller(Plant& plant, std::unique_ptr<PlantBatch> batch, const RolloutPlan& plan)
      : plant_(plant), batch_(std::move(batch)), plan_(plan) {}

  /// Sequences beside each other in one group.
  std::size_t width() const noexcept { return batch_ ? at(batch_->width()) : 1; }
  const PlantBatch* batch() const noexcept { return batch_.get(); }
  long long steps() const noexcept { return steps_; }

  /// False where it was cancelled.
  bool run(std::vector<Course>& group) {
    const SteppingMode mode;
    const std::size_t width = plant_.actuator_count();
    std::size_t longest = 0;
    for (Course& course : group) {
      course.rows = width == 0 ? 0 : course.commands->size() / width;
      course.input = plan_.input;
      course.input.count = static_cast<std::uint32_t>(width);
      course.result.outputs.reserve(course.rows * plant_.sensor_count());
      longest = std::max(longest, course.rows);
    }
    for (std::size_t row = 0; row < longest; ++row) {
      under_way_.clear();
      for (Course& course : group) {
        if (row >= course.rows || !is_done(course.result.status)) continue;
        std::copy_n(course.commands->begin() + static_cast<std::ptrdiff_t>(row * width), width,
                    course.input.command.begin());
        under_way_.push_back(&course);
      }
      if (!hold()) return false;
      for (Course* course : under_way_) show(row, course->result);
    }
    for (Course& course : group) course.result.complete = is_done(course.result.status);
    return true;
  }

 private:
  /// The steps of one command, of those under way; false where it was cancelled.
  bool hold() {
    for (int i = 0; i < plan_.steps_per_command && !under_way_.empty(); ++i) {
      // Only the flag itself is read: nothing else is made visible by it.
      const bool looks = looks_++ % kStepsBetweenLooks == 0;
      if (looks && plan_.pulse != nullptr) plan_.pulse->fetch_add(1, std::memory_order_relaxed);
      if (looks && plan_.cancelled != nullptr && plan_.cancelled->load(std::memory_order_relaxed)) return false;
      step();
      std::erase_if(under_way_, [](const Course* course) { return !is_done(course->result.status); });
    }
    return true;
  }

  void step() {
    steps_ += static_cast<long long>(under_way_.size());
    if (!batch_) {
      for (Course* course : under_way_) course->result.status = plant_.step(course->input, course->result.end);
      return;
    }
    inputs_.clear();
    states_.clear();
    for (Course* course : under_way_) {
      inputs_.push_back(&course->input);
      states_.push_back(&course->result.end);
    }
    status_.resize(states_.size());
    batch_->step(inputs_, states_, status_);
    for (std::size_t i = 0; i < status_.size(); ++i) under_way_[i]->result.status = status_[i];
  }

  void show(std::size_t row, RolloutResult& result) {
    const std::size_t sensors = plant_.sensor_count();
    result.outputs.resize((row + 1) * sensors);
    plant_.true_signals(result.end, {result.outputs.data() + row * sensors, sensors});
  }

  Plant& plant_;
  std::unique_ptr<PlantBatch> batch_;
  const RolloutPlan& plan_;
  std::vector<Course*> under_way_;
  std::vector<const StepInput*> inputs_;
  std::vector<State*> states_;
  std::vector<StepStatus> status_;
  long long steps_ = 0, looks_ = 0;
};

/// The rollers of a crew: the first has the plant, the others copies of it.
class Rollers {
 public:
  Rollers(Plant& plant, const RolloutPlan& plan) {
    add(plant, plan);
    const std::size_t wanted = plan.crew == nullptr ? 1 : at(plan.crew->workers());
    const std::size_t groups = (plan.sequences.size() + width() - 1) / width();
    for (std::size_t i = 1; i < wanted && groups > 1; ++i) {
      auto copy = Plant::make(plant.model(), plant.spec());
      if (!copy) break;
      plants_.push_back(std::move(copy).value());
      add(*plants_.back(), plan);
    }
  }

  std::size_t width() const noexcept { return rollers_[0].width(); }
  std::size_t count() const noexcept { return rollers_.size(); }
  Roller& of(std::size_t worker) noexcept { return rollers_[worker]; }

  RolloutReport report() const {
    RolloutReport sum;
    sum.single_because = single_because_;
    for (const Roller& roller : rollers_) {
      sum.steps += roller.steps();
      if (roller.batch() != nullptr) sum.steps_alone += roller.batch()->steps_alone();
    }
    return sum;
  }

 private:
  void add(Plant& plant, const RolloutPlan& plan) {
    std::unique_ptr<PlantBatch> batch;
    if (plan.path == RolloutPath::kLanes) {
      auto made = PlantBatch::make(plant, plan.input.level);
      if (made) {
        batch = std::move(made).value();
      } else {
        single_because_ = made.error().where + (made.error().where.empty() ? "" : ": ") + made.error().what;
      }
    } else {
      single_because_ = "not asked for";
    }
    rollers_.emplace_back(plant, std::move(batch), plan);
  }

  std::vector<std::unique_ptr<Plant>> plants_;
  std::vector<Roller> rollers_;
  std::string single_because_;
};

}  // namespace

Result<std::vector<RolloutResult>> rollout(Plant& plant, const State& start, const RolloutPlan& plan) {
  if (const Result<bool> fits = check_plan(plant, plan); !fits) return fits.error();
  Rollers rollers(plant, plan);
  const std::size_t width = rollers.width();
  std::vector<std::vector<Course>> groups((plan.sequences.size() + width - 1) / width);
  std::vector<char> is_whole(groups.size(), 0);
  const auto run_group = [&](int worker, int number) {
    std::vector<Course>& group = groups[at(number)];
    const std::size_t first = at(number) * width;
    for (std::size_t i = first; i < std::min(first + width, plan.sequences.size()); ++i) {
      group.emplace_back(start).commands = &plan.sequences[i];
    }
    is_whole[at(number)] = rollers.of(at(worker)).run(group) ? 1 : 0;
  };
  const int count = static_cast<int>(groups.size());
  if (rollers.count() > 1 && rollers.count() == at(plan.crew->workers())) {
    plan.crew->run(count, run_group);
  } else {
    for (int i = 0; i < count && (i == 0 || is_whole[at(i - 1)] != 0); ++i) run_group(0, i);
  }
  if (plan.report != nullptr) *plan.report = rollers.report();
  std::vector<RolloutResult> results;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (is_whole[i] == 0) {  // cancelled: what came of the others beside it is as little asked for
      results.push_back(groups[i].empty() ? RolloutResult{{}, start, false, StepStatus::kOk}
                                          : std::move(groups[i][0].result));
      break;
    }
    for (Course& course : groups[i]) results.push_back(std::move(course.result));
  }
  return results;
}

}  // namespace kinloop
