// Implements the call of libsdformat.
#include "services/import/sdf_parse.hpp"

#include <exception>
#include <sdf/Console.hh>
#include <sdf/Error.hh>
#include <sdf/ParserConfig.hh>
#include <utility>

#include "services/import/console_capture.hpp"

namespace kinloop {
namespace {

sdf::ParserConfig offline_config() {
  sdf::ParserConfig config;
  config.SetFindCallback([](const std::string&) { return std::string(); });
  config.SetWarningsPolicy(sdf::EnforcementPolicy::LOG);
  config.SetUnrecognizedElementsPolicy(sdf::EnforcementPolicy::LOG);
  config.SetDeprecatedElementsPolicy(sdf::EnforcementPolicy::LOG);
  return config;
}

std::vector<Error> translated(const std::string& file_name, const sdf::Errors& errors) {
  std::vector<Error> out;
  bool has_bad_element = false;
  for (const sdf::Error& error : errors) {
    if (error.Code() == sdf::ErrorCode::LINK_INERTIA_INVALID) continue;
    // Each element around a bad one is reported as bad; the innermost comes first.
    if (error.Code() == sdf::ErrorCode::ELEMENT_INVALID && std::exchange(has_bad_element, true)) continue;
    // This one repeats the whole file, of which only the first line is kept; the ones before it say why.
    if (error.Code() == sdf::ErrorCode::STRING_READ && !out.empty()) continue;
    std::string where = file_name;
    if (error.LineNumber()) where += ":" + std::to_string(*error.LineNumber());
    Error next{std::move(where), "libsdformat refuses it: " + error.Message().substr(0, error.Message().find('\n'))};
    if (out.empty() || out.back() != next) out.push_back(std::move(next));
  }
  return out;
}

}  // namespace

Result<std::unique_ptr<sdf::Root>, std::vector<Error>> parse_sdf(const std::string& file_name,
                                                                 const std::string& text) {
  const ConsoleCapture capture;  // libsdformat tries a file it cannot read as URDF
  try {
    sdf::Console::Instance()->SetQuiet(true);
    auto root = std::make_unique<sdf::Root>();
    std::vector<Error> errors = translated(file_name, root->LoadSdfString(text, offline_config()));
    if (!errors.empty()) return errors;
    return root;
  } catch (const std::exception& exception) {
    return std::vector<Error>{{file_name, std::string("libsdformat refuses it: ") + exception.what()}};
  }
}

}  // namespace kinloop
