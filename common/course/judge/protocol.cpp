#include "course/judge/protocol.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <cerrno>

namespace judge {

bool send_packet(int to, const packet& p) {
  if (p.text_bytes > max_text) return false;
  const std::size_t size = head_bytes + p.text_bytes;
  for (;;) {
    const ssize_t sent = send(to, &p, size, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    return sent == static_cast<ssize_t>(size);
  }
}

bool receive_packet(int from, packet& p, int seconds) {
  for (;;) {
    pollfd waiting{from, POLLIN, 0};
    const int ready = poll(&waiting, 1, seconds * 1000);
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return false;
    const ssize_t got = recv(from, &p, sizeof p, MSG_TRUNC);
    if (got < 0 && errno == EINTR) continue;
    return got >= static_cast<ssize_t>(head_bytes) && got <= static_cast<ssize_t>(sizeof p) &&
           static_cast<std::size_t>(got) == head_bytes + p.text_bytes;
  }
}

}  // namespace judge
