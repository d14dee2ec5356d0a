// Bounded in number and in bytes; the oldest answers go first.
#include "services/io/reply_cache.hpp"

namespace kinloop::io {
namespace {

bool is_numbered(const v1::ControlRequest& request) { return request.request_id() != 0 && request.client() != 0; }

}  // namespace

ReplyCache::Found ReplyCache::look_up(const v1::ControlRequest& request, const Envelope& from) {
  if (!is_numbered(request)) return Found::kNew;
  const Key key{request.client(), request.request_id()};
  const auto [entry, is_new] = entries_.try_emplace(key);
  if (is_new) return Found::kNew;
  if (entry->second.reply) return Found::kAnswered;
  if (entry->second.waiting.size() < kMaxWaiting) entry->second.waiting.push_back(from);
  return Found::kUnderWay;
}

v1::ControlReply ReplyCache::answer_to(const v1::ControlRequest& request) const {
  v1::ControlReply reply;
  const auto entry = entries_.find({request.client(), request.request_id()});
  if (entry != entries_.end() && entry->second.reply) reply.ParseFromString(*entry->second.reply);
  reply.set_repeated_answer(true);
  return reply;
}

std::vector<Envelope> ReplyCache::keep(const v1::ControlRequest& request, const v1::ControlReply& reply) {
  if (!is_numbered(request)) return {};
  const Key key{request.client(), request.request_id()};
  Entry& entry = entries_[key];
  entry.reply = reply.SerializeAsString();
  bytes_ += entry.reply->size();
  answered_.push_back(key);
  std::vector<Envelope> waiting = std::move(entry.waiting);
  forget_old();
  return waiting;
}

void ReplyCache::forget_old() {
  while (answered_.size() > kMax || (bytes_ > kMaxBytes && answered_.size() > 1)) {
    const auto oldest = entries_.find(answered_.front());
    if (oldest != entries_.end() && oldest->second.reply) {
      bytes_ -= oldest->second.reply->size();
      entries_.erase(oldest);
    }
    answered_.pop_front();
  }
}

}  // namespace kinloop::io
