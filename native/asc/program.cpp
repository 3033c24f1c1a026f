// SPDX-License-Identifier: Apache-2.0
#include "program.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace opkg::asc {
namespace {

// Names whose use in a file says that its kernels need a cube core.
constexpr std::array<std::string_view, 10> cube_names = {
    "BatchMatmul", "Conv2D", "Fixpipe", "Gemm", "LoadData", "LoadDataWithTranspose", "Matmul", "MatmulImpl", "Mmad",
    "MmadWithSparse"};

// Specifiers that take parentheses and stand between __global__ and the kernel's name.
constexpr std::array<std::string_view, 8> specifiers = {
    "__attribute__", "__attribute", "__declspec", "__launch_bounds__", "alignas", "decltype", "noexcept", mix_marker};

// Keywords before which a callee cannot continue, though they look like names.
constexpr std::array<std::string_view, 8> statements = {"return",   "else", "do",    "co_return",
                                                        "co_yield", "case", "throw", "co_await"};

// Words of the language that ask for what the twin lacks.
struct Missing {
    std::string_view word;
    const char *why;
};
constexpr std::array<Missing, 4> missing = {{
    {"__simd_vf__", "functions on vector registers (__simd_vf__) need the Reg instructions, which the twin lacks"},
    {"__simd_callee__", "functions on vector registers (__simd_callee__) need the Reg instructions, which the twin lacks"},
    {"__simt_vf__", "functions of threads (__simt_vf__) are SIMT, which the twin lacks"},
    {"__simt_callee__", "functions of threads (__simt_callee__) are SIMT, which the twin lacks"},
}};

template <size_t size>
constexpr bool contains(const std::array<std::string_view, size> &names, std::string_view name)
{
    for (const std::string_view candidate : names) {
        if (candidate == name) {
            return true;
        }
    }
    return false;
}

} // namespace

Program::Program(std::string_view text) : text_(text), tokens_(tokenize(text))
{
    read_lines();
    refuse_missing();
    find_launches();
    find_kernels();
    find_markers();
}

std::string_view Program::spelling(uint32_t index) const
{
    const Token &token = tokens_[index];
    return text_.substr(token.begin, token.end - token.begin);
}

std::string_view Program::spelling(Range range) const
{
    if (range.empty()) {
        return {};
    }
    const uint32_t begin = tokens_[range.first].begin;
    return text_.substr(begin, tokens_[range.last - 1].end - begin);
}

bool Program::is(uint32_t index, char symbol) const { return index < tokens_.size() && tokens_[index].symbol == symbol; }

bool Program::is_name(uint32_t index) const { return index < tokens_.size() && tokens_[index].kind == Kind::name; }

bool Program::is_name(uint32_t index, std::string_view name) const { return is_name(index) && spelling(index) == name; }

uint32_t Program::after(uint32_t opening) const
{
    const uint32_t match = tokens_[opening].match;
    return match == no_match ? static_cast<uint32_t>(tokens_.size()) : match + 1;
}

// The token after this one, or after what it opens.
uint32_t Program::next(uint32_t index) const
{
    return is(index, '(') || is(index, '[') || is(index, '{') ? after(index) : index + 1;
}

// The token after the angle bracket that closes this one.
uint32_t Program::after_angles(uint32_t opening) const
{
    uint32_t depth = 0;
    for (uint32_t i = opening; i < tokens_.size(); ++i) {
        switch (tokens_[i].symbol) {
            case '<':
                ++depth;
                break;
            case '>':
                if (--depth == 0) {
                    return i + 1;
                }
                break;
            case '(':
            case '[':
            case '{':
                i = after(i) - 1;
                break;
            case ';':
                return static_cast<uint32_t>(tokens_.size());
            default:
                break;
        }
    }
    return static_cast<uint32_t>(tokens_.size());
}

