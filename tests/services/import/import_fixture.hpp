// Owns what the tests of the importers share: files made on the spot, messages without their folder.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.hpp"

namespace kinloop {

/// Writes a file of the running test; `name` may be used again by other tests.
std::filesystem::path write_test_file(const std::string& name, const std::string& text);

/// "file:line:column: name: what" for each, without the folder.
std::vector<std::string> lines_of(const std::vector<Error>& errors);

/// The folder with robots made by others, beside the source tree; it need not exist.
std::filesystem::path shared_models();

}  // namespace kinloop
