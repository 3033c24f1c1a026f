// SPDX-License-Identifier: Apache-2.0
#include "process.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
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
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

} // namespace

int run(const std::vector<std::string> &command, const std::string *input, std::string *output)
{
    std::vector<char *> words;
    for (const std::string &word : command) {
        words.push_back(const_cast<char *>(word.c_str()));
    }
    words.push_back(nullptr);
    std::signal(SIGPIPE, SIG_IGN);
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
    pid_t child = 0;
    const int failed = posix_spawnp(&child, words[0], &actions, nullptr, words.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed != 0) {
        throw std::runtime_error("cannot start " + command[0] + ": " + std::strerror(failed));
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
    return wait_for(child);
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