void Program::refuse_missing() const
{
    for (uint32_t i = 0; i < tokens_.size(); ++i) {
        const Token &token = tokens_[i];
        if (token.kind != Kind::name || text_[token.begin] != '_' || token.foreign) {
            continue;
        }
        for (const Missing &one : missing) {
            if (spelling(i) == one.word) {
                throw SourceError(*this, i, one.why);
            }
        }
    }
}

void Program::find_launches()
{
    for (uint32_t i = 0; i + 2 < tokens_.size(); ++i) {
        if (opens_launch(i)) {
            launches_.push_back(read_launch(i));
            find_nulls(launches_.back());
            i += 2;
        }
    }
    std::sort(launches_.begin(), launches_.end(), [](const Launch &a, const Launch &b) {
        return a.callee.first < b.callee.first || (a.callee.first == b.callee.first && a.last > b.last);
    });
}

// NULL and 0 as an argument: once they are copied they would be numbers. What stands in brackets is left alone, and so
// is what may stand in those of a template.
void Program::find_nulls(Launch &launch)
{
    const Range arguments = launch.arguments;
    uint32_t closing = arguments.first; // the last '>' of the arguments themselves
    for (uint32_t i = arguments.first; i < arguments.last; i = next(i)) {
        closing = is(i, '>') ? i : closing;
    }
    bool opened = false;
    for (uint32_t i = arguments.first; i < arguments.last; i = next(i)) {
        opened |= is(i, '<');
        const bool begins = i == arguments.first || is(i - 1, ',');
        const bool ends = i + 1 == arguments.last || is(i + 1, ',');
        const bool zero = tokens_[i].kind == Kind::number && spelling(i) == zero_word;
        if (begins && ends && !(opened && i < closing) && (zero || is_name(i, null_word))) {
            markers_.push_back({i, i + 1});
            launch.zeros |= zero;
        }
    }
}

// `<<<` after an expression; `operator<< <T>` is none.
bool Program::opens_launch(uint32_t index) const
{
    if (!is(index, '<') || !is(index + 1, '<') || !is(index + 2, '<') || index == 0) {
        return false;
    }
    if (tokens_[index].end != tokens_[index + 1].begin || is_name(index - 1, "operator")) {
        return false;
    }
    const Token &before = tokens_[index - 1];
    return before.kind == Kind::name || before.symbol == '>' || before.symbol == ')' || before.symbol == ']';
}

Launch Program::read_launch(uint32_t opening) const
{
    Launch launch;
    launch.callee = {callee_of(opening), opening};
    // Angle brackets that look like those of a template: `>>>` closes the launch unless it can close three of them.
    uint32_t angles = 0;
    uint32_t begin = opening + 3;
    for (uint32_t i = begin; i < tokens_.size(); ++i) {
        const char symbol = tokens_[i].symbol;
        if (symbol == '(' || symbol == '[' || symbol == '{') {
            i = after(i) - 1;
        } else if (symbol == ',') {
            if (angles == 0 || launch.configuration.empty()) {
                launch.configuration.push_back({begin, i});
                begin = i + 1;
                angles = 0;
            }
        } else if (symbol == '<' && is(i + 1, '<')) {
            ++i;
        } else if (symbol == '<' && is_name(i - 1)) {
            ++angles;
        } else if (symbol == '>' && is(i + 1, '>') && is(i + 2, '>') && angles < 3) {
            launch.configuration.push_back({begin, i});
            if (!is(i + 3, '(')) {
                throw SourceError(*this, i, "a launch ends with its arguments in parentheses: k<<<...>>>(...)");
            }
            launch.last = after(i + 3);
            launch.arguments = {i + 4, launch.last - 1};
            return launch;
        } else if (symbol == '>' && angles > 0) {
            --angles;
        } else if (symbol == ';') {
            break;
        }
    }
    throw SourceError(*this, opening, "this '<<<' of a launch has no '>>>'");
}

