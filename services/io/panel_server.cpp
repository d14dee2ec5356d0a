// An io that follows one that died may find the address still taken: the rest is served meanwhile.
#include "services/io/panel_server.hpp"

#include <utility>

namespace kinloop::io {

std::vector<Error> PanelServer::open() {
  auto page = open_page(parts_, log_);
  if (page) {
    page_ = std::move(page).value();
    return {};
  }
  if (parts_.is_first()) return page.error();
  taken_address_ = "panel: " + page.error().front().where;
  return {};
}

void PanelServer::try_again(std::int64_t now_ns) {
  constexpr std::int64_t kBetween_ns = 5'000'000'000;  // it takes some milliseconds
  if (taken_address_.empty() || now_ns < next_ns_) return;
  next_ns_ = now_ns + kBetween_ns;
  auto page = open_page(parts_, log_);
  if (!page) return;
  page_ = std::move(page).value();
  parts_.events.endpoint_is_up(std::exchange(taken_address_, ""));
}

}  // namespace kinloop::io
