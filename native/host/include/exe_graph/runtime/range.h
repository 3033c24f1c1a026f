// SPDX-License-Identifier: Apache-2.0
#ifndef OPKG_HOST_RANGE_H
#define OPKG_HOST_RANGE_H

namespace gert {

// The smallest and the largest value that something may have.
template <typename T> class Range {
public:
    Range() = default;
    Range(T *min, T *max) : min_(min), max_(max) {}
    explicit Range(T *same) : min_(same), max_(same) {}

    const T *GetMin() const { return min_; }
    const T *GetMax() const { return max_; }
    T *GetMin() { return min_; }
    T *GetMax() { return max_; }
    void SetMin(T *min) { min_ = min; }
    void SetMax(T *max) { max_ = max; }

private:
    T *min_ = nullptr;
    T *max_ = nullptr;
};

} // namespace gert

#endif // OPKG_HOST_RANGE_H
