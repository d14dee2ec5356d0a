// Owns the question whether a stream ends in systemd's journal, and how lines there carry their priority.
#pragma once

#include <string_view>

#include "services/log/level.hpp"

namespace kinloop::log {

/// Whether the descriptor is the stream that $JOURNAL_STREAM names ("device:inode", systemd.exec(5)). The variable
/// alone does not say so: it is inherited by processes whose output goes elsewhere.
bool is_journal_stream(int descriptor, const char* journal_stream) noexcept;

/// "<4>" for a warning: sd-daemon(3).
std::string_view journal_prefix(Level level) noexcept;

}  // namespace kinloop::log
