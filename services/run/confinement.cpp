// Filters by libseccomp; capabilities by the kernel's own calls, which need no library.
#include "services/run/confinement.hpp"

#include <fcntl.h>
#include <linux/capability.h>
#include <seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <initializer_list>
#include <memory>

#include "rt/platform/platform.hpp"

namespace kinloop::run {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kFilters = false;
#else
constexpr bool kFilters = true;
#endif

struct ReleaseFilter {
  void operator()(void* filter) const noexcept { ::seccomp_release(filter); }
};
using Filter = std::unique_ptr<void, ReleaseFilter>;

constexpr std::uint32_t kRefused = SCMP_ACT_ERRNO(EPERM);

Filter filter_that(std::uint32_t does_otherwise) {
  Filter filter(::seccomp_init(does_otherwise));
  // Without this, some kernels would switch off speculation for the thread, at a cost in every step.
  if (filter) ::seccomp_attr_set(filter.get(), SCMP_FLTATR_CTL_SSB, 1);
  return filter;
}

bool add(const Filter& filter, std::uint32_t action, std::initializer_list<int> calls) {
  bool added = true;
  for (const int call : calls) added = ::seccomp_rule_add(filter.get(), action, call, 0) == 0 && added;
  return added;
}

/// Refuses a call unless its first argument is this.
bool refuse_unless(const Filter& filter, std::initializer_list<int> calls, std::uint64_t value) {
  const scmp_arg_cmp other = SCMP_A0(SCMP_CMP_NE, value);
  bool added = true;
  for (const int call : calls) {
    added = ::seccomp_rule_add_array(filter.get(), kRefused, call, 1, &other) == 0 && added;
  }
  return added;
}

/// Keeps those of these that are there, and gives up all others. A child of root would otherwise keep everything.
bool keep_capabilities(std::initializer_list<unsigned> kept) {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> sets{};
  if (::syscall(SYS_capget, &header, sets.data()) != 0) return false;
  std::array<std::uint32_t, _LINUX_CAPABILITY_U32S_3> mask{};
  for (const unsigned capability : kept) mask.at(CAP_TO_INDEX(capability)) |= CAP_TO_MASK(capability);
  for (std::size_t i = 0; i < sets.size(); ++i) {
    sets.at(i).effective &= mask.at(i);
    sets.at(i).permitted &= mask.at(i);
    sets.at(i).inheritable = 0;
  }
  ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  return ::syscall(SYS_capset, &header, sets.data()) == 0;
}

/// Short of memory, the kernel takes io before the plant and the supervisor.
void be_killed_first() {
  const int file = ::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (file < 0) return;
  constexpr std::array<char, 3> kScore = {'5', '0', '0'};
  [[maybe_unused]] const ssize_t written = ::write(file, kScore.data(), kScore.size());
  ::close(file);
}

}  // namespace

bool confine_plant_thread() {
  if (!kFilters || rt::platform::name() != "Linux") return false;  // Cobalt has system calls of its own
  const Filter filter = filter_that(kRefused);
  return filter &&
         add(filter, SCMP_ACT_ALLOW,
             {// stepping: sleep, wake, the look at page faults, the clock where it cannot be read from memory
              SCMP_SYS(clock_nanosleep), SCMP_SYS(futex), SCMP_SYS(getrusage), SCMP_SYS(clock_gettime),
              SCMP_SYS(restart_syscall),
              // signals, and the patience of whoever is told to end
              SCMP_SYS(rt_sigreturn), SCMP_SYS(rt_sigprocmask), SCMP_SYS(alarm), SCMP_SYS(getppid),
              // freeing what it owns, and its end
              SCMP_SYS(mmap), SCMP_SYS(munmap), SCMP_SYS(mprotect), SCMP_SYS(madvise), SCMP_SYS(brk), SCMP_SYS(close),
              SCMP_SYS(write), SCMP_SYS(exit), SCMP_SYS(exit_group),
              // abort()
              SCMP_SYS(getpid), SCMP_SYS(gettid), SCMP_SYS(tgkill), SCMP_SYS(rt_sigaction)}) &&
         ::seccomp_load(filter.get()) == 0;
}

bool confine_io() {
  be_killed_first();
  // Files of whoever runs it, and ports below 1024. Not priorities and locked memory: they are the plant's.
  const bool dropped = keep_capabilities({CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH, CAP_FOWNER, CAP_NET_BIND_SERVICE});
  if (!kFilters) return dropped;
  const Filter filter = filter_that(SCMP_ACT_ALLOW);
  const auto self = static_cast<std::uint64_t>(::getpid());
  return dropped && filter &&
         add(filter, kRefused,
             {// other programs
              SCMP_SYS(execve), SCMP_SYS(execveat), SCMP_SYS(fork), SCMP_SYS(vfork),
              // other processes: the plant is of the same user
              SCMP_SYS(ptrace), SCMP_SYS(process_vm_readv), SCMP_SYS(process_vm_writev), SCMP_SYS(pidfd_open),
              SCMP_SYS(pidfd_getfd), SCMP_SYS(pidfd_send_signal), SCMP_SYS(kill), SCMP_SYS(tkill),
              SCMP_SYS(rt_sigqueueinfo), SCMP_SYS(rt_tgsigqueueinfo), SCMP_SYS(sched_setparam), SCMP_SYS(sched_setattr),
              SCMP_SYS(sched_setaffinity), SCMP_SYS(setpriority), SCMP_SYS(ioprio_set), SCMP_SYS(migrate_pages),
              SCMP_SYS(move_pages), SCMP_SYS(kcmp),
              // the host
              SCMP_SYS(mount), SCMP_SYS(umount2), SCMP_SYS(pivot_root), SCMP_SYS(chroot), SCMP_SYS(setns),
              SCMP_SYS(unshare), SCMP_SYS(bpf), SCMP_SYS(perf_event_open), SCMP_SYS(userfaultfd),
              SCMP_SYS(io_uring_setup), SCMP_SYS(init_module), SCMP_SYS(finit_module), SCMP_SYS(delete_module),
              SCMP_SYS(kexec_load), SCMP_SYS(kexec_file_load), SCMP_SYS(reboot), SCMP_SYS(swapon), SCMP_SYS(swapoff),
              SCMP_SYS(settimeofday), SCMP_SYS(clock_settime), SCMP_SYS(clock_adjtime), SCMP_SYS(adjtimex),
              SCMP_SYS(keyctl), SCMP_SYS(add_key), SCMP_SYS(request_key), SCMP_SYS(setuid), SCMP_SYS(setgid),
              SCMP_SYS(setreuid), SCMP_SYS(setregid), SCMP_SYS(setresuid), SCMP_SYS(setresgid), SCMP_SYS(setgroups)}) &&
         // libzmq sets each of its threads to what it is already, and aborts where that fails: it succeeds, without
         // effect.
         add(filter, SCMP_ACT_ERRNO(0), {SCMP_SYS(sched_setscheduler)}) &&
         refuse_unless(filter, {SCMP_SYS(tgkill)}, self) &&  // abort()
         refuse_unless(filter, {SCMP_SYS(prlimit64)}, 0) && ::seccomp_load(filter.get()) == 0;
}

}  // namespace kinloop::run
