// Owns the reading of a whole text file.
#include "services/base/text_file.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>

#include "services/base/error_text.hpp"

namespace kinloop {
Result<std::string> read_text_file(const std::filesystem::path& path, std::size_t max_bytes) {
  struct Close {
    void operator()(std::FILE* file) const noexcept { std::fclose(file); }
  };
  errno = 0;
  const std::unique_ptr<std::FILE, Close> file(std::fopen(path.c_str(), "rb"));
  if (!file) return Error{path.string(), "cannot open the file: " + host::error_text()};

  std::string text;
  std::array<char, 65536> chunk{};
  // The size is bounded while reading, since a pipe or a device does not tell it beforehand.
  while (text.size() <= max_bytes) {
    const std::size_t count = std::fread(chunk.data(), 1, chunk.size(), file.get());
    text.append(chunk.data(), count);
    if (count < chunk.size()) break;
  }
  if (std::ferror(file.get()) != 0) return Error{path.string(), "cannot read the file: " + host::error_text()};
  if (text.size() > max_bytes) {
    return Error{path.string(), "the file is larger than " + std::to_string(max_bytes >> 20U) + " MiB"};
  }
  return text;
}

}  // namespace kinloop
