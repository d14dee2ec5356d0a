// Tests that the schema and the documentation of rig files say what the tables of keys do. Where they do not,
// KINLOOP_WRITE_DOCS=1 build/bin/services_tests --gtest_filter='RigReference.*' writes them.
#include "tests/services/rig/rig_reference.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "services/base/text_file.hpp"
#include "services/files/yaml_document.hpp"
#include "services/rig/rig_tables.hpp"
#include "tests/support/error_text.hpp"

namespace kinloop {
namespace {

void expect_file(const std::string& name, const std::string& expected, const std::string& present) {
  if (std::getenv("KINLOOP_WRITE_DOCS") != nullptr) {  // NOLINT: one thread
    std::ofstream(std::string(KINLOOP_SOURCE_DIR) + "/" + name) << expected;
    return;
  }
  EXPECT_TRUE(present == expected) << name << " is stale: KINLOOP_WRITE_DOCS=1 build/bin/services_tests "
                                   << "--gtest_filter='RigReference.*' writes it";
}

std::string text_of(const std::string& name) {
  constexpr std::size_t kMaxBytes = 1 << 20;
  return read_text_file(std::string(KINLOOP_SOURCE_DIR) + "/" + name, kMaxBytes).value();
}

TEST(RigReference, TheSchemaIsThatOfTheTables) {
  expect_file("docs/rig.schema.json", test::rig_schema(), text_of("docs/rig.schema.json"));
}

TEST(RigReference, ThePageIsThatOfTheTables) {
  const std::string page = text_of("docs/rig-format.md");

  const std::string expected = test::with_key_tables(page);

  ASSERT_TRUE(expected.starts_with("# Rig files")) << expected;
  expect_file("docs/rig-format.md", expected, page);
}

/// Keys whose default, written out, would be read as something else than its absence, or not at all.
template <class Spec>
std::vector<std::string> false_defaults(const RigFields<Spec>& table) {
  std::vector<std::string> wrong;
  for (const RigField<Spec>& field : table) {
    if (field.fallback.kind != Default::Kind::kValue || !field.read) continue;
    const auto document = parse_yaml(std::string(field.name) + ": " + std::string(field.fallback.text) + "\n", "it");
    if (!document) return {"no YAML: " + std::string(field.name)};
    Diagnostics diagnostics("it");
    const ParameterScope none;
    Fields fields(document->root, "", diagnostics, none);
    RigScope scope;
    scope.dt_s = 1e-3;
    Spec absent{};
    Spec given{};

    field.read({fields, field.name, false, scope}, given);

    field.compare(absent, given, "", wrong);
    if (!diagnostics.empty()) wrong.push_back(to_text(diagnostics.errors()));
  }
  return wrong;
}

TEST(RigReference, DefaultsAreTheProgramsOwn) {
  const std::vector<std::string> none;
  EXPECT_EQ(false_defaults(rig_fields()), none);
  EXPECT_EQ(false_defaults(solver_fields()), none);
  EXPECT_EQ(false_defaults(overrun_fields()), none);
  EXPECT_EQ(false_defaults(watchdog_fields()), none);
  EXPECT_EQ(false_defaults(frames_fields()), none);
  EXPECT_EQ(false_defaults(pump_fields()), none);
  EXPECT_EQ(false_defaults(actuator_fields()), none);
  EXPECT_EQ(false_defaults(dc_motor_fields()), none);
  EXPECT_EQ(false_defaults(cylinder_fields()), none);
  EXPECT_EQ(false_defaults(command_fields()), none);
  EXPECT_EQ(false_defaults(sensor_fields()), none);
  EXPECT_EQ(false_defaults(udp_fields()), none);
  EXPECT_EQ(false_defaults(playback_fields()), none);
  EXPECT_EQ(false_defaults(stop_input_fields()), none);
  EXPECT_EQ(false_defaults(axis_fields()), none);
  EXPECT_EQ(false_defaults(action_fields()), none);
}

TEST(RigReference, AnotherDefaultIsFound) {
  RigFields<rt::OverrunSettings> table = overrun_fields();
  for (auto& field : table) {
    if (field.name == "window") field.fallback = "999";
  }

  EXPECT_EQ(false_defaults(table), std::vector<std::string>{"window"});
}

}  // namespace
}  // namespace kinloop
