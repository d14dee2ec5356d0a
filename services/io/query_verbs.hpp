// Owns the verbs that tell of the plant.
#pragma once

#include "services/io/verb_family.hpp"

namespace kinloop::io {

class QueryVerbs : public VerbFamily {
 public:
  using VerbFamily::VerbFamily;
  void list(VerbTable& verbs);

 private:
  void describe(const CallPtr& call);
  void status(const CallPtr& call);
  void timing(const CallPtr& call);
  void subscribe(const CallPtr& call);
};

}  // namespace kinloop::io
