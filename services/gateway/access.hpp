// Owns who may come in: which pages may ask, and as whom.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "services/gateway/panel_address.hpp"
#include "services/gateway/tokens.hpp"
#include "services/gateway/web_handler.hpp"

namespace kinloop::gateway {

class Access {
 public:
  Access(const PanelAddress& address, Tokens tokens) : is_loopback_(address.is_loopback), tokens_(std::move(tokens)) {}

  /// A page of another site, or of another name for this host, may not.
  bool permits_origin(const WebRequest& request) const;
  /// The same of a server beside the page's, on the same host: the page at this port may ask it; 0: no page yet.
  bool permits_origin_beside(const WebRequest& request, std::uint16_t page_port) const;
  /// Without tokens, who reaches a loopback address is an admin; nothing: no token, or a wrong one.
  std::optional<security::Caller> caller_of(const WebRequest& request) const;

 private:
  bool is_loopback_;
  Tokens tokens_;
};

/// Of a header "Authorization: Bearer <token>", what stands behind the colon; empty where it holds none.
std::string bearer_token(std::string_view header);

}  // namespace kinloop::gateway
