// Owns the text of a line as people may see it: others write parts of it, and a terminal obeys control characters.
#pragma once

#include <string>
#include <string_view>

namespace kinloop::log {

/// Valid UTF-8 on one line: control characters and bytes that are no UTF-8 become "\x1b".
std::string visible_text(std::string_view text);

/// At most `most` bytes, cut between characters, with "..." where something is missing.
std::string shortened(std::string_view text, std::size_t most);

}  // namespace kinloop::log
