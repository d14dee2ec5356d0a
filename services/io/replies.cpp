// Answers, and what is remembered of them.
#include "services/io/replies.hpp"

#include <memory>

#include "services/wire/wire_error.hpp"

namespace kinloop::io {

Answer serialise(Call& call) {
  call.reply.set_request_id(call.request.request_id());
  if (const std::size_t bytes = call.reply.ByteSizeLong(); bytes > kMaxAnswerBytes) {
    *call.reply.mutable_error() = wire::wire_error(
        v1::ERROR_CODE_TOO_LARGE, "the answer would have " + std::to_string(bytes) + " bytes; answers have at most " +
                                      std::to_string(kMaxAnswerBytes));
  }
  return std::make_shared<const std::string>(call.reply.SerializeAsString());
}

bool Replies::begin(Call& call) {
  const RequestId id = call.id();
  switch (answers_.look_up(id, call.hash, call.from)) {
    case ReplyCache::Found::kNew:
      return true;
    case ReplyCache::Found::kUnderWay:
      return false;
    case ReplyCache::Found::kAnswered:
      send_(call.from, answers_.answer_to(id));
      return false;
    case ReplyCache::Found::kOther:
      turn_away(call, v1::ERROR_CODE_NUMBER_USED,
                "this client asked for something else under this number: count on, and ask again", "request_id");
  }
  return false;
}

void Replies::finish(const Call& call, const Answer& answer) {
  send_(call.from, answer);
  for (const Envelope& other : answers_.keep(call.id(), answer)) send_(other, answer);
}

void Replies::refuse(Call& call, v1::ErrorCode code, std::string message, std::string field) {
  ++refused_;
  *call.reply.mutable_error() = wire::wire_error(code, std::move(message), std::move(field));
  finish(call);
}

void Replies::turn_away(Call& call, v1::ErrorCode code, std::string message, std::string field) {
  ++refused_;
  *call.reply.mutable_error() = wire::wire_error(code, std::move(message), std::move(field));
  send_(call.from, serialise(call));
}

}  // namespace kinloop::io
