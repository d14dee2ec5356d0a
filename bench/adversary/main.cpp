// Reads the options; one mechanism is shown, many are counted.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>

#include "bench/adversary/sweep.hpp"
#include "tests/adversary/families.hpp"
#include "tests/adversary/model_text.hpp"

namespace kinloop::adversary {
namespace {

constexpr const char* kUsage =
    "usage: bench_adversary [options]\n"
    "  --count N      mechanisms to draw (200)\n"
    "  --first S      seed of the first (1); the others follow\n"
    "  --seed S       this one only, and all about it\n"
    "  --family NAME  of this family only\n"
    "  --only NAME    show the faults of one formulation, or auto\n"
    "  --seconds T    draw no more after this time\n"
    "  --no-motion    single evaluations only\n"
    "  --jobs N       processes (all cores)\n"
    "  --dump FILE    with --seed: write the mechanism as a model file for kinloop sim\n";

struct Options {
  SweepPlan plan;
  bool single = false;
  std::string dump;
};

bool read(int argc, char** argv, Options& options) {
  options.plan.jobs = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name == "--no-motion") {
      options.plan.judge.motion = false;
      continue;
    }
    if (i + 1 >= argc) return false;
    const char* value = argv[++i];
    if (name == "--count") {
      options.plan.count = std::atoi(value);
    } else if (name == "--first") {
      options.plan.first = std::strtoull(value, nullptr, 10);
    } else if (name == "--seed") {
      options.single = true;
      options.plan.first = std::strtoull(value, nullptr, 10);
    } else if (name == "--family") {
      options.plan.family = value;
      if (find_family(value) == nullptr) return false;
    } else if (name == "--only") {
      options.plan.judge.only = value;
    } else if (name == "--seconds") {
      options.plan.seconds = std::atof(value);
    } else if (name == "--jobs") {
      options.plan.jobs = std::max(1, std::atoi(value));
    } else if (name == "--dump") {
      options.dump = value;
    } else {
      return false;
    }
  }
  return true;
}

int show_one(const Options& options) {
  const Draw draw = draw_mechanism(options.plan.first, options.plan.family);
  std::printf("%s: %zu bodies, %zu loops (%d more would lock it), %zu gears, %s;%s\n", draw.spec.name.c_str(),
              draw.spec.bodies.size(), draw.spec.loops.size(), draw.left_out, draw.spec.couplings.size(),
              draw.conservative ? "conservative" : "not conservative", draw.traits.c_str());
  if (!options.dump.empty() && !(std::ofstream(options.dump) << model_text(draw.spec))) {
    std::fprintf(stderr, "cannot write %s\n", options.dump.c_str());
    return 2;
  }
  if (!draw.reject.empty()) {
    std::printf("no such mechanism: %s\n", draw.reject.c_str());
    return 0;
  }
  const Judgement judgement = judge(draw, options.plan.judge);
  std::printf("start: %s, least singular value %.1e, next %.1e, %d dofs\n", judgement.state.c_str(), judgement.kept,
              judgement.dropped, judgement.dofs);
  if (!judgement.motion_note.empty()) std::printf("motion: %s\n", judgement.motion_note.c_str());
  for (const MethodVerdict& method : judgement.methods) {
    if (!options.plan.judge.only.empty() && method.method != options.plan.judge.only) continue;
    std::printf("%-18s %s%s, largest error of accelerations %.2g of its tolerance\n", method.method.c_str(),
                method.refused ? "refuses" : (method.wrong ? "wrong" : "right"), method.stopped ? ", stops" : "",
                method.ratio);
  }
  for (const Finding& finding : judgement.findings) {
    std::printf("  %s, %s: %s\n", finding.method.c_str(), finding.check.c_str(), finding.text.c_str());
  }
  for (const Finding& stop : judgement.apart) {
    std::printf("  no finding (%s): %s %s\n", stop.check.c_str(), stop.method.c_str(), stop.text.c_str());
  }
  return judgement.findings.empty() ? 0 : 1;
}

}  // namespace
}  // namespace kinloop::adversary

int main(int argc, char** argv) {
  using namespace kinloop::adversary;
  Options options;
  if (!read(argc, argv, options)) {
    std::fputs(kUsage, stderr);
    return 2;
  }
  return options.single ? show_one(options) : run_sweep(options.plan);
}
