// Owns the text that Prometheus reads.
#pragma once

#include <kinloop/v1/describe.pb.h>
#include <kinloop/v1/event.pb.h>
#include <kinloop/v1/frames.pb.h>

#include <string>

namespace kinloop::gateway {

/// What is known of a plant when somebody asks.
struct MetricFacts {
  const v1::Description& description;
  const v1::Status& status;
  const v1::Timing& timing;
  const v1::Motion& motion;
  std::string overrun_policy;  // of the rig
  int pages = 0;               // that are connected
};

std::string metrics_text(const MetricFacts& facts);

}  // namespace kinloop::gateway
