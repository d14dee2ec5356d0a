// Owns what each role may ask of a plant, and who sent a message.
#pragma once

#include <kinloop/v1/control.pb.h>

#include <optional>
#include <zmq.hpp>

#include "services/security/role.hpp"

namespace kinloop::security {

using Verb = v1::ControlRequest::VerbCase;

/// The least role that may ask for it; nothing for a number that is no verb, or one whose role control.proto does not
/// say. A request without a verb is everybody's: it does nothing, and its sender should be told what is wrong with it.
std::optional<Role> least_role(Verb verb);
bool permits(Role role, Verb verb);
/// Frames on the socket "actuators".
bool permits_commands(Role role) noexcept;

/// From the metadata that the connection's handshake left. No "User-Id": the socket asks for no key, and who reaches it
/// is an admin. One that makes no sense was invented by the peer of such a socket: an observer without a name.
Caller caller_of(const zmq::message_t& message);

}  // namespace kinloop::security
