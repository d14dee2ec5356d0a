// Bounded in number and in bytes; the oldest answers go first.
#include "services/io/reply_cache.hpp"

#include <kinloop/v1/control.pb.h>

#include <utility>

namespace kinloop::io {

ReplyCache::Found ReplyCache::look_up(const RequestId& id, std::uint64_t hash, const Envelope& from) {
  if (!id.is_numbered()) return Found::kNew;
  const auto [found, is_new] = entries_.try_emplace(id);
  Entry& entry = found->second;
  if (is_new) {
    entry.hash = hash;
    return Found::kNew;
  }
  if (entry.hash != hash) return Found::kOther;
  if (entry.answer) return Found::kAnswered;
  if (entry.waiting.size() < kMaxWaiting) entry.waiting.push_back(from);
  return Found::kUnderWay;
}

Answer ReplyCache::answer_to(const RequestId& id) const {
  // Messages of protobuf that stand behind each other are read as one.
  v1::ControlReply mark;
  mark.set_repeated_answer(true);
  std::string bytes = mark.SerializeAsString();
  const auto found = entries_.find(id);
  if (found != entries_.end() && found->second.answer) bytes.insert(0, *found->second.answer);
  return std::make_shared<const std::string>(std::move(bytes));
}

std::vector<Envelope> ReplyCache::keep(const RequestId& id, Answer answer) {
  const auto found = entries_.find(id);
  if (found == entries_.end() || found->second.answer) return {};
  Entry& entry = found->second;
  bytes_ += answer->size();
  entry.answer = std::move(answer);
  answered_.push_back(id);
  std::vector<Envelope> waiting = std::move(entry.waiting);
  forget_old();
  return waiting;
}

void ReplyCache::forget_old() {
  while (answered_.size() > kMax || (bytes_ > kMaxBytes && answered_.size() > 1)) {
    const auto oldest = entries_.find(answered_.front());
    bytes_ -= oldest->second.answer->size();
    entries_.erase(oldest);
    answered_.pop_front();
  }
}

}  // namespace kinloop::io
