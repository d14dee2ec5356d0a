// Answers, and what is remembered of them.
#include "services/io/replies.hpp"

#include "services/wire/wire_error.hpp"

namespace kinloop::io {

bool Replies::begin(const Call& call) {
  if (call.request.has_emergency_stop()) return true;  // each counts, whatever its number
  switch (answers_.look_up(call.request, call.from)) {
    case ReplyCache::Found::kNew:
      return true;
    case ReplyCache::Found::kUnderWay:
      return false;
    case ReplyCache::Found::kAnswered:
      send_(call.from, answers_.answer_to(call.request));
  }
  return false;
}

void Replies::finish(Call& call) {
  call.reply.set_request_id(call.request.request_id());
  send_(call.from, call.reply);
  if (call.request.has_emergency_stop()) return;  // never answered from memory
  for (const Envelope& other : answers_.keep(call.request, call.reply)) send_(other, call.reply);
}

void Replies::refuse(Call& call, v1::ErrorCode code, std::string message, std::string field) {
  ++refused_;
  *call.reply.mutable_error() = wire::wire_error(code, std::move(message), std::move(field));
  finish(call);
}

void Replies::turn_away(Call& call, v1::ErrorCode code, std::string message, std::string field) {
  ++refused_;
  call.reply.set_request_id(call.request.request_id());
  *call.reply.mutable_error() = wire::wire_error(code, std::move(message), std::move(field));
  send_(call.from, call.reply);
}

}  // namespace kinloop::io
