// Owns the verb `ctl`: a running plant by hand or from scripts.
#pragma once

#include <memory>

#include "services/cli/ctl_session.hpp"
#include "services/cli/job.hpp"

namespace kinloop::cli {

void add_ctl(CLI::App& app, Job& job);

using SharedCtlOptions = std::shared_ptr<CtlOptions>;

/// The verbs of ctl, family by family.
void add_ctl_query(CLI::App& ctl, const SharedCtlOptions& common, Job& job);         // describe status timing plants
void add_ctl_run(CLI::App& ctl, const SharedCtlOptions& common, Job& job);           // start pause resume step ...
void add_ctl_parameters(CLI::App& ctl, const SharedCtlOptions& common, Job& job);    // get set
void add_ctl_states(CLI::App& ctl, const SharedCtlOptions& common, Job& job);        // snapshot restore linearize ...
void add_ctl_disturbances(CLI::App& ctl, const SharedCtlOptions& common, Job& job);  // fault clear override force
void add_ctl_capture(CLI::App& ctl, const SharedCtlOptions& common, Job& job);
void add_ctl_drive(CLI::App& ctl, const SharedCtlOptions& common, Job& job);  // send watch

}  // namespace kinloop::cli
