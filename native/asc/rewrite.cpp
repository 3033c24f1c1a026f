// SPDX-License-Identifier: Apache-2.0
#include "rewrite.hpp"

#include <algorithm>

namespace opkg::asc {
namespace {

// A piece of C++ on one line: line ends, markers and comments become blanks. Strings have none of them in them but
// for raw strings, which nobody writes where a launch's kernel or configuration stands.
std::string on_one_line(std::string_view text)
{
    std::string line;
    line.reserve(text.size());
    size_t begin = 0;
    while (begin <= text.size()) {
        const size_t end = std::min(text.find('\n', begin), text.size());
        const std::string_view row = text.substr(begin, end - begin);
        if (begin == 0 || row.empty() || row.front() != '#') {
            line.append(line.empty() ? "" : " ").append(row);
        }
        begin = end + 1;
    }
    return line;
}

class Rewriter {
public:
    explicit Rewriter(const Program &program) : program_(program), tokens_(program.tokens())
    {
        for (const Kernel &kernel : program.kernels()) {
            if (kernel.body != no_match) {
                bodies_.push_back(&kernel);
            }
        }
        std::sort(bodies_.begin(), bodies_.end(), [](const Kernel *a, const Kernel *b) { return a->body < b->body; });
    }

    std::string run()
    {
        const std::string_view text = program_.text();
        std::string out;
        out.reserve(text.size() + text.size() / 16);
        copy(out, 0, static_cast<uint32_t>(text.size()), {0, static_cast<uint32_t>(tokens_.size())});
        return out;
    }

private:
    // The text between two offsets, where the tokens of `range` are.
    void copy(std::string &out, uint32_t begin, uint32_t end, Range range)
    {
        uint32_t here = begin;
        for (uint32_t i = range.first; i < range.last;) {
            const uint32_t next = next_change(i, range.last);
            if (next == range.last) {
                break;
            }
            const Token &token = tokens_[next];
            append(out, here, token.begin);
            here = change(out, next, range.last, i);
        }
        append(out, here, end);
    }

    // Makes the change at a token; the offset where copying continues. `next` becomes the token there.
    uint32_t change(std::string &out, uint32_t index, uint32_t last, uint32_t &next)
    {
        const Launch *launch = next_launch(index, last);
        if (launch != nullptr && launch->callee.first == index) {
            call(out, *launch);
            next = launch->last;
            return tokens_[launch->last - 1].end;
        }
        const auto &markers = program_.markers();
        const auto marker = std::lower_bound(markers.begin(), markers.end(), index,
                                             [](Range a, uint32_t b) { return a.first < b; });
        if (marker != markers.end() && marker->first == index) {
            next = marker->last;
            const uint32_t end = tokens_[marker->last - 1].end;
            blank(out, tokens_[index].begin, end);
            return end;
        }
        const auto body = std::lower_bound(bodies_.begin(), bodies_.end(), index,
                                           [](const Kernel *a, uint32_t b) { return a->body < b; });
        out.push_back('{');
        answer(out, **body);
        next = index + 1;
        return tokens_[index].end;
    }

    // The first token from `index` on at which something changes.
    uint32_t next_change(uint32_t index, uint32_t last) const
    {
        uint32_t found = last;
        if (const Launch *launch = next_launch(index, last)) {
            found = launch->callee.first;
        }
        const auto &markers = program_.markers();
        const auto marker = std::lower_bound(markers.begin(), markers.end(), index,
                                             [](Range a, uint32_t b) { return a.first < b; });
        if (marker != markers.end()) {
            found = std::min(found, marker->first);
        }
        const auto body = std::lower_bound(bodies_.begin(), bodies_.end(), index,
                                           [](const Kernel *a, uint32_t b) { return a->body < b; });
        if (body != bodies_.end()) {
            found = std::min(found, (*body)->body);
        }
        return found;
    }

