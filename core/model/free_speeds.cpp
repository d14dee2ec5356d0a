// Lists the speeds that no motion prescribes.
#include "core/model/free_speeds.hpp"

namespace kinloop {

std::vector<int> free_speeds(const Model& model) {
  std::vector<int> speeds;
  for (int i = 0; i < model.nv(); ++i) {
    if (model.coordinate(i).motion < 0) speeds.push_back(i);
  }
  return speeds;
}

}  // namespace kinloop
