// SPDX-License-Identifier: Apache-2.0
#include "tokens.hpp"

#include <algorithm>
#include <string>

namespace opkg::asc {
namespace {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Bytes above 127 are letters of names in UTF-8.
constexpr bool begins_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || static_cast<unsigned char>(c) > 127;
}

constexpr bool continues_name(char c) { return begins_name(c) || is_digit(c); }

class Lexer {
public:
    explicit Lexer(std::string_view text) : text_(text) { tokens_.reserve(text.size() / 5); }

    std::vector<Token> run()
    {
        while (skip_trivia()) {
            next();
        }
        return std::move(tokens_);
    }

private:
    char at(size_t position) const { return position < text_.size() ? text_[position] : '\0'; }

    // Blanks, comments and directives before the next token; false at the end.
    bool skip_trivia()
    {
        for (; here_ < text_.size();) {
            const char c = text_[here_];
            if (c == '\n') {
                line_begins_ = true;
                ++here_;
            } else if (c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f') {
                ++here_;
            } else if (c == '\\' && at(here_ + 1) == '\n') {
                here_ += 2;
            } else if (c == '#' && line_begins_) {
                directive();
            } else if (c == '/' && at(here_ + 1) == '/') {
                here_ = std::min(text_.find('\n', here_), text_.size());
            } else if (c == '/' && at(here_ + 1) == '*') {
                const size_t end = text_.find("*/", here_ + 2);
                here_ = end == text_.npos ? text_.size() : end + 2;
            } else {
                line_begins_ = false;
                return true;
            }
        }
        return false;
    }

    // `# 12 "file" 1 3`: the flag 3 marks a system header. Everything else (`#pragma`) means nothing here.
    void directive()
    {
        const size_t end = std::min(text_.find('\n', here_), text_.size());
        const std::string_view line = text_.substr(here_, end - here_);
        const size_t quote = line.rfind('"');
        if (line.size() > 2 && line[1] == ' ' && is_digit(line[2]) && quote != line.npos) {
            foreign_ = line.find('3', quote) != line.npos;
        }
        here_ = end;
    }

    void next()
    {
        const size_t begin = here_;
        const char c = text_[begin];
        if (begins_name(c)) {
            while (continues_name(at(here_))) {
                ++here_;
            }
            if (at(here_) == '"' && is_raw(text_.substr(begin, here_ - begin))) {
                raw_string();
                add(begin, Kind::literal);
            } else if ((at(here_) == '"' || at(here_) == '\'') && is_prefix(text_.substr(begin, here_ - begin))) {
                quoted();
                add(begin, Kind::literal);
            } else {
                add(begin, Kind::name);
            }
        } else if (is_digit(c) || (c == '.' && is_digit(at(begin + 1)))) {
            number();
            add(begin, Kind::number);
        } else if (c == '"' || c == '\'') {
            quoted();
            add(begin, Kind::literal);
        } else {
            symbol();
        }
    }

    static bool is_prefix(std::string_view name) { return name == "L" || name == "u" || name == "U" || name == "u8"; }
    static bool is_raw(std::string_view name)
    {
        return !name.empty() && name.back() == 'R' && (name.size() == 1 || is_prefix(name.substr(0, name.size() - 1)));
    }

    // Digits, letters, dots, digit separators, and signs after an exponent.
    void number()
    {
        for (++here_; here_ < text_.size(); ++here_) {
            const char c = text_[here_];
            const char before = text_[here_ - 1];
            const bool exponent = before == 'e' || before == 'E' || before == 'p' || before == 'P';
            const bool separator = c == '\'' && continues_name(at(here_ + 1));
            if (!continues_name(c) && c != '.' && !separator && !((c == '+' || c == '-') && exponent)) {
                return;
            }
        }
    }

    // A string or character up to its closing quote; an unclosed one ends with its line.
    void quoted()
    {
        const char quote = text_[here_];
        for (++here_; here_ < text_.size() && text_[here_] != '\n'; ++here_) {
            if (text_[here_] == '\\') {
                ++here_;
            } else if (text_[here_] == quote) {
                ++here_;
                return;
            }
        }
        here_ = std::min(here_, text_.size());
    }

    void raw_string()
    {
        const size_t open = text_.find('(', here_);
        if (open == text_.npos) {
            here_ = text_.size();
            return;
        }
        std::string close = ")";
        close.append(text_, here_ + 1, open - here_ - 1).push_back('"');
        const size_t end = text_.find(close, open);
        here_ = end == text_.npos ? text_.size() : end + close.size();
    }

    void symbol()
    {
        const size_t begin = here_;
        const char c = text_[begin];
        const char after = at(begin + 1);
        const bool scope = c == ':' && after == ':';
        const bool arrow = c == '-' && after == '>';
        here_ += scope || arrow ? 2 : 1;
        add(begin, Kind::symbol, scope ? 'C' : arrow ? 'A' : c);
        bracket(c);
    }

    void bracket(char c)
    {
        const auto index = static_cast<uint32_t>(tokens_.size() - 1);
        if (c == '(' || c == '[' || c == '{') {
            open_.push_back(index);
        } else if ((c == ')' || c == ']' || c == '}') && !open_.empty()) {
            const char opener = c == ')' ? '(' : c == ']' ? '[' : '{';
            if (tokens_[open_.back()].symbol == opener) {
                tokens_[index].match = open_.back();
                tokens_[open_.back()].match = index;
                open_.pop_back();
            }
        }
    }

    void add(size_t begin, Kind kind, char symbol = '\0')
    {
        tokens_.push_back({static_cast<uint32_t>(begin), static_cast<uint32_t>(here_), no_match, kind, symbol, foreign_});
    }

    std::string_view text_;
    std::vector<Token> tokens_;
    std::vector<uint32_t> open_;
    size_t here_ = 0;
    bool line_begins_ = true;
    bool foreign_ = false;
};

} // namespace

std::vector<Token> tokenize(std::string_view text) { return Lexer(text).run(); }

} // namespace opkg::asc
