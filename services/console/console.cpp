// Colours, and the shape of messages.
#include "services/console/console.hpp"

#include <unistd.h>

#include <cstdlib>
#include <iostream>

#include "services/base/diagnostics.hpp"
#include "services/console/exit_code.hpp"
#include "services/log/journal_stream.hpp"

namespace kinloop::console {
namespace {

std::string_view escape_of(Style style) noexcept {
  switch (style) {
    case Style::kBold:
      return "\033[1m";
    case Style::kDim:
      return "\033[2m";
    case Style::kGood:
      return "\033[32m";
    case Style::kBad:
      return "\033[1;31m";
    case Style::kWarning:
      return "\033[33m";
  }
  return "";
}

std::string styled(std::string_view text, Style style, bool colours) {
  if (!colours) return std::string(text);
  return std::string(escape_of(style)) + std::string(text) + "\033[0m";
}

bool colours_wanted(int descriptor) {
  const char* no_color = std::getenv("NO_COLOR");  // https://no-color.org: set and not empty
  if (no_color != nullptr && *no_color != '\0') return false;
  const char* term = std::getenv("TERM");
  return isatty(descriptor) == 1 && term != nullptr && std::string_view(term) != "dumb";
}

}  // namespace

std::string Console::on_out(std::string_view text, Style style) const { return styled(text, style, out_colours); }
std::string Console::on_err(std::string_view text, Style style) const { return styled(text, style, err_colours); }

Console terminal_console() {
  return {std::cout,
          std::cerr,
          colours_wanted(STDOUT_FILENO),
          colours_wanted(STDERR_FILENO),
          isatty(STDERR_FILENO) == 1,
          log::is_journal_stream(STDERR_FILENO, std::getenv("JOURNAL_STREAM")),
          STDERR_FILENO,
          STDOUT_FILENO};
}

void print_errors(const Console& console, const std::vector<Error>& errors, std::string_view hint) {
  for (const Error& error : errors) {
    if (console.err_is_journal) console.err << log::journal_prefix(log::Level::kError);
    if (!error.where.empty()) console.err << console.on_err(error.where + ":", Style::kBold) << " ";
    console.err << console.on_err(error.what, Style::kBad) << "\n";
  }
  if (!hint.empty()) console.err << hint << "\n";
}

int refuse(const Error& error, const Console& console) { return refuse_all({error}, console); }

int refuse_all(const std::vector<Error>& errors, const Console& console) {
  print_errors(console, errors, "");
  return kBadInput;
}

void print_warnings(const Console& console, const std::vector<Error>& warnings) {
  for (const Error& warning : warnings) {
    if (console.err_is_journal) console.err << log::journal_prefix(log::Level::kWarning);
    console.err << console.on_err("warning: ", Style::kWarning) << to_line(warning) << "\n";
  }
}

}  // namespace kinloop::console
