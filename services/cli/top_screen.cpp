// What is done to the terminal is undone by the destructor, or by the handler of a signal that ends the program.
#include "services/cli/top_screen.hpp"

#include <poll.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): sigaction
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <string_view>

namespace kinloop::cli {
namespace {

constexpr std::string_view kEnter = "\033[?1049h\033[?25l\033[2J";
constexpr std::string_view kLeave = "\033[?25h\033[?1049l";
constexpr std::string_view kHome = "\033[H";
constexpr std::string_view kClearLine = "\033[K";
constexpr std::string_view kClearBelow = "\033[J";
constexpr std::array<int, 6> kFatal{SIGHUP, SIGQUIT, SIGABRT, SIGSEGV, SIGBUS, SIGFPE};

// For the handler, hence not in the object.
termios before{};
volatile std::sig_atomic_t is_taken = 0;

/// Only calls that a handler may make.
void give_back() noexcept {
  if (is_taken == 0) return;
  is_taken = 0;
  tcsetattr(STDIN_FILENO, TCSANOW, &before);
  const ssize_t written = write(STDOUT_FILENO, kLeave.data(), kLeave.size());
  static_cast<void>(written);  // there is no other way to say it
}

extern "C" void give_back_and_end(int number) {
  give_back();
  raise(number);  // its own handler is back: SA_RESETHAND
}

}  // namespace

bool Screen::is_possible() noexcept { return isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1; }

WindowSize Screen::size() noexcept {
  winsize window{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) != 0 || window.ws_col == 0 || window.ws_row == 0) return {};
  return {window.ws_col, window.ws_row};
}

Screen::Screen(std::ostream& out) : out_(out) {
  if (tcgetattr(STDIN_FILENO, &before) != 0) return;
  is_taken = 1;
  struct sigaction action {};
  action.sa_handler = give_back_and_end;
  sigemptyset(&action.sa_mask);
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_NODEFER);
  for (const int number : kFatal) sigaction(number, &action, nullptr);
  termios mode = before;
  mode.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  // Stopped in the background, the terminal would stay as it is now.
  mode.c_cc[VSUSP] = _POSIX_VDISABLE;
  mode.c_cc[VMIN] = 0;
  mode.c_cc[VTIME] = 0;
  tcsetattr(STDIN_FILENO, TCSANOW, &mode);
  out_ << kEnter << std::flush;
}

Screen::~Screen() {
  out_.flush();
  give_back();
  for (const int number : kFatal) signal(number, SIG_DFL);
}

void Screen::draw(const std::string& lines) {
  // Over the old picture, not after clearing it: that would flicker.
  std::string text(kHome);
  for (std::size_t start = 0; start < lines.size();) {
    const std::size_t end = lines.find('\n', start);
    text += lines.substr(start, end - start);
    text += kClearLine;
    start = end == std::string::npos ? lines.size() : end + 1;
    if (start < lines.size()) text += "\r\n";  // not after the last: the window would scroll
  }
  out_ << text << kClearBelow << std::flush;
}

std::optional<char> Screen::wait_for_key(std::chrono::milliseconds timeout) {
  pollfd input{STDIN_FILENO, POLLIN, 0};
  if (poll(&input, 1, static_cast<int>(timeout.count())) <= 0) return std::nullopt;
  char key = 0;
  if (read(STDIN_FILENO, &key, 1) != 1) return std::nullopt;
  return key;
}

}  // namespace kinloop::cli
