// Owns VerbTable: which function answers which verb.
#pragma once

#include <functional>
#include <map>

#include "services/io/call.hpp"

namespace kinloop::io {

class VerbTable {
 public:
  using Verb = v1::ControlRequest::VerbCase;
  /// Answers the call, now or later.
  using Answer = std::function<void(const CallPtr&)>;

  void add(Verb verb, Answer answer) { answers_[verb] = std::move(answer); }
  template <class Family>
  void add(Verb verb, Family* family, void (Family::*answer)(const CallPtr&)) {
    add(verb, [family, answer](const CallPtr& call) { (family->*answer)(call); });
  }

  /// Null where there is none.
  const Answer* find(Verb verb) const {
    const auto found = answers_.find(verb);
    return found == answers_.end() ? nullptr : &found->second;
  }
  /// Whether every verb of the schema has one.
  bool is_complete() const {
    const google::protobuf::OneofDescriptor& verbs = *v1::ControlRequest::descriptor()->FindOneofByName("verb");
    for (int i = 0; i < verbs.field_count(); ++i) {
      if (!answers_.contains(static_cast<Verb>(verbs.field(i)->number()))) return false;
    }
    return true;
  }

 private:
  std::map<Verb, Answer> answers_;
};

}  // namespace kinloop::io
