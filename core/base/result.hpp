// Owns Result<T>: a value or the reason why there is none, with the member names of std::expected.
#pragma once

#include <string>
#include <utility>
#include <variant>

#include "core/base/require.hpp"

namespace kinloop {

/// For who answers differently to them: interfaces with exceptions or codes of their own.
enum class ErrorKind { kInvalid, kUnknownName };

/// What is wrong, and where: a field path ("bodies[2].mass"), a file position or a name.
struct Error {
  std::string where;
  std::string what;
  ErrorKind kind = ErrorKind::kInvalid;

  friend bool operator==(const Error&, const Error&) = default;
};

template <class T, class E = Error>
class [[nodiscard]] Result {
 public:
  Result(T value) : content_(std::in_place_index<0>, std::move(value)) {}  // NOLINT: implicit by design
  Result(E error) : content_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: implicit by design

  bool has_value() const noexcept { return content_.index() == 0; }
  explicit operator bool() const noexcept { return has_value(); }

  T& value() & noexcept {
    require(has_value(), "Result holds a value");
    return *std::get_if<0>(&content_);
  }
  const T& value() const& noexcept {
    require(has_value(), "Result holds a value");
    return *std::get_if<0>(&content_);
  }
  T&& value() && noexcept {
    require(has_value(), "Result holds a value");
    return std::move(*std::get_if<0>(&content_));
  }
  const E& error() const noexcept {
    require(!has_value(), "Result holds an error");
    return *std::get_if<1>(&content_);
  }

  T& operator*() & noexcept { return value(); }
  const T& operator*() const& noexcept { return value(); }
  T* operator->() noexcept { return &value(); }
  const T* operator->() const noexcept { return &value(); }

 private:
  std::variant<T, E> content_;
};

}  // namespace kinloop
