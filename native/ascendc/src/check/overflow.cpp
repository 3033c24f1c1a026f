// SPDX-License-Identifier: Apache-2.0
// Results that a dtype cannot hold: infinities made of finite numbers, and integers outside of the range of a cast.
#include <math.h>
#include <string.h>

#include <initializer_list>

#include "checker.hpp"

namespace opkg::twin::check {
namespace {

bool is_one_of(std::initializer_list<const char *> names, const char *name)
{
    for (const char *known : names) {
        if (strcmp(name, known) == 0) {
            return true;
        }
    }
    return false;
}

// Sums, and extremes among them: each result is made of many elements, unlike that of other instructions.
bool is_reduction(const char *name)
{
    return is_one_of({"ReduceSum", "ReduceRepeat", "ReduceDataBlock", "ReducePairElem"}, name);
}

// Instructions whose infinities are overflows; a division by zero, a logarithm of zero are not.
bool may_overflow(const char *name)
{
    return is_reduction(name) ||
           is_one_of({"Add", "Sub", "Mul", "Muls", "Axpy", "MulAddDst", "FusedMulAdd", "FusedMulAddRelu", "MulAddRelu",
                      "AddRelu", "SubRelu", "Exp", "Cast"},
                     name);
}

bool is_float(uint32_t dtype) { return dtype == kF32 || dtype == kF16 || dtype == kBF16; }

uint32_t size_of(uint32_t dtype) { return dtype == kF32 ? 4 : 2; } // of the floats

// The bits of the exponent are all set: an infinity or not a number.
bool is_finite(const uint8_t *element, uint32_t dtype)
{
    uint32_t bits = 0;
    memcpy(&bits, element, size_of(dtype));
    const uint32_t exponent = dtype == kF32 ? 0x7f800000u : dtype == kF16 ? 0x7c00u : 0x7f80u;
    return (bits & exponent) != exponent;
}

bool is_infinite(const uint8_t *element, uint32_t dtype)
{
    uint32_t bits = 0;
    memcpy(&bits, element, size_of(dtype));
    const uint32_t mantissa = dtype == kF32 ? 0x7fffffu : dtype == kF16 ? 0x3ffu : 0x7fu;
    return !is_finite(element, dtype) && (bits & mantissa) == 0;
}

// Calls body(address) for each element until it returns true; returns that address, or 0.
template <typename Body>
uint64_t find_element(const Operand &operand, const Body &body)
{
    const uint32_t size = size_of(operand.touched.dtype);
    for (const Range &run : operand.runs) {
        for (uint64_t at = run.begin; at + size <= run.end; at += size) {
            if (body(reinterpret_cast<const uint8_t *>(at))) {
                return at;
            }
        }
    }
    return 0;
}

// Whether any element is an infinity or not a number, without a branch for each.
template <typename Bits>
bool any_has_exponent(const Range &run, Bits exponent)
{
    const uint8_t *bytes = reinterpret_cast<const uint8_t *>(run.begin);
    const size_t count = (run.end - run.begin) / sizeof(Bits);
    Bits found = 0;
    for (size_t i = 0; i < count; ++i) {
        Bits bits;
        memcpy(&bits, bytes + i * sizeof(Bits), sizeof(Bits));
        found |= static_cast<Bits>((bits & exponent) == exponent);
    }
    return found != 0;
}

bool is_all_finite(const Operand &operand)
{
    for (const Range &run : operand.runs) {
        const uint32_t dtype = operand.touched.dtype;
        const bool found = dtype == kF32 ? any_has_exponent<uint32_t>(run, 0x7f800000u)
                                         : any_has_exponent<uint16_t>(run, dtype == kF16 ? 0x7c00 : 0x7f80);
        if (found) {
            return false;
        }
    }
    return true;
}

struct Limits {
    double low;
    double high;
};

// What a cast to an integer can hold; 0, 0 for other dtypes.
Limits limits_of(uint32_t dtype)
{
    switch (dtype) {
        case kI8:
            return {-128.5, 127.5};
        case kU8:
            return {-0.999, 255.5};
        case kI16:
            return {-32768.5, 32767.5};
        case kU16:
            return {-0.999, 65535.5};
        case kI32:
            return {-2147483648.0, 2147483647.0};
        case kU32:
            return {-0.999, 4294967295.0};
        case kI64:
            return {-9223372036854775808.0, 9223372036854775807.0};
        case kU64:
            return {-0.999, 18446744073709551615.0};
        case kI4:
            return {-8.5, 7.5};
        default:
            return {0, 0};
    }
}

double number_at(const uint8_t *element, uint32_t dtype)
{
    float value = 0;
    if (dtype == kF32) {
        memcpy(&value, element, 4);
        return value;
    }
    alignas(64) uint8_t room[64] = {};
    alignas(64) float out[16] = {};
    memcpy(room, element, 2);
    opkg_twin_cast[dtype][kF32](out, room, 1, 0);
    return out[0];
}

} // namespace

// Elements whose bytes hold nothing may be anything.
bool CoreChecker::is_defined(uint64_t address) const
{
    bool defined = true;
    local_[kUb].visit(address, address + 1,
                      [&](const LocalByte &byte, uint64_t, uint64_t) { defined = byte.content == kDefined; });
    return defined;
}

void CoreChecker::check_cast(const Operand &from, const Operand &to)
{
    const Limits limits = limits_of(to.touched.dtype);
    const uint32_t dtype = from.touched.dtype;
    double value = 0;
    const uint64_t at = find_element(from, [&](const uint8_t *element) {
        value = number_at(element, dtype);
        const bool outside = !isfinite(value) || value < limits.low || value > limits.high;
        return outside && is_defined(reinterpret_cast<uint64_t>(element));
    });
    if (at == 0) {
        return;
    }
    Finding found = finding(kOverflow, from.place, at, size_of(dtype));
    found.text = "Cast of " + std::to_string(value) + " to an integer that cannot hold it";
    launch_.findings.add(found);
}

void CoreChecker::look_for_overflow_before()
{
    overflow_operand_ = -1;
    if (pipe_ != kVector || !may_overflow(instruction_)) {
        return;
    }
    int32_t destination = -1;
    bool finite = true;
    for (size_t i = 0; i < operands_.size(); ++i) {
        const Operand &operand = operands_[i];
        const bool plain = operand.place == kUb && ((operand.touched.kind & kElementwise) != 0 || is_reduction(instruction_));
        if (!plain) {
            return;
        }
        if ((operand.touched.kind & kWrites) != 0) {
            destination = static_cast<int32_t>(i);
        }
        if ((operand.touched.kind & kReads) == 0) {
            continue;
        }
        if (!is_float(operand.touched.dtype)) {
            return;
        }
        finite = finite && is_all_finite(operand);
    }
    if (destination < 0 || operands_.size() < 2) {
        return;
    }
    const Operand &to = operands_[static_cast<size_t>(destination)];
    if (strcmp(instruction_, "Cast") == 0 && limits_of(to.touched.dtype).high > 0) {
        check_cast(operands_[destination == 0 ? 1 : 0], to);
    } else if (finite && is_float(to.touched.dtype)) {
        overflow_operand_ = destination;
    }
}

void CoreChecker::look_for_overflow_after()
{
    if (overflow_operand_ < 0) {
        return;
    }
    const Operand &to = operands_[static_cast<size_t>(overflow_operand_)];
    const uint32_t dtype = to.touched.dtype;
    if (is_all_finite(to)) {
        return;
    }
    const uint64_t at = find_element(to, [&](const uint8_t *element) {
        return is_infinite(element, dtype) && is_defined(reinterpret_cast<uint64_t>(element));
    });
    if (at == 0) {
        return;
    }
    Finding found = finding(kOverflow, to.place, at, size_of(dtype));
    const char *name = dtype == kF16 ? "half" : dtype == kBF16 ? "bfloat16_t" : "float";
    found.text = std::string("{name}") + " makes an infinity of finite numbers: the result is too large for " + name;
    launch_.findings.add(found);
}

} // namespace opkg::twin::check
