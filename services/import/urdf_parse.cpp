// Implements the call of urdfdom.
#include "services/import/urdf_parse.hpp"

#include <urdf_parser/urdf_parser.h>

#include <exception>

#include "services/import/console_capture.hpp"

namespace kinloop {

Result<std::shared_ptr<urdf::ModelInterface>> parse_urdf(const std::string& file_name, const std::string& text) {
  const ConsoleCapture capture;
  try {
    std::shared_ptr<urdf::ModelInterface> model = urdf::parseURDF(text);
    if (model) return model;
    return Error{file_name, "urdfdom refuses it: " + capture.errors()};
  } catch (const std::exception& exception) {
    return Error{file_name, std::string("urdfdom refuses it: ") + exception.what()};
  }
}

}  // namespace kinloop
