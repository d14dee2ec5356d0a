// Owns Failure: what becomes a typed exception of Python. Thrown in services/python alone, caught at its bindings.
#pragma once

#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.hpp"
#include "core/base/status.hpp"

namespace kinloop::python {

/// Which exception of kinloop.errors it becomes.
enum class FailureKind {
  kInvalid,      // InvalidError
  kUnknownName,  // UnknownNameError
  kModel,        // ModelError: all that is wrong with a file or dictionary
  kStep,         // StepError
  kNotNow,       // NotNowError
};

class Failure : public std::exception {
 public:
  Failure(FailureKind kind, std::string field, std::string what)
      : kind_(kind), errors_{{std::move(field), std::move(what)}} {}
  /// Of a file.
  explicit Failure(std::vector<Error> errors) : kind_(FailureKind::kModel), errors_(std::move(errors)) {}
  Failure(StepStatus status, std::string what)
      : kind_(FailureKind::kStep), errors_{{std::string(describe(status)), std::move(what)}} {}

  FailureKind kind() const noexcept { return kind_; }
  const std::vector<Error>& errors() const noexcept { return errors_; }
  const char* what() const noexcept override { return errors_.empty() ? "" : errors_.front().what.c_str(); }

 private:
  FailureKind kind_;
  std::vector<Error> errors_;
};

/// The value, or an InvalidError whose field is the error's place; an UnknownNameError where a name is unknown.
template <class T>
T valid(Result<T> result) {
  if (result) return std::move(result).value();
  const bool is_unknown = result.error().kind == ErrorKind::kUnknownName;
  throw Failure(is_unknown ? FailureKind::kUnknownName : FailureKind::kInvalid, result.error().where,
                result.error().what);
}

/// The same for names: an UnknownNameError.
template <class T>
T known(Result<T> result) {
  if (!result) throw Failure(FailureKind::kUnknownName, result.error().where, result.error().what);
  return std::move(result).value();
}

inline void require_done(StepStatus status) {
  if (!is_done(status)) throw Failure(status, std::string(describe(status)));
}

}  // namespace kinloop::python
