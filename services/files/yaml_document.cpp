// Owns the reading of YAML (and so JSON) into a YamlNode tree; the one wrapper around libfyaml.
#include "services/files/yaml_document.hpp"

#include <libfyaml.h>

#include <memory>
#include <string_view>
#include <utility>

#include "services/base/diagnostics.hpp"
#include "services/base/text_file.hpp"
#include "services/files/yaml_screen.hpp"
#include "services/files/yaml_tree_builder.hpp"

namespace kinloop {
namespace {

using Progress = YamlTreeBuilder::Progress;

struct Destroy {
  void operator()(fy_parser* parser) const noexcept { fy_parser_destroy(parser); }
  void operator()(fy_token_iter* iterator) const noexcept { fy_token_iter_destroy(iterator); }
  void operator()(fy_diag* diag) const noexcept { fy_diag_destroy(diag); }
};

using ParserHandle = std::unique_ptr<fy_parser, Destroy>;
using DiagHandle = std::unique_ptr<fy_diag, Destroy>;

// An object of the library that collects errors and prints nothing.
DiagHandle make_silent_diag() {
  fy_diag_cfg config{};
  fy_diag_cfg_default(&config);
  config.fp = nullptr;
  config.output_fn = nullptr;
  config.level = FYET_ERROR;
  DiagHandle diag(fy_diag_create(&config));
  if (diag) fy_diag_set_collect_errors(diag.get(), true);
  return diag;
}

ParserHandle make_parser(fy_diag* diag) {
  fy_parse_cfg config{};
  config.flags = static_cast<fy_parse_cfg_flags>(FYPCF_QUIET | FYPCF_DEFAULT_VERSION_1_2 | FYPCF_JSON_NONE |
                                                 FYPCF_SLOPPY_FLOW_INDENTATION);
  config.diag = diag;
  return ParserHandle(fy_parser_create(&config));
}

SourcePosition position_of(const fy_mark* mark) {
  return mark == nullptr ? SourcePosition{} : SourcePosition{mark->line + 1, mark->column + 1};
}

// In libfyaml 0.7.12 fy_token_get_text leaks when the text has many pieces and fy_token_iter_read mixes them up;
// the iterator by characters does neither, but must not be asked about an empty token.
std::string text_of(fy_token* token) {
  std::string text;
  const fy_mark* start = fy_token_start_mark(token);
  const fy_mark* end = fy_token_end_mark(token);
  if (start == nullptr || end == nullptr || start->input_pos == end->input_pos) return text;
  const std::unique_ptr<fy_token_iter, Destroy> iterator(fy_token_iter_create(token));
  if (!iterator) return text;
  while (true) {
    const int c = fy_token_iter_getc(iterator.get());
    if (c < 0) return text;
    text += static_cast<char>(c);
  }
}

YamlNode scalar_node(fy_token* token) {
  YamlNode node;
  node.text = text_of(token);
  const fy_scalar_style style = fy_token_scalar_style(token);
  const fy_mark* start = fy_token_start_mark(token);
  const fy_mark* end = fy_token_end_mark(token);
  node.quoted = style != FYSS_PLAIN && style != FYSS_ANY;
  node.position = position_of(start);
  if (start != nullptr && end != nullptr) {
    node.verbatim = start->line == end->line && end->input_pos - start->input_pos == node.text.size();
  }
  // The library's mark of a quoted scalar stands behind the quote.
  if (style == FYSS_SINGLE_QUOTED || style == FYSS_DOUBLE_QUOTED) --node.position.column;

  const bool says_null = node.text.empty() || node.text == "null" || node.text == "~";
  node.kind = says_null && !node.quoted ? YamlNode::Kind::kNull : YamlNode::Kind::kScalar;
  return node;
}

YamlNode container_node(YamlNode::Kind kind, fy_event* event) {
  YamlNode node;
  node.kind = kind;
  node.position = position_of(fy_event_start_mark(event));
  return node;
}

// Anchors and tags are refused: with them one short file could grow without bound or mean something else.
bool refuse_properties(fy_token* anchor, fy_token* tag, Diagnostics& diagnostics) {
  if (anchor != nullptr) {
    diagnostics.add(position_of(fy_token_start_mark(anchor)), "", "anchors are not supported; use parameters");
  }
  if (tag != nullptr) diagnostics.add(position_of(fy_token_start_mark(tag)), "", "tags are not supported");
  return anchor != nullptr || tag != nullptr;
}

Progress take_event(fy_event* event, YamlTreeBuilder& builder, Diagnostics& diagnostics) {
  switch (event->type) {
    case FYET_DOCUMENT_START:
      if (!builder.has_root()) return Progress::kGoOn;
      diagnostics.add(position_of(fy_event_start_mark(event)), "", "a second document starts; a file holds only one");
      return Progress::kStop;
    case FYET_SCALAR:
      if (refuse_properties(event->scalar.anchor, event->scalar.tag, diagnostics)) return Progress::kStop;
      return builder.add_leaf(scalar_node(event->scalar.value));
    case FYET_SEQUENCE_START:
      if (refuse_properties(event->sequence_start.anchor, event->sequence_start.tag, diagnostics)) {
        return Progress::kStop;
      }
      return builder.open(container_node(YamlNode::Kind::kSequence, event));
    case FYET_MAPPING_START:
      if (refuse_properties(event->mapping_start.anchor, event->mapping_start.tag, diagnostics)) {
        return Progress::kStop;
      }
      return builder.open(container_node(YamlNode::Kind::kMapping, event));
    case FYET_SEQUENCE_END:
    case FYET_MAPPING_END:
      return builder.close();
    case FYET_ALIAS:
      diagnostics.add(position_of(fy_event_start_mark(event)), "",
                      "aliases are not supported; use parameters, and quote text that starts with '*'");
      return Progress::kStop;
    default:
      return Progress::kGoOn;
  }
}

void report_syntax_errors(fy_diag* diag, const YamlTreeBuilder& builder, Diagnostics& diagnostics) {
  void* iterator = nullptr;
  const std::size_t before = diagnostics.count();
  while (const fy_diag_error* error = fy_diag_errors_iterate(diag, &iterator)) {
    std::string what = error->msg == nullptr ? "syntax error" : error->msg;
    // The library notices a missing bracket at the end of the file, far from where it was opened.
    if (what.find("without a closing") != std::string::npos && builder.open_position()) {
      what += ", opened on line " + std::to_string(builder.open_position()->line);
    }
    diagnostics.add({error->line, error->column}, "", std::move(what));
  }
  if (diagnostics.count() == before) diagnostics.add({}, "", "the file is not valid YAML");
}

void parse_into(const std::string& text, YamlTreeBuilder& builder, Diagnostics& diagnostics) {
  const DiagHandle diag = make_silent_diag();
  const ParserHandle parser = diag ? make_parser(diag.get()) : nullptr;
  if (!parser || fy_parser_set_string(parser.get(), text.data(), text.size()) != 0) {
    diagnostics.add({}, "", "cannot start the YAML parser");
    return;
  }
  Progress progress = Progress::kGoOn;
  while (progress == Progress::kGoOn) {
    fy_event* event = fy_parser_parse(parser.get());
    if (event == nullptr) break;
    progress = take_event(event, builder, diagnostics);
    fy_parser_event_free(parser.get(), event);
  }
  if (progress == Progress::kGoOn && fy_parser_get_stream_error(parser.get())) {
    report_syntax_errors(diag.get(), builder, diagnostics);
  }
}

}  // namespace

Result<YamlDocument, std::vector<Error>> parse_yaml(const std::string& text, const std::string& file_name) {
  Diagnostics diagnostics(file_name);
  if (text.size() > kMaxYamlBytes) {
    diagnostics.add({}, "", "the file is larger than " + std::to_string(kMaxYamlBytes >> 20U) + " MiB");
    return diagnostics.errors();
  }
  const std::string clean = screen_yaml_text(text, diagnostics);
  if (!diagnostics.empty()) return diagnostics.errors();

  YamlTreeBuilder builder(diagnostics);
  parse_into(clean, builder, diagnostics);
  YamlNode root = builder.take_root();
  if (diagnostics.empty() && root.is_null()) diagnostics.add({1, 1}, "", "the file is empty");
  if (!diagnostics.empty()) return diagnostics.errors();
  return YamlDocument{file_name, std::move(root)};
}

Result<YamlDocument, std::vector<Error>> read_yaml_file(const std::filesystem::path& path) {
  const Result<std::string> text = read_text_file(path, kMaxYamlBytes);
  if (!text) return std::vector<Error>{text.error()};
  return parse_yaml(*text, path.string());
}

}  // namespace kinloop
