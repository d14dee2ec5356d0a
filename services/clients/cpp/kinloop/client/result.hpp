// Owns what calls of the client return: a value, or why there is none. Nothing here throws.
#pragma once

#include <kinloop/v1/error.pb.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <variant>

namespace kinloop::client {

enum class ErrorKind {
  kUsage,      // the call makes no sense: too few values, no lease, a key that is none
  kNotFound,   // no running plant has that name
  kNoAnswer,   // the plant did not answer in time
  kRefused,    // the plant answered: no; `code` says why
  kBadReply,   // the plant answered something that is no answer
  kCancelled,  // Options::gives_up said so
  kSystem,     // a socket or a file could not be had
};

struct Error {
  ErrorKind kind = ErrorKind::kSystem;
  /// For people: what is wrong and what to do, in one sentence.
  std::string message;
  /// Where `kind` is kRefused.
  v1::ErrorCode code = v1::ERROR_CODE_UNSPECIFIED;
  /// The field it is about; may be empty.
  std::string field{};
};

/// A value or an error, with the member names of std::expected. Asking for the one that is not there ends the program.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : content_(std::in_place_index<0>, std::move(value)) {}      // NOLINT: implicit by design
  Result(Error error) : content_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: implicit by design

  bool has_value() const noexcept { return content_.index() == 0; }
  explicit operator bool() const noexcept { return has_value(); }

  // NOLINTBEGIN(clang-analyzer-core.uninitialized.UndefReturn): check() does not return where there is none
  T& value() & noexcept { return (check(has_value(), "a value"), *std::get_if<0>(&content_)); }
  const T& value() const& noexcept { return (check(has_value(), "a value"), *std::get_if<0>(&content_)); }
  T&& value() && noexcept { return (check(has_value(), "a value"), std::move(*std::get_if<0>(&content_))); }
  const Error& error() const noexcept { return (check(!has_value(), "an error"), *std::get_if<1>(&content_)); }
  // NOLINTEND(clang-analyzer-core.uninitialized.UndefReturn)

  T& operator*() & noexcept { return value(); }
  const T& operator*() const& noexcept { return value(); }
  T* operator->() noexcept { return &value(); }
  const T* operator->() const noexcept { return &value(); }

 private:
  static void check(bool holds, const char* what) noexcept {
    if (holds) [[likely]]
      return;
    std::fprintf(stderr, "kinloop::client::Result does not hold %s\n", what);
    std::abort();
  }

  std::variant<T, Error> content_;
};

/// What a control verb did.
struct Effect {
  /// At whose beginning it took effect; 0 where that means nothing.
  std::uint64_t step = 0;
  /// The plant had done it already when it was asked again.
  bool repeated = false;
  /// Of an emergency stop: the iteration of the plant's loop that latched it, as it stands in the plant's memory; else
  /// 0.
  std::uint64_t tick = 0;
};

}  // namespace kinloop::client
