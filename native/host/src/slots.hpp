// SPDX-License-Identifier: Apache-2.0
// Arrays that live on the stack as long as they are short.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace opkg::host {

// Room for `count` objects that are constructed one by one; up to N of them need no heap.
template <typename T, size_t N> class Slots {
    static_assert(std::is_trivially_destructible<T>::value, "objects are never destroyed");

public:
    Slots() = default;
    Slots(const Slots &) = delete;
    Slots &operator=(const Slots &) = delete;

    void Reserve(size_t count)
    {
        if (count > N) {
            heap_.reset(new Raw[count]);
            data_ = reinterpret_cast<T *>(heap_.get());
        }
    }
    template <typename... Args> T &Add(Args &&...args) { return *new (data_ + size_++) T(std::forward<Args>(args)...); }
    T *data() { return data_; }
    const T *data() const { return data_; }
    size_t size() const { return size_; }
    T &operator[](size_t i) { return data_[i]; }
    const T &operator[](size_t i) const { return data_[i]; }

private:
    struct alignas(T) Raw {
        unsigned char bytes[sizeof(T)];
    };

    Raw inline_[N];
    std::unique_ptr<Raw[]> heap_;
    T *data_ = reinterpret_cast<T *>(inline_);
    size_t size_ = 0;
};

// Memory of any size for one call; the first kInline bytes are part of the object.
class Arena {
public:
    Arena() = default;
    Arena(const Arena &) = delete;
    Arena &operator=(const Arena &) = delete;
    ~Arena()
    {
        while (blocks_ != nullptr) {
            Block *next = blocks_->next;
            ::operator delete(blocks_);
            blocks_ = next;
        }
    }

    // Aligned to 16 bytes.
    void *Allocate(size_t bytes)
    {
        const size_t rounded = (bytes + 15) / 16 * 16;
        if (rounded <= kInline - used_) {
            void *found = inline_ + used_;
            used_ += rounded;
            return found;
        }
        auto *block = static_cast<Block *>(::operator new(sizeof(Block) + rounded));
        block->next = blocks_;
        blocks_ = block;
        return block + 1;
    }

private:
    static constexpr size_t kInline = 1024;
    struct alignas(16) Block {
        Block *next;
    };

    alignas(16) unsigned char inline_[kInline];
    size_t used_ = 0;
    Block *blocks_ = nullptr;
};

} // namespace opkg::host
