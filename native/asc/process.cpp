// SPDX-License-Identifier: Apache-2.0
#include "process.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <thread>

extern char **environ;

namespace opkg::asc {
namespace {

struct Pipe {
    int ends[2] = {-1, -1};

    explicit Pipe(bool wanted)
    {
        if (wanted && pipe2(ends, O_CLOEXEC) != 0) {
            throw std::runtime_error(std::string("cannot make a pipe: ") + std::strerror(errno));
        }
    }
    ~Pipe()
    {
        close_end(0);
        close_end(1);
    }
    Pipe(const Pipe &) = delete;
    Pipe &operator=(const Pipe &) = delete;

    void close_end(int which)
    {
        if (ends[which] >= 0) {
            ::close(ends[which]);
            ends[which] = -1;
        }
    }
};

struct Actions {
    posix_spawn_file_actions_t *actions;
    ~Actions() { posix_spawn_file_actions_destroy(actions); }
};

void feed(Pipe &pipe, const std::string &text)
{
    for (size_t done = 0; done < text.size();) {
        const ssize_t n = ::write(pipe.ends[1], text.data() + done, text.size() - done);
        if (n < 0 && errno != EINTR) {
            break; // the reader gave up and has said why
        }
        done += n > 0 ? static_cast<size_t>(n) : 0;
    }
    pipe.close_end(1);
}

void drain(Pipe &pipe, std::string &text)
{
    char buffer[1 << 16];
    for (;;) {
        const ssize_t n = ::read(pipe.ends[0], buffer, sizeof buffer);
        if (n > 0) {
            text.append(buffer, static_cast<size_t>(n));
        } else if (n == 0 || errno != EINTR) {
            return;
        }
    }
}

int wait_for(pid_t child)
{
    int status = 0;
    while (::waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) {
            throw std::runtime_error(std::string("cannot wait for a program: ") + std::strerror(errno));
        }
    }
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

constexpr int ending_signals[] = {SIGHUP, SIGINT, SIGTERM};
volatile std::sig_atomic_t ended_by = 0;
std::atomic<pid_t> running{0};

void pass_on(int signal)
{
    ended_by = signal;
    if (const pid_t child = running.load(); child > 0) {
        ::kill(child, signal);
    }
}

// Starts a program with this one's signals as they were before, and knows it before the next of them comes.
pid_t start(std::vector<char *> &words, const posix_spawn_file_actions_t &actions)
{
    sigset_t held;
    sigset_t before;
    sigemptyset(&held);
    for (const int signal : ending_signals) {
        sigaddset(&held, signal);
    }
    sigset_t pipe;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &held, &before);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setsigmask(&attributes, &before);
    posix_spawnattr_setsigdefault(&attributes, &pipe);
    pid_t child = 0;
    const int failed =
        ended_by != 0 ? EINTR : posix_spawnp(&child, words[0], &actions, &attributes, words.data(), environ);
    posix_spawnattr_destroy(&attributes);
    running.store(child);
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (failed != 0 && ended_by == 0) {
        throw std::runtime_error(std::string("cannot start ") + words[0] + ": " + std::strerror(failed));
    }
    return child;
}

} // namespace

void hold_signals()
{
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGCHLD, SIG_DFL); // who started this program may have ignored it, and no status would come then
    struct sigaction action = {};
    action.sa_handler = pass_on;
    for (const int signal : ending_signals) {
        struct sigaction before = {};
        if (::sigaction(signal, nullptr, &before) == 0 && before.sa_handler != SIG_IGN) {
            ::sigaction(signal, &action, nullptr);
        }
    }
}

int run(const std::vector<std::string> &command, const std::string *input, std::string *output)
{
    std::vector<char *> words;
    for (const std::string &word : command) {
        words.push_back(const_cast<char *>(word.c_str()));
    }
    words.push_back(nullptr);
    Pipe in(input != nullptr);
    Pipe out(output != nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    if (input != nullptr) {
        posix_spawn_file_actions_adddup2(&actions, in.ends[0], 0);
    }
    if (output != nullptr) {
        posix_spawn_file_actions_adddup2(&actions, out.ends[1], 1);
    }
    const Actions owner{&actions};
    const pid_t child = start(words, actions);
    if (child == 0) {
        throw Interrupted{ended_by};
    }
    in.close_end(0);
    out.close_end(1);
    std::thread feeder;
    if (input != nullptr) {
        feeder = std::thread([&] { feed(in, *input); });
    }
    if (output != nullptr) {
        drain(out, *output);
    }
    if (feeder.joinable()) {
        feeder.join();
    }
    const int code = wait_for(child);
    running.store(0);
    if (ended_by != 0) {
        throw Interrupted{ended_by};
    }
    return code;
}

std::string find_program(const std::string &name)
{
    if (name.find('/') != name.npos) {
        return ::access(name.c_str(), X_OK) == 0 ? name : "";
    }
    const char *path = std::getenv("PATH");
    const std::string folders = path == nullptr ? "/usr/local/bin:/usr/bin:/bin" : path;
    for (size_t begin = 0; begin <= folders.size();) {
        const size_t end = std::min(folders.find(':', begin), folders.size());
        const std::string candidate = folders.substr(begin, end - begin) + "/" + name;
        if (::access(candidate.c_str(), X_OK) == 0) {
            return candidate;
        }
        begin = end + 1;
    }
    return "";
}

} // namespace opkg::asc
