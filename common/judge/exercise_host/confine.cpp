#include "judge/exercise_host/confine.hpp"

#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <iterator>
#include <vector>

#include "judge/protocol.hpp"

namespace judge {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t this_architecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t this_architecture = AUDIT_ARCH_AARCH64;
#else
constexpr std::uint32_t this_architecture = 0;
#endif

/// What code needs that computes, allocates, fails, and speaks over what is open already.
constexpr int allowed_calls[] = {
    SYS_read,         SYS_write,       SYS_sendto,    SYS_recvfrom,      SYS_close,        SYS_fstat,
    SYS_lseek,        SYS_mmap,        SYS_munmap,    SYS_mremap,        SYS_mprotect,     SYS_madvise,
    SYS_brk,          SYS_futex,       SYS_getrandom, SYS_clock_gettime, SYS_nanosleep,    SYS_clock_nanosleep,
    SYS_sched_yield,  SYS_gettid,      SYS_getpid,    SYS_rt_sigaction,  SYS_ppoll,        SYS_rt_sigprocmask,
    SYS_rt_sigreturn, SYS_sigaltstack, SYS_exit,      SYS_exit_group,    SYS_gettimeofday, SYS_restart_syscall,
#ifdef SYS_poll
    SYS_poll,
#endif
};

sock_filter load_word(std::size_t offset) {
  return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset));
}

bool filter_calls() {
  if (this_architecture == 0) return false;
  std::vector<sock_filter> program = {
      load_word(offsetof(seccomp_data, arch)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, this_architecture, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
      load_word(offsetof(seccomp_data, nr)),
  };
  for (const int call : allowed_calls) {
    program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(call), 0, 1));
    program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  }
  program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM));
  const sock_fprog all{static_cast<unsigned short>(program.size()), program.data()};
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &all) == 0;
}

bool limit(int what, rlim_t most) {
  const rlimit both{most, most};
  return setrlimit(static_cast<__rlimit_resource>(what), &both) == 0;
}

/// Root's power goes, too, for those who grade as root.
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
