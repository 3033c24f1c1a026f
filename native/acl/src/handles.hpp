// SPDX-License-Identifier: Apache-2.0
// Handles that are alive, so that others are told from them. None of these tables is destroyed: threads that are still there
// when main returns may ask for a handle.
#ifndef OPKG_ACL_HANDLES_HPP
#define OPKG_ACL_HANDLES_HPP

#include <memory>
#include <mutex>
#include <unordered_map>

namespace opkg::acl {

template <typename T>
class Handles {
public:
    T *add(std::shared_ptr<T> made)
    {
        std::lock_guard<std::mutex> lock(mutex_);
        T *handle = made.get();
        all_[handle] = std::move(made);
        return handle;
    }
    // NULL where the handle is none, or its object has been destroyed.
    std::shared_ptr<T> find(void *handle)
    {
        std::lock_guard<std::mutex> lock(mutex_);
        const auto found = all_.find(static_cast<T *>(handle));
        return found == all_.end() ? nullptr : found->second;
    }
    bool remove(void *handle)
    {
        std::lock_guard<std::mutex> lock(mutex_);
        return all_.erase(static_cast<T *>(handle)) != 0;
    }

private:
    std::mutex mutex_;
    std::unordered_map<T *, std::shared_ptr<T>> all_;
};

} // namespace opkg::acl

#endif // OPKG_ACL_HANDLES_HPP
