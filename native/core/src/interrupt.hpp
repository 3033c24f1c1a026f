// SPDX-License-Identifier: Apache-2.0
#ifndef OPKG_CORE_INTERRUPT_HPP
#define OPKG_CORE_INTERRUPT_HPP

namespace opkg::core {

// While one lives, a kernel runs, and a second SIGINT ends the process.
//
// Programs such as Python only note the first one and act on it when the kernel has returned, which one that loops
// never does. What the program itself does with SIGINT stays as it is.
class Interruptible {
public:
    Interruptible();
    ~Interruptible();
    Interruptible(const Interruptible&) = delete;
    Interruptible& operator=(const Interruptible&) = delete;
};

} // namespace opkg::core

#endif // OPKG_CORE_INTERRUPT_HPP
