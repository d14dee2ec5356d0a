// Every formulation and integrator over mechanisms that nobody chose: the short form of bench_adversary.
//
// A seed that fails prints the command that repeats it and says more.
#include <gtest/gtest.h>

#include "tests/adversary/judge.hpp"

namespace kinloop::adversary {
namespace {

class Campaign : public testing::TestWithParam<std::uint64_t> {};

void expect_no_findings(const Draw& draw) {
  ASSERT_EQ(draw.reject, "");
  JudgeOptions options;
  options.shorten = 0.1;

  const Judgement judgement = judge(draw, options);

  EXPECT_FALSE(judgement.methods.empty());
  for (const Finding& finding : judgement.findings) {
    ADD_FAILURE() << "bench_adversary --seed " << draw.seed << " --family " << draw.family << " --only "
                  << finding.method << "  # " << finding.check << ": " << finding.text;
  }
}

TEST_P(Campaign, EveryFormulationIsRight) { expect_no_findings(draw_mechanism(GetParam())); }

// Loops that share bodies anywhere.
class WovenCampaign : public testing::TestWithParam<std::uint64_t> {};

TEST_P(WovenCampaign, EveryFormulationIsRight) { expect_no_findings(draw_mechanism(GetParam(), "woven")); }

// The first twenty of every family that take less than a second.
std::string seed_name(const testing::TestParamInfo<std::uint64_t>& of) { return std::to_string(of.param); }

INSTANTIATE_TEST_SUITE_P(Spatial, Campaign,
                         testing::ValuesIn<std::uint64_t>({7,   10,  11,  59,  75,  91,  97,  106, 116, 122,
                                                           123, 124, 127, 128, 135, 136, 150, 160, 169, 172}),
                         seed_name);
INSTANTIATE_TEST_SUITE_P(Planar, Campaign,
                         testing::ValuesIn<std::uint64_t>({20,  32,  35,  41,  44,  45,  57,  68,  74,  81,
                                                           105, 107, 129, 131, 134, 139, 143, 144, 145, 171}),
                         seed_name);
INSTANTIATE_TEST_SUITE_P(Ladder, Campaign, testing::ValuesIn<std::uint64_t>({1,  6,  8,  14, 17, 19, 22, 24, 25,  26,
                                                                             31, 33, 61, 66, 73, 80, 89, 94, 112, 117}),
                         seed_name);
INSTANTIATE_TEST_SUITE_P(Parallel, Campaign,
                         testing::ValuesIn<std::uint64_t>({28, 34, 36, 37, 38, 40, 47, 53,  55,  62,
                                                           63, 67, 69, 72, 77, 79, 82, 102, 103, 119}),
                         seed_name);
INSTANTIATE_TEST_SUITE_P(Overconstrained, Campaign,
                         testing::ValuesIn<std::uint64_t>({12, 16, 23,  42,  48,  50,  51,  65,  70,  87,
                                                           93, 99, 101, 113, 141, 146, 147, 157, 158, 159}),
                         seed_name);
INSTANTIATE_TEST_SUITE_P(Singular, Campaign,
                         testing::ValuesIn<std::uint64_t>({3,  4,  9,  21,  39,  43,  49,  64,  76,  78,
                                                           84, 90, 95, 104, 125, 137, 138, 142, 152, 153}),
                         seed_name);
INSTANTIATE_TEST_SUITE_P(Nested, Campaign, testing::ValuesIn<std::uint64_t>({2,  5,  15, 18, 27, 29, 30, 46, 54, 56,
                                                                             60, 71, 83, 85, 86, 88, 92, 96, 98, 100}),
                         seed_name);

// Start about 1e-9 from a singular position, where each formulation used to decide by itself what counts.
INSTANTIATE_TEST_SUITE_P(InDoubt, Campaign, testing::Values(2107, 300123, 300273, 400133, 400259), seed_name);

// At rest next to a position where several branches meet: the usual rank is found farther away.
INSTANTIATE_TEST_SUITE_P(BranchesMeet, Campaign, testing::Values(2260, 500042), seed_name);

// A rod of a gram that spins between bodies of ten tonnes, thirty metres from where its segment begins.
INSTANTIATE_TEST_SUITE_P(FarFromTheirBase, Campaign, testing::Values(102842), seed_name);

// Answers short of digits, where the last formulation asked has none: refinement of the others leads to the right one.
// In a tree, of what the sums over it lose.
INSTANTIATE_TEST_SUITE_P(ShortOfDigits, Campaign, testing::Values(702188, 702343, 702424), seed_name);

// Massless bodies whose neighbours take their inertia bit by bit: what was left of it passed by rounding. Where it did
// not pass at the end of a step, the step left loops open, and linearly_implicit diverged.
INSTANTIATE_TEST_SUITE_P(Massless, Campaign, testing::Values(500117, 5000512), seed_name);

// Starts whose generic rank is not known, and steps too long for multi-step methods.
INSTANTIATE_TEST_SUITE_P(RankUnknown, Campaign, testing::Values(1008), seed_name);
INSTANTIATE_TEST_SUITE_P(LongSteps, Campaign, testing::Values(500050), seed_name);

// Grams and millimetres beside springs of megajoules and bodies of tonnes: what loop constraints carry moved the light
// links by the rounding of the directions in which they may move.
INSTANTIATE_TEST_SUITE_P(CarriedForces, Campaign, testing::Values(801417), seed_name);
TEST(CarriedForces, AreNoPartOfWhatMovesALightLink) {
  JudgeOptions options;
  options.motion = false;  // it stops at once: too stiff

  const Judgement judgement = judge(draw_mechanism(800209), options);

  EXPECT_TRUE(judgement.findings.empty()) << judgement.findings.front().method << judgement.findings.front().text;
  for (const MethodVerdict& method : judgement.methods) EXPECT_LT(method.ratio, 0.1) << method.method;
}

// Starts 1e-10 to 9e-7 from singular, from which formulations went on in different ways: all refuse alike.
INSTANTIATE_TEST_SUITE_P(Refused, Campaign,
                         testing::Values(800017, 800289, 800452, 800631, 800689, 801155, 801408, 801593, 801710, 801975,
                                         5000146),
                         seed_name);

// At rest but for 5e-11 J: the energy of a position is known to no more than its rounding.
INSTANTIATE_TEST_SUITE_P(NearlyAtRest, Campaign, testing::Values(5000183), seed_name);

// The first twenty with loops and at most 18 speeds; larger ones take up to a minute.
INSTANTIATE_TEST_SUITE_P(Woven, WovenCampaign,
                         testing::ValuesIn<std::uint64_t>({5,  8,  9,  10, 19, 22, 24, 27, 28, 29,
                                                           30, 31, 35, 39, 40, 41, 43, 44, 45, 49}),
                         seed_name);

}  // namespace
}  // namespace kinloop::adversary