    // The first launch that lies whole in [index, last): a launch does not lie in its own callee.
    const Launch *next_launch(uint32_t index, uint32_t last) const
    {
        const auto &launches = program_.launches();
        auto launch = std::lower_bound(launches.begin(), launches.end(), index,
                                       [](const Launch &a, uint32_t b) { return a.callee.first < b; });
        while (launch != launches.end() && launch->callee.first < last && launch->last > last) {
            ++launch;
        }
        return launch != launches.end() && launch->callee.first < last ? &*launch : nullptr;
    }

    void append(std::string &out, uint32_t begin, uint32_t end) { out.append(program_.text(), begin, end - begin); }

    // Markers leave a blank, and the line ends in them.
    void blank(std::string &out, uint32_t begin, uint32_t end)
    {
        if (program_.text().substr(begin, end - begin) == null_word) {
            out.append("nullptr");
            return;
        }
        if (program_.text().substr(begin, end - begin) == zero_word) {
            out.append("::opkg::asc::Zero()");
            resume(out, end);
            return;
        }
        for (const char c : program_.text().substr(begin, end - begin)) {
            if (c == '\n') {
                out.push_back('\n');
            }
        }
        out.push_back(' ');
    }

    void answer(std::string &out, const Kernel &kernel)
    {
        out.append(" if (::opkg::asc::asked()) { ::opkg::asc::answer(\"").append(kernel.name).append("\", ");
        out.append(kernel.cores.empty() ? program_.automatic() : on_one_line(kernel.cores));
        out.append(kernel.returns_void ? "); return; }" : "); return {}; }");
        resume(out, tokens_[kernel.body].end);
    }

    void call(std::string &out, const Launch &launch)
    {
        const size_t values = launch.configuration.size();
        if (values == 4) {
            throw SourceError(program_, launch.callee.last,
                              "a launch with threads (four values between '<<<' and '>>>') is SIMT, which the twin lacks");
        }
        if (values < 2 || values > 4) {
            throw SourceError(program_, launch.callee.last,
                              "a launch has two or three values between '<<<' and '>>>': blocks, dynamic buffer, stream");
        }
        out.append(launch.zeros ? "::opkg::asc::launch_zeros(" : "::opkg::asc::launch(");
        for (const Range &value : launch.configuration) {
            out.push_back('(');
            piece(out, value);
            out.append("), ");
        }
        out.append(values == 2 ? "nullptr, " : "");
        if (launch.zeros) { // whether the kernel takes them as numbers
            out.append("[=](auto... opkg_a) -> decltype(void(");
            piece(out, launch.callee);
            out.append("(opkg_a...))) {}, ");
        }
        out.append("[=](auto... opkg_a) { ");
        piece(out, launch.callee);
        out.append("(opkg_a...); }").append(launch.arguments.empty() ? "" : ", ");
        const uint32_t begin = tokens_[launch.arguments.first - 1].end;
        resume(out, begin);
        copy(out, begin, tokens_[launch.last - 1].begin, launch.arguments);
        out.push_back(')');
    }

    // Tokens at another place of the text, on the lines and in the columns where they stood.
    void piece(std::string &out, Range range)
    {
        if (!range.empty()) {
            resume(out, tokens_[range.first].begin);
            copy(out, tokens_[range.first].begin, tokens_[range.last - 1].end, range);
        }
    }

    // A line marker and blanks, so that what follows is where it was in the user's file.
    void resume(std::string &out, uint32_t offset)
    {
        const Place place = program_.place(offset);
        out.append("\n# ").append(std::to_string(place.line)).append(" \"").append(place.file).append("\"");
        out.append(place.flags).push_back('\n');
        for (const char c : place.before) {
            out.push_back(c == '\t' ? '\t' : ' ');
        }
    }

