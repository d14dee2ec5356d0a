// Owns VerbFamily: what all verbs do, to ask the plant and to answer.
//
// A new verb is a field of ControlRequest with its properties, a method of its family and an entry in the family's
// list().
#pragma once

#include <functional>
#include <span>
#include <string>

#include "services/io/control_parts.hpp"
#include "services/io/replies.hpp"
#include "services/io/verb_table.hpp"

namespace kinloop::io {

class VerbFamily {
 public:
  /// Both must outlive it.
  VerbFamily(const ControlParts& parts, Replies& replies) : parts_(parts), replies_(replies) {}
  VerbFamily(const VerbFamily&) = delete;
  VerbFamily& operator=(const VerbFamily&) = delete;

 protected:
  using Request = v1::ControlRequest;
  /// What to do with a state of the plant.
  using WithState =
      std::function<void(const rt::SnapshotBuffer& buffer, std::span<const double> block, std::uint64_t step)>;

  ~VerbFamily() = default;

  void finish(const CallPtr& call) { replies_.finish(*call); }
  /// With what serialise() made of the call's reply in another thread.
  void finish(const CallPtr& call, const Answer& answer) { replies_.finish(*call, answer); }
  void refuse(const CallPtr& call, v1::ErrorCode code, std::string message, std::string field = "") {
    replies_.refuse(*call, code, std::move(message), std::move(field));
  }
  /// Whether the plant did it; else the call is answered.
  bool judge(const CallPtr& call, const rt::Reply* reply);
  /// The plant's answer is the call's.
  void ask_plant(const CallPtr& call, rt::Request request, double patience_s = PlantChannel::kPatience_s);
  void ask_plant(const CallPtr& call, rt::RequestKind kind);
  /// `use` is called with the plant's present state; the call is answered where there is none.
  void with_state(const CallPtr& call, WithState use);

  const ControlParts& parts_;

 private:
  Replies& replies_;
};

}  // namespace kinloop::io
