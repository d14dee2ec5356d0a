// As much of HTTP as a stop needs: one request a connection, its head alone, and CORS for the page's origin.
#include <cctype>

#include "services/run/stop_protocol.hpp"

namespace kinloop::run {
namespace {

constexpr std::size_t kMaxHead = 8192;
constexpr std::string_view kHeadEnd = "\r\n\r\n";

std::string_view without_spaces(std::string_view text) {
  while (text.starts_with(' ') || text.starts_with('\t')) text.remove_prefix(1);
  while (text.ends_with(' ') || text.ends_with('\t')) text.remove_suffix(1);
  return text;
}

bool is_name(std::string_view text, std::string_view lower_case) {
  if (text.size() != lower_case.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (std::tolower(static_cast<unsigned char>(text[i])) != lower_case[i]) return false;
  }
  return true;
}

/// Nothing where it is no HTTP.
std::optional<gateway::WebRequest> read_head(std::string_view head) {
  gateway::WebRequest request;
  std::size_t line_end = head.find("\r\n");
  const std::string_view first = head.substr(0, line_end);
  const std::size_t method_end = first.find(' ');
  const std::size_t target_end = first.rfind(' ');
  if (method_end == std::string_view::npos || target_end == method_end) return std::nullopt;
  if (!first.substr(target_end + 1).starts_with("HTTP/1.")) return std::nullopt;
  request.method = first.substr(0, method_end);
  const std::string_view target = first.substr(method_end + 1, target_end - method_end - 1);
  request.path = target.substr(0, target.find('?'));
  while (line_end != std::string_view::npos && line_end + 2 < head.size()) {
    head.remove_prefix(line_end + 2);
    line_end = head.find("\r\n");
    const std::string_view line = head.substr(0, line_end);
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) break;
    const std::string_view name = line.substr(0, colon);
    const std::string_view value = without_spaces(line.substr(colon + 1));
    if (is_name(name, "host")) request.host = value;
    if (is_name(name, "origin")) request.origin = value;
    if (is_name(name, "authorization")) request.token = gateway::bearer_token(value);
  }
  return request;
}

/// `origin` was permitted, or is empty.
std::string reply(std::string_view status, std::string_view origin, const std::string& body) {
  std::string text = "HTTP/1.1 " + std::string(status) +
                     "\r\nConnection: close\r\nCache-Control: no-store\r\nContent-Type: application/json\r\n"
                     "Content-Length: " +
                     std::to_string(body.size()) + "\r\n";
  if (!origin.empty()) {
    text += "Access-Control-Allow-Origin: " + std::string(origin) +
            "\r\nAccess-Control-Allow-Methods: POST\r\nAccess-Control-Allow-Headers: Authorization\r\n"
            "Access-Control-Max-Age: 7200\r\nVary: Origin\r\n";
  }
  return text + "\r\n" + body;
}

/// `why` has no quotes.
std::string failure(std::string_view status, std::string_view origin, std::string_view why) {
  return reply(status, origin, "{\"error\": \"" + std::string(why) + "\"}\n");
}

class StopByHttp final : public StopProtocol {
 public:
  StopByHttp(gateway::Access access, const std::atomic<std::uint16_t>& page_port)
      : access_(std::move(access)), page_port_(page_port) {}

  bool lets_in(int /*socket*/) const override { return true; }

  StopWish read(std::string_view said) const override {
    using Kind = StopWish::Kind;
    const std::size_t end = said.substr(0, kMaxHead).find(kHeadEnd);
    if (end == std::string_view::npos) {
      if (said.size() < kMaxHead) return {};
      return {Kind::kOther, failure("431 Request Header Fields Too Large", "", "the head is too long")};
    }
    const auto request = read_head(said.substr(0, end));
    if (!request) return {Kind::kOther, failure("400 Bad Request", "", "this is no HTTP/1.1")};
    if (!access_.permits_origin_beside(*request, page_port_.load(std::memory_order_relaxed))) {
      return {Kind::kOther, failure("403 Forbidden", "", "it is not of this site")};
    }
    if (request->path != "/stop") return {Kind::kOther, failure("404 Not Found", request->origin, "POST /stop")};
    if (request->method == "OPTIONS") return {Kind::kOther, reply("204 No Content", request->origin, "")};
    if (request->method != "POST") {
      return {Kind::kOther, failure("405 Method Not Allowed", request->origin, "POST /stop")};
    }
    if (!access_.caller_of(*request)) {
      return {Kind::kOther, failure("401 Unauthorized", request->origin, "Authorization: Bearer <token>")};
    }
    return {Kind::kStop, {}};
  }

  std::string confirm(std::string_view said, const std::optional<client::StopReceipt>& latched) const override {
    const auto request = read_head(said.substr(0, said.find(kHeadEnd)));
    const std::string origin = request ? request->origin : "";
    if (!latched) return failure("504 Gateway Timeout", origin, "the plant did not latch the stop");
    return reply("200 OK", origin,
                 "{\"latched\": true, \"step\": " + std::to_string(latched->step) +
                     ", \"tick\": " + std::to_string(latched->tick) +
                     ", \"asked_tick\": " + std::to_string(latched->asked_tick) + "}\n");
  }
  std::string_view way() const override { return "HTTP"; }

 private:
  gateway::Access access_;
  const std::atomic<std::uint16_t>& page_port_;
};

}  // namespace

std::unique_ptr<StopProtocol> stop_by_http(gateway::Access access, const std::atomic<std::uint16_t>& page_port) {
  return std::make_unique<StopByHttp>(std::move(access), page_port);
}

}  // namespace kinloop::run
