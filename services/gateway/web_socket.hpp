// Owns one WebSocket of the server: reads messages at a bounded rate, writes through a bounded queue.
#pragma once

#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>
#include <memory>

#include "services/gateway/web_handler.hpp"

namespace kinloop::gateway {

/// The connection lives on by itself until one side ends it. `kept` is held for as long.
void open_web_socket(boost::beast::tcp_stream stream,
                     const boost::beast::http::request<boost::beast::http::string_body>& upgrade,
                     const WebRequest& request, WebHandler& handler, std::shared_ptr<void> kept);

}  // namespace kinloop::gateway
