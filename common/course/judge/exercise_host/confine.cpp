#include "course/judge/exercise_host/parts.hpp"

#include <linux/capability.h>
#include <seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cerrno>
#include <csignal>
#include <memory>

#include "course/judge/protocol.hpp"

namespace judge {
namespace {

/// The system calls that are needed to compute, allocate, fail, and communicate through open descriptors. Calls that do
/// not exist on this processor (poll) are ignored.
constexpr int allowed_calls[] = {
    SCMP_SYS(read),        SCMP_SYS(write),        SCMP_SYS(sendto),          SCMP_SYS(recvfrom),
    SCMP_SYS(close),       SCMP_SYS(fstat),        SCMP_SYS(lseek),           SCMP_SYS(mmap),
    SCMP_SYS(munmap),      SCMP_SYS(mremap),       SCMP_SYS(mprotect),        SCMP_SYS(madvise),
    SCMP_SYS(brk),         SCMP_SYS(futex),        SCMP_SYS(getrandom),       SCMP_SYS(clock_gettime),
    SCMP_SYS(nanosleep),   SCMP_SYS(sched_yield),  SCMP_SYS(clock_nanosleep), SCMP_SYS(gettid),
    SCMP_SYS(getpid),      SCMP_SYS(rt_sigaction), SCMP_SYS(rt_sigprocmask),  SCMP_SYS(rt_sigreturn),
    SCMP_SYS(sigaltstack), SCMP_SYS(exit),         SCMP_SYS(exit_group),      SCMP_SYS(gettimeofday),
    SCMP_SYS(ppoll),       SCMP_SYS(poll),         SCMP_SYS(restart_syscall),
};

/// Makes the kernel refuse all other calls, and kill the process if it makes a call for a different architecture.
bool filter_calls() {
  const std::unique_ptr<void, void (*)(scmp_filter_ctx)> filter(seccomp_init(SCMP_ACT_ERRNO(EPERM)), seccomp_release);
  bool good = filter != nullptr && seccomp_attr_set(filter.get(), SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS) == 0;
  for (const int call : allowed_calls) good = good && seccomp_rule_add(filter.get(), SCMP_ACT_ALLOW, call, 0) == 0;
  return good && seccomp_load(filter.get()) == 0;
}

bool limit(int what, rlim_t most) {
  const rlimit both{most, most};
  return setrlimit(static_cast<__rlimit_resource>(what), &both) == 0;
}

/// Drops all capabilities, in case the grader runs as root.
void drop_capabilities() {
  __user_cap_header_struct head{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {};
  (void)syscall(SYS_capset, &head, none);
}

}  // namespace

std::uint64_t confine() {
  constexpr rlim_t gibibyte = rlim_t{1} << 30;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const bool limited = limit(RLIMIT_AS, 2 * gibibyte) && limit(RLIMIT_CPU, 60) && limit(RLIMIT_FSIZE, 0) &&
                       limit(RLIMIT_CORE, 0) && limit(RLIMIT_NOFILE, 3) && limit(RLIMIT_NPROC, 0);
  drop_capabilities();
  const bool filtered = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && filter_calls();
  return (limited ? std::uint64_t{limits_set} : 0) | (filtered ? std::uint64_t{calls_filtered} : 0);
}

}  // namespace judge
