// SPDX-License-Identifier: Apache-2.0
// Tokens of preprocessed C++: enough to find launches and kernels, never fooled by strings, comments or raw strings.
#ifndef OPKG_ASC_TOKENS_HPP
#define OPKG_ASC_TOKENS_HPP

#include <cstdint>
#include <string_view>
#include <vector>

namespace opkg::asc {

enum class Kind : uint8_t { name, number, literal, symbol };

// `symbol` tokens are one character, but for `::` and `->`; so the three characters of `<<<` are three tokens.
struct Token {
    uint32_t begin;
    uint32_t end;
    uint32_t match; // of a bracket: the index of its partner; no_match otherwise
    Kind kind;
    char symbol;    // of a symbol: its first character, 'C' for `::`, 'A' for `->`; 0 otherwise
    bool foreign;   // stands in a header that the line markers call a system header
};
inline constexpr uint32_t no_match = UINT32_MAX;

// All tokens of a text that `-E` wrote. Comments and lines that begin with `#` are no tokens.
std::vector<Token> tokenize(std::string_view text);

} // namespace opkg::asc

#endif // OPKG_ASC_TOKENS_HPP
