// Owns WelcomeMessage: a Welcome and the room for both descriptors beside it, as sendmsg() and recvmsg() take them.
#pragma once

#include <sys/socket.h>
#include <sys/uio.h>
#include <kinloop/client/lane.hpp>

#include <array>

namespace kinloop::client::lane {

using Descriptors = std::array<int, 2>;  // of CommandMemory and FrameMemory

struct WelcomeMessage {
  WelcomeMessage() noexcept {
    message.msg_iov = &bytes;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
  }
  WelcomeMessage(const WelcomeMessage&) = delete;  // it points into itself
  WelcomeMessage& operator=(const WelcomeMessage&) = delete;

  Welcome welcome;
  iovec bytes{&welcome, sizeof welcome};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(Descriptors))> control{};
  msghdr message{};
};

}  // namespace kinloop::client::lane
