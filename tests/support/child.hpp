// Owns in_a_child(): what a test does to its whole process, done in one of its own.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <functional>

namespace kinloop {

/// The exit code of a child that does this, or 128 and the signal that ended it.
inline int in_a_child(const std::function<int()>& task) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(task());
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace kinloop
