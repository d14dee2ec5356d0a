// Implements XmlElement: the one wrapper around TinyXML, which urdfdom itself reads with, so that both see the same
// file.
#include "services/import/xml_element.hpp"

#include <tinyxml.h>

#include "services/import/xml_screen.hpp"

namespace kinloop {
namespace {

SourcePosition position_of(const TiXmlBase& node) { return {node.Row(), node.Column()}; }

// As C strings, as urdfdom takes them: "&#x0;" ends a text for both. Recursion is bounded by kMaxXmlDepth, which the
// screen has checked.
XmlElement converted(const TiXmlElement& source) {
  XmlElement element;
  element.name = source.Value();
  element.position = position_of(source);
  for (const TiXmlAttribute* a = source.FirstAttribute(); a != nullptr; a = a->Next()) {
    element.attributes.push_back({a->Name(), a->Value(), position_of(*a)});
  }
  for (const TiXmlNode* node = source.FirstChild(); node != nullptr; node = node->NextSibling()) {
    if (const TiXmlElement* child = node->ToElement()) element.children.push_back(converted(*child));
    if (const TiXmlText* text = node->ToText()) element.text += text->Value();
  }
  return element;
}

}  // namespace

const XmlAttribute* XmlElement::attribute(std::string_view attribute_name) const noexcept {
  for (const XmlAttribute& a : attributes) {
    if (a.name == attribute_name) return &a;
  }
  return nullptr;
}

const XmlElement* XmlElement::child(std::string_view child_name) const noexcept {
  for (const XmlElement& c : children) {
    if (c.name == child_name) return &c;
  }
  return nullptr;
}

std::string_view XmlElement::title() const noexcept {
  const XmlAttribute* name_attribute = attribute("name");
  return name_attribute == nullptr ? std::string_view{} : std::string_view(name_attribute->value);
}

std::optional<XmlElement> read_xml(const std::string& text, Diagnostics& diagnostics) {
  if (!screen_xml_text(text, diagnostics)) return std::nullopt;
  TiXmlDocument document;
  document.SetTabSize(1);
  document.Parse(text.c_str(), nullptr, TIXML_ENCODING_UTF8);
  const TiXmlElement* root = document.RootElement();
  if (document.Error()) {
    SourcePosition position{document.ErrorRow(), document.ErrorCol()};
    if (position.column <= 0) position = {};
    diagnostics.add(position, "", std::string("is no XML: ") + document.ErrorDesc());
    return std::nullopt;
  }
  if (root == nullptr) {
    diagnostics.add({}, "", "is no XML: it has no element");
    return std::nullopt;
  }
  if (const TiXmlElement* second = root->NextSiblingElement()) {
    diagnostics.add(position_of(*second), "", "is no XML: a second element stands beside the first");
    return std::nullopt;
  }
  return converted(*root);
}

}  // namespace kinloop
