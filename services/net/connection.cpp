// The descriptor's inode, then and now.
#include "services/net/connection.hpp"

#include <sys/stat.h>

namespace kinloop::net {
namespace {

ino_t inode_of(int descriptor) noexcept {
  struct stat status {};
  return ::fstat(descriptor, &status) == 0 && S_ISSOCK(status.st_mode) ? status.st_ino : 0;
}

}  // namespace

bool Connection::is_open() const noexcept { return is_known() && inode != 0 && inode_of(descriptor) == inode; }

Connection connection_of(const zmq::message_t& message) noexcept {
  const int descriptor = zmq_msg_get(message.handle(), ZMQ_SRCFD);
  if (descriptor < 0) return {};
  return {descriptor, inode_of(descriptor)};
}

}  // namespace kinloop::net
