// Owns Constructed: the base of all that Python holds, so that nobody works with an object that was never made.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "services/python/failure.hpp"

namespace kinloop::python {

/// Where an object of Python has no object of ours yet, because its class's __init__ was passed by, pybind11 asks the
/// class for memory and goes on with whatever lies there. Here that is refused; make() takes memory otherwise.
struct Constructed {
  static void* operator new(std::size_t /*size*/) {
    throw Failure(FailureKind::kNotNow, "", "the object was not initialised: its __init__ was not called");
  }
  static void operator delete(void* memory) noexcept { ::operator delete(memory); }
};

template <class T, class... Arguments>
std::unique_ptr<T> make(Arguments&&... arguments) {
  return std::unique_ptr<T>(::new T(std::forward<Arguments>(arguments)...));
}

}  // namespace kinloop::python
