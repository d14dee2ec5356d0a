// Owns the reading of rig files (docs/rig-format.md) and of the models that they name.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.hpp"
#include "services/files/load_model.hpp"
#include "services/rig/rig_spec.hpp"

namespace kinloop {

struct LoadedRig {
  RigSpec spec;
  LoadedModel model;
  std::vector<Error> warnings;  // about the rig; those about the model are with it
};

struct ReadRig {
  RigSpec spec;
  std::vector<Error> warnings;
};

/// Reads and checks a rig and the model it names, whose path counts from the rig's folder. Every error is
/// "file:line:column: field: what"; those of the model's own file come last.
/// `parameters` of the model go before those that the rig sets. Files of runs may have former keys in any case.
Result<LoadedRig, std::vector<Error>> load_rig(const std::filesystem::path& path,
                                               const std::vector<ParameterSetting>& parameters = {},
                                               FormerKeys former_keys = FormerKeys::kRefused);
/// The same for a text that is not, or not yet, in the file of that name.
Result<LoadedRig, std::vector<Error>> load_rig_text(const std::string& text, const std::string& file_name);

/// Checks a rig against a model that is there already, whatever file the rig names; no file is opened.
Result<ReadRig, std::vector<Error>> read_rig_text(const std::string& text, const std::string& file_name,
                                                  const Model& model);

}  // namespace kinloop
