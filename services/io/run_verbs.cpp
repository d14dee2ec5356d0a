// Pausing, stepping, resetting, records.
#include "services/io/run_verbs.hpp"

namespace kinloop::io {
namespace {

constexpr double kPatienceWithSteps_s = 600.0;
constexpr std::uint64_t kMaxRunSteps = 10'000'000;
constexpr std::size_t kLongestNote = 4096;

}  // namespace

void RunVerbs::list(VerbTable& verbs) {
  const auto ask_for = [this](rt::RequestKind kind) {
    return [this, kind](const CallPtr& call) { ask_plant(call, kind); };
  };
  verbs.add(Request::kStart, ask_for(rt::RequestKind::kResume));
  verbs.add(Request::kResume, ask_for(rt::RequestKind::kResume));
  verbs.add(Request::kPause, ask_for(rt::RequestKind::kPause));
  verbs.add(Request::kStep, this, &RunVerbs::step);
  verbs.add(Request::kReset, this, &RunVerbs::reset);
  verbs.add(Request::kRecord, this, &RunVerbs::record);
  verbs.add(Request::kNote, this, &RunVerbs::note);
  verbs.add(Request::kShutdown, ask_for(rt::RequestKind::kStop));
}

void RunVerbs::step(const CallPtr& call) {
  rt::Request request;
  request.kind = rt::RequestKind::kStep;
  request.number = call->request.step().steps();
  if (request.number == 0 || request.number > kMaxRunSteps) {
    return refuse(call, v1::ERROR_CODE_INVALID, "1 to 10 million steps at a time", "steps");
  }
  ask_plant(call, request, kPatienceWithSteps_s);
}

void RunVerbs::reset(const CallPtr& call) {
  rt::Request request;
  request.kind = rt::RequestKind::kReset;
  request.number = parts_.recorder.add_reset();
  ask_plant(call, request);
}

void RunVerbs::record(const CallPtr& call) {
  const v1::RecordRequest& request = call->request.record();
  const auto answer = [this, call](const Result<RecordReport>& report) {
    if (!report) return refuse(call, v1::ERROR_CODE_NOT_NOW, report.error().what, "name");
    v1::RecordReply& reply = *call->reply.mutable_record();
    reply.set_file(report->file);
    reply.set_steps(report->steps);
    reply.set_dropped(report->dropped);
    finish(call);
  };
  if (request.stop()) return parts_.recorder.stop(call->now_ns, answer);
  parts_.recorder.start(request.name(), call->now_ns, answer);
}

void RunVerbs::note(const CallPtr& call) {
  const std::string& text = call->request.note().text();
  if (text.empty() || text.size() > kLongestNote) {
    return refuse(call, v1::ERROR_CODE_INVALID, "a note has 1 to 4096 bytes", "text");
  }
  parts_.tell("note", 0, 0, text);
  call->reply.mutable_done();
  finish(call);
}

}  // namespace kinloop::io
