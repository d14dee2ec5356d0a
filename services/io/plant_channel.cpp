// Sends what waits in order, gives replies to their askers, ends requests whose time is over.
#include "services/io/plant_channel.hpp"

#include <algorithm>
#include <functional>
#include <iterator>

#include "services/io/times.hpp"

namespace kinloop::io {
namespace {

constexpr double kPatienceWithBuilds_s = 30.0;
constexpr double kPatienceWithRoom_s = 0.1;  // a plant that stands makes none
constexpr std::ptrdiff_t kMaxWaitingStops = 64;
constexpr std::size_t kMaxAsked = 64;  // at a time: half of what the queue of replies holds, so that no reply is lost

}  // namespace

bool PlantChannel::uses_buffer(const rt::Request& request) noexcept {
  return request.kind == rt::RequestKind::kSnapshot || request.kind == rt::RequestKind::kRestore;
}

void PlantChannel::ask(rt::Request request, std::int64_t now_ns, Answer answer, double patience_s, Prepare prepare) {
  if (request.id == 0) request.id = ++last_id_;
  std::uint64_t stop_count = 0;
  if (request.kind == rt::RequestKind::kMakeSafe) {  // in force whatever waits
    stop_count = rt::ask_stop(memory_.stops, rt::StopWriter::kIo, memory_.heartbeat.iterations);
    const auto is_stop = [](const Pending& one) { return one.request.kind == rt::RequestKind::kMakeSafe; };
    const auto waiting = std::count_if(waiting_.begin(), waiting_.end(), is_stop);
    // A plant that takes none of them will not take this one either: it is not confirmed, and asked for again.
    if (waiting >= kMaxWaitingStops) return answer(nullptr);
  }
  const bool is_urgent = request.kind == rt::RequestKind::kMakeSafe || request.kind == rt::RequestKind::kStop;
  waiting_.insert(is_urgent ? waiting_.begin() : waiting_.end(),
                  {request, std::move(answer), std::move(prepare), later(now_ns, patience_s),
                   later(now_ns, kPatienceWithRoom_s), stop_count});
  send_waiting();
}

bool PlantChannel::buffer_is_used() const noexcept {
  return std::any_of(asked_.begin(), asked_.end(), [](const auto& one) { return uses_buffer(one.second.request); }) ||
         std::any_of(builds_.begin(), builds_.end(), [](const auto& one) { return one.second.request.state != 0; });
}

bool PlantChannel::build(const std::string& text, std::uint64_t number, std::int64_t now_ns, BuildAnswer answer,
                         BroughtState state) {
  rt::BuildRequest request;
  if (text.size() >= request.text.size()) return false;
  request.id = state.id != 0 ? state.id : ++last_id_;
  request.number = number;
  request.state = state.number;
  std::copy(text.begin(), text.end(), request.text.begin());
  waiting_builds_.push_back(
      {request, std::move(answer), std::move(state.prepare), later(now_ns, kPatienceWithBuilds_s)});
  send_waiting();
  return true;
}

void PlantChannel::send_builds() {
  while (!waiting_builds_.empty()) {
    PendingBuild& next = waiting_builds_.front();
    if (next.request.state != 0 && buffer_is_used()) return;
    if (next.prepare) next.prepare();
    PendingBuild build = std::move(next);
    waiting_builds_.pop_front();
    if (!memory_.builds.push(build.request)) {
      build.answer(nullptr, "the plant is being rebuilt already");
      continue;
    }
    memory_.to_builder.notify();
    builds_.insert_or_assign(build.request.id, std::move(build));
  }
}

void PlantChannel::send_waiting() {
  send_builds();
  bool sent = false;
  for (auto next = waiting_.begin(); next != waiting_.end() && asked_.size() < kMaxAsked;) {
    if (uses_buffer(next->request) && buffer_is_used()) {
      ++next;
      continue;
    }
    if (next->prepare) next->prepare();
    if (!memory_.requests.push(next->request)) break;
    sent = true;
    const std::uint64_t id = next->request.id;
    asked_.insert_or_assign(id, std::move(*next));
    next = waiting_.erase(next);
  }
  if (sent) memory_.to_plant.notify();
}

void PlantChannel::take_replies(std::int64_t now_ns) {
  rt::Reply reply;
  while (memory_.replies.pop(reply)) {
    if (const auto build = builds_.extract(reply.id)) {
      build.mapped().answer(&reply, "");
      continue;
    }
    auto found = asked_.extract(reply.id);
    if (!found) continue;  // an answer that came too late, or to an earlier io
    Pending& pending = found.mapped();
    if (reply.status == rt::ReplyStatus::kFull && now_ns < pending.full_until_ns) {
      waiting_.push_back(std::move(pending));  // there is room after the next step
      continue;
    }
    if (is_latched(pending.stop_count)) {
      pending.answer(&reply);
    } else {
      latching_.emplace_back(std::move(pending), reply);  // in the same iteration of the plant's loop
    }
  }
}

bool PlantChannel::is_latched(std::uint64_t stop_count) const noexcept {
  const rt::StopReceipt& receipt = memory_.stop_receipts[static_cast<std::size_t>(rt::StopWriter::kIo)];
  return receipt.count.load(std::memory_order_acquire) >= stop_count;
}

std::uint64_t PlantChannel::stop_tick() const noexcept {
  return memory_.stop_receipts[static_cast<std::size_t>(rt::StopWriter::kIo)].tick.load(std::memory_order_relaxed);
}

void PlantChannel::answer_latched(std::int64_t now_ns) {
  const auto is_ready = [&](const auto& one) {
    return is_latched(one.first.stop_count) || one.first.until_ns <= now_ns;
  };
  const auto first = std::stable_partition(latching_.begin(), latching_.end(), std::not_fn(is_ready));
  std::vector<std::pair<Pending, rt::Reply>> ready(std::make_move_iterator(first),
                                                   std::make_move_iterator(latching_.end()));
  latching_.erase(first, latching_.end());
  for (auto& [pending, reply] : ready) pending.answer(is_latched(pending.stop_count) ? &reply : nullptr);
}

void PlantChannel::take_refusals() {
  rt::BuildRefusal refusal;
  while (memory_.build_refusals.pop(refusal)) {
    refusal.text.back() = '\0';
    if (refusal.id == kBuildWarning || refusal.id == kBuildRemark) {
      notes_.push_back({refusal.id == kBuildWarning, refusal.text.data()});
      continue;
    }
    const auto build = builds_.extract(refusal.id);
    if (!build) continue;
    build.mapped().answer(nullptr, refusal.text.data());
  }
}

void PlantChannel::give_up(std::int64_t now_ns) {
  std::vector<std::function<void()>> over;  // called once nothing is walked over any more: they may ask again
  for (auto next = asked_.begin(); next != asked_.end();) {
    const auto here = next++;
    if (here->second.until_ns > now_ns) continue;
    over.emplace_back([answer = std::move(here->second.answer)] { answer(nullptr); });
    asked_.erase(here);
  }
  for (auto next = waiting_.begin(); next != waiting_.end();) {
    if (next->until_ns > now_ns) {
      ++next;
      continue;
    }
    over.emplace_back([answer = std::move(next->answer)] { answer(nullptr); });
    next = waiting_.erase(next);
  }
  for (auto next = waiting_builds_.begin(); next != waiting_builds_.end();) {
    if (next->until_ns > now_ns) {
      ++next;
      continue;
    }
    over.emplace_back([answer = std::move(next->answer)] { answer(nullptr, ""); });
    next = waiting_builds_.erase(next);
  }
  for (auto next = builds_.begin(); next != builds_.end();) {
    const auto here = next++;
    if (here->second.until_ns > now_ns) continue;
    over.emplace_back([answer = std::move(here->second.answer)] { answer(nullptr, ""); });
    builds_.erase(here);
  }
  for (const auto& answer : over) answer();
}

void PlantChannel::poll(std::int64_t now_ns) {
  answer_latched(now_ns);
  take_replies(now_ns);
  take_refusals();
  send_waiting();
  give_up(now_ns);
}

}  // namespace kinloop::io