    const Program &program_;
    const std::vector<Token> &tokens_;
    std::vector<const Kernel *> bodies_;
};

// How a plain program hands a parameter over: any pointer as void *, a number as it is, a struct by its address.
enum class Passing { pointer, number, object };

Passing passing(const Program &program, const Parameter &parameter)
{
    if (program.tokens()[parameter.type.last - 1].symbol == '*') {
        return Passing::pointer;
    }
    for (uint32_t i = parameter.type.first; i < parameter.type.last; ++i) {
        const std::string_view word = program.spelling(i);
        const bool integer = word.size() > 2 && word.substr(word.size() - 2) == "_t" && word.find("int") != word.npos;
        for (const char *number : {"int", "unsigned", "signed", "long", "short", "char", "bool", "float", "double", "size_t"}) {
            if (word == number || integer) {
                return Passing::number;
            }
        }
    }
    return Passing::object;
}

std::string type_of(const Program &program, const Parameter &parameter)
{
    return on_one_line(program.spelling(parameter.type));
}

std::string prototype(const Program &program, const Kernel &kernel)
{
    std::string text = "uint32_t aclrtlaunch_";
    text.append(kernel.name).append("(uint32_t blockDim, void *stream");
    for (size_t i = 0; i < kernel.parameters.size(); ++i) {
        const Passing kind = passing(program, kernel.parameters[i]);
        const std::string type = kind == Passing::pointer  ? "void *"
                                 : kind == Passing::number ? type_of(program, kernel.parameters[i]) + " "
                                                           : "const void *";
        text.append(", ").append(type).append("opkg_").append(std::to_string(i));
    }
    return text.append(")");
}

// The argument of a kernel that a parameter of its launcher stands for.
std::string argument(const Program &program, const Parameter &parameter, size_t index)
{
    const std::string type = type_of(program, parameter);
    const std::string name = "opkg_" + std::to_string(index);
    switch (passing(program, parameter)) {
        case Passing::pointer:
            return "static_cast<" + type + ">(" + name + ")";
        case Passing::number:
            return name;
        default:
            return "*static_cast<const ::opkg::asc::Plain<" + type + "> *>(" + name + ")";
    }
}

bool has_launcher(const Kernel &kernel) { return kernel.body != no_match && !kernel.is_template && kernel.c_linkage; }

} // namespace

std::string rewrite(const Program &program) { return Rewriter(program).run(); }

std::string launchers(const Program &program)
{
    std::string out;
    for (const Kernel &kernel : program.kernels()) {
        if (!has_launcher(kernel)) {
            continue;
        }
        const std::string call = "::opkg::asc::launch(blockDim, nullptr, stream, [](auto... opkg_a) { " +
                                 std::string(kernel.name) + "(opkg_a...); }";
        std::string named;
        std::string packed;
        for (size_t i = 0; i < kernel.parameters.size(); ++i) {
            named += ", " + argument(program, kernel.parameters[i], i);
            packed += ", *static_cast<const ::opkg::asc::Plain<" + type_of(program, kernel.parameters[i]) + "> *>(opkg_values[" +
                      std::to_string(i) + "])";
        }
        out.append("\nextern \"C\" ").append(prototype(program, kernel));
        out.append(" { return ").append(call).append(named).append("); }\n");
        // For kernels that are looked up by name: where the bytes of each argument are.
        out.append("extern \"C\" uint32_t opkg_asc_packed_").append(kernel.name);
        out.append("(uint32_t blockDim, void *stream, [[maybe_unused]] const void *const *opkg_values) { return ");
        out.append(call).append(packed).append("); }\n");
        out.append("extern \"C\" const uint32_t opkg_asc_arguments_").append(kernel.name);
        out.append(" = ").append(std::to_string(kernel.parameters.size())).append(";\n");
    }
    return out;
}

std::string launch_header(const Program &program, const Kernel &kernel)
{
    if (!has_launcher(kernel)) {
        return "";
    }
    std::string guard = "OPKG_ACLRTLAUNCH_";
    guard += kernel.name;
    std::string out = "#ifndef " + guard + "\n#define " + guard + "\n#include <stdint.h>\n";
    out += "#ifndef ACLRT_LAUNCH_KERNEL\n#define ACLRT_LAUNCH_KERNEL(kernel) aclrtlaunch_##kernel\n#endif\n";
    out += "extern \"C\" " + prototype(program, kernel) + ";\n#endif\n";
    return out;
}

} // namespace opkg::asc
