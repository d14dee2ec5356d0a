// Owns the file by which clients on this host find a plant: docs/service.md.
#pragma once

#include <kinloop/v1/describe.pb.h>

#include <filesystem>
#include <optional>
#include <vector>

#include "core/base/result.hpp"

namespace kinloop::io {

/// "<folder>/endpoints": one "what value" a line.
std::optional<Error> write_endpoints(const std::filesystem::path& folder, std::int64_t pid,
                                     const v1::Description& plant);
/// Nothing where there is no such file.
std::vector<v1::Endpoint> read_endpoints(const std::filesystem::path& folder);

}  // namespace kinloop::io