// The first token of the postfix expression that ends before `opening`.
uint32_t Program::callee_of(uint32_t opening) const
{
    uint32_t i = opening - 1;
    for (;;) {
        // One primary: a name, a template-id, or something in brackets.
        while ((is(i, ')') || is(i, ']')) && tokens_[i].match != no_match && i > 0) {
            i = tokens_[i].match;
            const Token &before = tokens_[i == 0 ? 0 : i - 1];
            const bool called = before.symbol == ')' || before.symbol == ']' || before.symbol == '>' ||
                                (before.kind == Kind::name && !contains(statements, spelling(i - 1)));
            if (i == 0 || !called || (before.symbol == '>' && is(i, '(') && before_angles(i - 1) == i - 1)) {
                return i;
            }
            --i;
        }
        if (is(i, '>')) {
            const uint32_t open = before_angles(i);
            if (open == i || open == 0 || !is_name(open - 1)) {
                throw SourceError(*this, opening, "cannot see which kernel this '<<<' launches");
            }
            i = open - 1;
        }
        if (i > 0 && is_name(i - 1, "template")) {
            --i;
        }
        if (i == 0) {
            return i;
        }
        const char joint = tokens_[i - 1].symbol;
        if (joint != 'C' && joint != '.' && joint != 'A') {
            return i;
        }
        const bool continues = i >= 2 && (is(i - 2, '>') || is(i - 2, ')') || is(i - 2, ']') ||
                                          (is_name(i - 2) && !contains(statements, spelling(i - 2))));
        if (!continues) {
            return i - 1; // `::kernel`
        }
        i -= 2;
    }
}

// The `<` that this `>` closes; the index itself if there is none.
uint32_t Program::before_angles(uint32_t closing) const
{
    uint32_t depth = 0;
    for (uint32_t i = closing + 1; i-- > 0;) {
        switch (tokens_[i].symbol) {
            case '>':
                ++depth;
                break;
            case '<':
                if (i > 0 && is(i - 1, '<')) {
                    --i; // a shift among the template's arguments
                } else if (--depth == 0) {
                    return i;
                }
                break;
            case ')':
            case ']':
            case '}':
                if (tokens_[i].match == no_match) {
                    return closing;
                }
                i = tokens_[i].match;
                break;
            case ';':
            case '{':
                return closing;
            default:
                break;
        }
    }
    return closing;
}

void Program::find_kernels()
{
    for (uint32_t i = 0; i < tokens_.size(); ++i) {
        if (!is_name(i)) {
            continue;
        }
        const std::string_view name = spelling(i);
        if (name == global_marker) {
            read_kernel(i);
        } else if (!tokens_[i].foreign && contains(cube_names, name)) {
            uses_cube_ = true;
        }
    }
    for (uint32_t i = 0; uses_cube_ && !cube_only_ && i < tokens_.size(); ++i) {
        cube_only_ = is_name(i, cube_only_marker);
    }
}

void Program::read_kernel(uint32_t marker)
{
    Kernel kernel;
    read_linkage(marker, kernel);
    const uint32_t parameters = read_declarator(marker, kernel);
    if (parameters == no_match) {
        return;
    }
    read_parameters(parameters, kernel);
    kernel.body = find_body(after(parameters));
    if (kernel.body != no_match && kernel.cores.empty()) {
        read_task_types(kernel);
    }
    kernels_.push_back(std::move(kernel));
}

// What stands before __global__: `extern "C"`, kinds of cores, other specifiers; before these perhaps `template <...>`.
void Program::read_linkage(uint32_t marker, Kernel &kernel) const
{
    uint32_t i = marker;
    while (i > 0) {
        const uint32_t before = i - 1;
        if (tokens_[before].kind == Kind::literal && before > 0 && is_name(before - 1, "extern")) {
            kernel.c_linkage = spelling(before) == "\"C\"";
            i = before - 1;
        } else if (is_name(before)) {
            read_core_marker(before, kernel);
            i = before;
        } else if ((is(before, ')') || is(before, ']')) && tokens_[before].match != no_match) {
            i = tokens_[before].match; // of __mix__(1, 2) or [[...]]
        } else {
            break;
        }
    }
    kernel.is_template = i > 0 && is(i - 1, '>');
    // extern "C" { ... } around it
    for (uint32_t open = marker; !kernel.c_linkage && open-- > 0;) {
        if (is(open, '}') && tokens_[open].match != no_match) {
            open = tokens_[open].match;
        } else if (is(open, '{')) {
            kernel.c_linkage = open >= 2 && spelling(open - 1) == "\"C\"" && is_name(open - 2, "extern");
            break;
        }
    }
}

