// Owns the writing of YAML line by line.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kinloop {

/// Lines "key: value"; items of lists begin with a dash.
class Lines {
 public:
  void add(std::string_view key, std::string_view value) {
    text_ += std::string(indent_, ' ');
    if (starts_item_) text_.replace(text_.size() - 2, 2, "- ");
    starts_item_ = false;
    text_ += key;
    text_ += ":";
    if (!value.empty()) text_ += " ";
    text_ += value;
    text_ += "\n";
  }
  void open(std::string_view key) {
    add(key, "");
    indent_ += 2;
  }
  void close() { indent_ -= 2; }
  void open_item() {
    indent_ += 2;
    starts_item_ = true;
  }

  const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::size_t indent_ = 0;
  bool starts_item_ = false;
};

/// The shortest text that reads back to the same number, with its unit.
std::string number(double value, std::string_view unit = "");
/// Any text as a double-quoted scalar.
std::string in_double_quotes(std::string_view text);
std::string names(const std::vector<std::string>& list);
std::string_view yes_or_no(bool yes);

template <class Spec, class Write>
void write_list(std::string_view key, const std::vector<Spec>& specs, Lines& lines, Write write) {
  if (specs.empty()) return;
  lines.open(key);
  for (std::size_t i = 0; i < specs.size(); ++i) {
    lines.open_item();
    write(i);
    lines.close();
  }
  lines.close();
}

}  // namespace kinloop
