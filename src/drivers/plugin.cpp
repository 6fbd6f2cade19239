// Plugins: opening a driver's library, and trying it out where it can do no harm.
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <utility>

#include "dlport/error.hpp"
#include "drivers/inspect.hpp"

namespace dlport::drivers {
namespace {

constexpr int kPatienceMs = 10'000;

/// Both ends of a pipe.
class Pipe {
 public:
  Pipe() {
    if (pipe2(ends_, O_CLOEXEC) != 0) {
      throw Error(ErrorCode::device, std::string("no pipe to try a driver out: ") + std::strerror(errno));
    }
  }
  ~Pipe() {
    close(ends_[0]);
    close_writing();
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  int reading() const noexcept { return ends_[0]; }
  int writing() const noexcept { return ends_[1]; }
  void close_writing() noexcept {
    if (ends_[1] >= 0) close(std::exchange(ends_[1], -1));
  }

 private:
  int ends_[2];
};

/// What the child has to say: an error code as one byte, then the sentence. "\0" alone means that all is well.
[[noreturn]] void answer(int pipe, char code, const std::string& sentence) {
  const std::string message = code + sentence;
  const ssize_t written = write(pipe, message.data(), message.size());
  _exit(written == static_cast<ssize_t>(message.size()) ? 0 : 1);
}

[[noreturn]] void run_child(int pipe, const std::string& path) {
  // A crash is this function's business and nobody else's: no handlers, no core files.
  for (int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT}) ::signal(signal, SIG_DFL);
  try {
    inspect(open_plugin(path));
  } catch (const Error& error) {
    answer(pipe, static_cast<char>(static_cast<int>(error.code()) + 1), error.what());
  } catch (...) {
    answer(pipe, static_cast<char>(static_cast<int>(ErrorCode::device) + 1), "it threw something while being opened");
  }
  answer(pipe, '\0', "");
}

/// Reads until the child has answered or is gone; false where it does neither in time.
bool read_answer(int pipe, std::string& message) {
  char buffer[512];
  for (;;) {
    pollfd waiting{pipe, POLLIN, 0};
    const int ready = poll(&waiting, 1, kPatienceMs);
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return false;
    const ssize_t count = read(pipe, buffer, sizeof(buffer));
    if (count <= 0) return true;
    message.append(buffer, static_cast<size_t>(count));
  }
}

}  // namespace

const dlport_driver* open_plugin(const std::string& path) {
  if (access(path.c_str(), R_OK) != 0) {
    throw Error(ErrorCode::not_found, "there is no readable library at '" + path + "'");
  }
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) throw Error(ErrorCode::device, std::string("it cannot be opened: ") + dlerror());
  auto* entry = reinterpret_cast<dlport_driver_entry_t>(dlsym(library, DLPORT_DRIVER_ENTRY));
  if (!entry) {
    dlclose(library);
    throw Error(ErrorCode::device, "it does not export " DLPORT_DRIVER_ENTRY ", so it is not a driver");
  }
  return entry();
}

void try_plugin_out(const std::string& path) {
  Pipe pipe;
  const pid_t child = fork();
  if (child < 0) {
    throw Error(ErrorCode::device, std::string("no process to try the driver out: ") + std::strerror(errno));
  }
  if (child == 0) run_child(pipe.writing(), path);
  pipe.close_writing();  // only the child holds it now, so that its death shows

  std::string message;
  const bool answered = read_answer(pipe.reading(), message);
  if (!answered) kill(child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!answered) {
    throw Error(ErrorCode::device, "it did not answer within " + std::to_string(kPatienceMs / 1000) + " seconds");
  }
  if (WIFSIGNALED(status)) {
    throw Error(ErrorCode::device, std::string("it crashed while being tried out: ") + strsignal(WTERMSIG(status)));
  }
  if (message.empty()) throw Error(ErrorCode::device, "it ended the process that tried it out");
  if (message[0] != '\0') throw Error(static_cast<ErrorCode>(message[0] - 1), message.substr(1));
}

}  // namespace dlport::drivers