void Program::read_core_marker(uint32_t index, Kernel &kernel) const
{
    if (is_name(index, vector_marker)) {
        kernel.cores = "::opkg::asc::vector_cores()";
    } else if (is_name(index, cube_marker)) {
        kernel.cores = "::opkg::asc::cube_cores()";
    } else if (is_name(index, aicpu_marker)) {
        kernel.cores = "::opkg::asc::ai_cpu()";
    } else if (is_name(index, mix_marker) && is(index + 1, '(')) {
        kernel.cores = "::opkg::asc::mixed";
        kernel.cores += spelling({index + 1, after(index + 1)});
    }
}

// Reads up to the kernel's name; the parenthesis that opens its parameters, or no_match if this is no function.
uint32_t Program::read_declarator(uint32_t marker, Kernel &kernel)
{
    kernel.returns_void = false;
    for (uint32_t i = marker + 1; i < tokens_.size();) {
        if (is_name(i) && is(i + 1, '(') && contains(specifiers, spelling(i))) {
            read_core_marker(i, kernel);
            i = after(i + 1);
        } else if (is_name(i)) {
            read_core_marker(i, kernel);
            const uint32_t next = is(i + 1, '<') ? after_angles(i + 1) : i + 1;
            if (is(next, '(')) {
                kernel.name = spelling(i);
                return next;
            }
            kernel.returns_void = is_name(i, "void") || (kernel.returns_void && is_name(i, "inline"));
            i = next;
        } else if (is(i, '[') && is_name(i + 1, "aicore") && is(i + 2, ']')) {
            markers_.push_back({i, i + 3});
            i += 3;
        } else if (is(i, '[')) {
            i = after(i);
        } else if (is(i, '*') || is(i, '&') || is(i, 'C')) {
            kernel.returns_void = false;
            ++i;
        } else {
            return no_match;
        }
    }
    return no_match;
}

void Program::read_parameters(uint32_t opening, Kernel &kernel) const
{
    const uint32_t end = after(opening) - 1;
    uint32_t begin = opening + 1;
    for (uint32_t i = begin; i <= end && i < tokens_.size();) {
        if (i != end && !is(i, ',')) {
            i = is(i, '<') ? std::min(after_angles(i), end) : next(i);
            continue;
        }
        Range type{begin, i};
        for (uint32_t j = begin; j < i; ++j) {
            type.last = is(j, '=') ? std::min(type.last, j) : type.last; // a default argument
        }
        Parameter parameter{type};
        if (type.last - type.first > 1 && is_name(type.last - 1)) {
            --parameter.type.last;
        }
        const bool none = type.empty() || (type.last - type.first == 1 && is_name(type.first, "void"));
        if (!none) {
            kernel.parameters.push_back(parameter);
        }
        begin = ++i;
    }
}

// The brace that opens the body, past attributes, noexcept and a trailing return type; no_match for a declaration.
uint32_t Program::find_body(uint32_t i) const
{
    while (i < tokens_.size()) {
        if (is(i, '{')) {
            return i;
        }
        if (is(i, '(') || is(i, '[')) {
            i = after(i);
        } else if (is_name(i) || is(i, 'A') || is(i, 'C') || is(i, '*') || is(i, '&')) {
            ++i;
        } else {
            return no_match;
        }
    }
    return no_match;
}

