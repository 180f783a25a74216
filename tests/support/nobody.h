// Acting as somebody without rights: root may read everything, so tests of permissions drop it.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace vitro::test {

inline constexpr uid_t kNobody = 65534;

/// In the child: never returns.
[[noreturn]] inline void answer_as_nobody(const std::function<std::string()>& action, int pipe) {
  const bool is_root = geteuid() == 0;
  if (is_root && (setgid(kNobody) != 0 || setuid(kNobody) != 0)) _exit(2);
  const std::string text = action();
  const bool is_written =
      write(pipe, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  _exit(is_written ? 0 : 3);
}

/// What `action` returns in a process of its own that is not root; nothing where that cannot be
/// had. The action must not throw, and its text be short (a pipe holds it).
inline std::optional<std::string> as_nobody(const std::function<std::string()>& action) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return std::nullopt;
  const pid_t child = fork();
  if (child == 0) answer_as_nobody(action, ends[1]);
  close(ends[1]);
  std::string text;
  std::array<char, 4096> buffer{};
  for (ssize_t got = 0; (got = read(ends[0], buffer.data(), buffer.size())) > 0;) {
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  close(ends[0]);
  int status = -1;
  const bool is_done = child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
                       WEXITSTATUS(status) == 0;
  return is_done ? std::optional(text) : std::nullopt;
}

}  // namespace vitro::test
