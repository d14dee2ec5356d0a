// Owns Line: a line on the terminal of pieces with styles, cut at the window's edge.
#pragma once

#include <algorithm>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>

#include "services/base/utf8.hpp"
#include "services/cli/plant_text.hpp"
#include "services/console/console.hpp"

namespace kinloop::cli {

class Line {
 public:
  Line(int columns, const console::Console& paint)
      : left_(static_cast<std::size_t>(std::max(columns, 0))), paint_(&paint) {}

  Line& add(const std::string& text, std::optional<console::Style> style = std::nullopt) {
    const std::string clean = printable(text);
    const std::string_view shown = first_characters(clean, left_);
    left_ -= character_count(shown);
    text_ += style && !shown.empty() ? paint_->on_out(shown, *style) : std::string(shown);
    return *this;
  }
  /// In a column of that width; longer texts are cut.
  Line& add_left(const std::string& text, std::size_t width, std::optional<console::Style> style = std::nullopt) {
    const std::string cut(first_characters(text, width));
    return add(cut, style).add(std::string(width - character_count(cut), ' '));
  }
  Line& add_right(const std::string& text, std::size_t width, std::optional<console::Style> style = std::nullopt) {
    const std::string cut(first_characters(text, width));
    return add(std::string(width - character_count(cut), ' ')).add(cut, style);
  }

  const std::string& text() const noexcept { return text_; }

 private:
  std::size_t left_;
  const console::Console* paint_;
  std::string text_;
};

}  // namespace kinloop::cli
