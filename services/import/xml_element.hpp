// Owns XmlElement: an XML file as a plain tree with the place of everything in it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "services/base/diagnostics.hpp"
#include "services/base/source_position.hpp"

namespace kinloop {

struct XmlAttribute {
  std::string name;
  std::string value;
  SourcePosition position;
};

struct XmlElement {
  std::string name;
  std::string text;  // directly inside this element
  SourcePosition position;
  std::vector<XmlAttribute> attributes;
  std::vector<XmlElement> children;

  /// nullptr where there is none; the first where there are several.
  const XmlAttribute* attribute(std::string_view attribute_name) const noexcept;
  const XmlElement* child(std::string_view child_name) const noexcept;
  /// The value of attribute "name", or nothing.
  std::string_view title() const noexcept;
};

/// Reads a whole document; returns its root element, or nothing and at least one error.
/// Refused: text that is not UTF-8 or contains NUL, document type declarations (and with them all entities of one's
/// own), elements nested deeper than kMaxXmlDepth.
std::optional<XmlElement> read_xml(const std::string& text, Diagnostics& diagnostics);

inline constexpr int kMaxXmlDepth = 64;

}  // namespace kinloop
