// Owns what docs/rig.schema.json and the tables of docs/rig-format.md must say, from the tables of keys.
#pragma once

#include <string>

namespace kinloop::test {

std::string rig_schema();
/// The page with the rows of its tables replaced; each stands between "<!-- keys of NAME -->" and "<!-- end -->".
std::string with_key_tables(const std::string& page);

}  // namespace kinloop::test