// KERNEL_TASK_TYPE_DEFAULT(type) and KERNEL_TASK_TYPE(key, type) in the body; the default comes first.
void Program::read_task_types(Kernel &kernel) const
{
    std::string keyed;
    const uint32_t end = after(kernel.body);
    for (uint32_t i = kernel.body; i < end; ++i) {
        if (!is_name(i, task_type_marker) || !is(i + 1, '(')) {
            continue;
        }
        const Range arguments{i + 2, after(i + 1) - 1};
        uint32_t comma = arguments.first;
        while (comma < arguments.last && !is(comma, ',')) {
            comma = is(comma, '(') ? after(comma) : comma + 1;
        }
        const bool has_key = comma < arguments.last;
        std::string call = "::opkg::asc::task_type(";
        if (has_key) {
            call.append("static_cast<uint64_t>(").append(spelling(Range{arguments.first, comma})).append("), ");
        }
        const Range type{has_key ? comma + 1 : arguments.first, arguments.last};
        call.append("static_cast<int>(").append(spelling(type)).append("))");
        if (!has_key && kernel.cores.empty()) {
            kernel.cores = call;
        } else if (has_key) {
            keyed.append(", ").append(call);
        }
    }
    if (!keyed.empty() && kernel.cores.empty()) {
        kernel.cores = automatic();
    }
    kernel.cores += keyed;
}

// What a kernel that says nothing needs, by what its file uses.
std::string Program::automatic() const
{
    return cube_only_ ? "::opkg::asc::cube_cores()" : uses_cube_ ? "::opkg::asc::automatic(true)" : "::opkg::asc::automatic(false)";
}

void Program::find_markers()
{
    for (uint32_t i = 0; i < tokens_.size(); ++i) {
        if (!is_name(i) || spelling(i).substr(0, 7) != "__opkg_") {
            continue;
        }
        const std::string_view name = spelling(i);
        if (name == global_marker || name == vector_marker || name == cube_marker || name == aicpu_marker) {
            markers_.push_back({i, i + 1});
        } else if ((name == mix_marker || name == task_type_marker) && is(i + 1, '(')) {
            markers_.push_back({i, after(i + 1)});
        }
    }
    std::sort(markers_.begin(), markers_.end(), [](Range a, Range b) { return a.first < b.first; });
}

// Where lines begin, and which of them are markers.
void Program::read_lines()
{
    for (size_t begin = 0; begin < text_.size();) {
        const size_t end = std::min(text_.find('\n', begin), text_.size());
        rows_.push_back(static_cast<uint32_t>(begin));
        const std::string_view row = text_.substr(begin, end - begin);
        const size_t quote = row.find('"');
        const size_t last = row.rfind('"');
        size_t line = 0;
        if (row.size() > 2 && row[0] == '#' && row[1] == ' ' && quote != last &&
            std::from_chars(row.data() + 2, row.data() + row.size(), line).ec == std::errc()) {
            const size_t system = row.find(" 3", last);
            line_markers_.push_back({row.substr(quote + 1, last - quote - 1),
                                     system == row.npos ? std::string_view() : row.substr(system), {}, line});
            marked_rows_.push_back(static_cast<uint32_t>(rows_.size() - 1));
        }
        begin = end + 1;
    }
}

// The nearest line marker before an offset, and how many lines after it that is.
Place Program::place(uint32_t offset) const
{
    if (rows_.empty()) {
        return {};
    }
    const auto row = static_cast<uint32_t>(std::upper_bound(rows_.begin(), rows_.end(), offset) - rows_.begin() - 1);
    const auto after = std::lower_bound(marked_rows_.begin(), marked_rows_.end(), row);
    const auto index = static_cast<size_t>(after - marked_rows_.begin());
    Place place = index == 0 ? Place() : line_markers_[index - 1];
    place.line += index == 0 ? row : row - marked_rows_[index - 1] - 1;
    place.before = text_.substr(rows_[row], offset - rows_[row]);
    return place;
}

SourceError::SourceError(const Program &program, uint32_t token, std::string message_text)
    : message(std::move(message_text))
{
    const Place place = program.place(program.tokens()[token].begin);
    file = place.file;
    line = place.line;
    column = place.before.size() + 1;
}

} // namespace opkg::asc
