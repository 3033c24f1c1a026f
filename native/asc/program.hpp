// SPDX-License-Identifier: Apache-2.0
// What a preprocessed Ascend C file contains: where it launches kernels, and which functions are kernels.
#ifndef OPKG_ASC_PROGRAM_HPP
#define OPKG_ASC_PROGRAM_HPP

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tokens.hpp"

namespace opkg::asc {

// Tokens [first, last).
struct Range {
    uint32_t first = 0;
    uint32_t last = 0;

    bool empty() const { return first == last; }
};

// callee<<<configuration...>>>(arguments)
struct Launch {
    Range callee;
    std::vector<Range> configuration;
    Range arguments;
    uint32_t last = 0; // the token after the closing parenthesis
    bool zeros = false; // an argument is a literal 0
};

struct Parameter {
    Range type;
};

// A function that is marked __global__.
struct Kernel {
    std::string_view name;
    std::vector<Parameter> parameters;
    uint32_t body = no_match;        // of a definition: its opening brace
    bool returns_void = true;
    bool c_linkage = false;          // extern "C" stands before it
    bool is_template = false;
    std::string cores;               // the expression that says which cores it needs; empty: it does not say
};

// The markers that the macros of the device language leave behind, see opkg/asc_language.h.
inline constexpr std::string_view global_marker = "__opkg_global__";
inline constexpr std::string_view vector_marker = "__opkg_vector__";
inline constexpr std::string_view cube_marker = "__opkg_cube__";
inline constexpr std::string_view mix_marker = "__opkg_mix__";
inline constexpr std::string_view aicpu_marker = "__opkg_aicpu__";
inline constexpr std::string_view task_type_marker = "__opkg_task_type__";
inline constexpr std::string_view cube_only_marker = "opkg_asc_cube_only";

// Where something stands, as the line markers say.
struct Place {
    std::string_view file;   // as in the marker, with its backslashes
    std::string_view flags;  // " 3 4" in a system header
    std::string_view before; // the text of its line before it
    size_t line = 1;
};

inline constexpr std::string_view null_word = "__null"; // what NULL is, to g++ and clang
inline constexpr std::string_view zero_word = "0";      // a number, or a null pointer

class Program {
public:
    // Throws SourceError where a launch cannot be understood. The text must outlive the program.
    explicit Program(std::string_view text);

    std::string_view text() const { return text_; }
    const std::vector<Token> &tokens() const { return tokens_; }
    const std::vector<Launch> &launches() const { return launches_; } // by the first token of the callee
    const std::vector<Kernel> &kernels() const { return kernels_; }
    const std::vector<Range> &markers() const { return markers_; }    // tokens that no compiler knows
    std::string automatic() const;
    Place place(uint32_t offset) const;

    std::string_view spelling(uint32_t index) const;
    std::string_view spelling(Range range) const;

private:
    bool is(uint32_t index, char symbol) const;
    bool is_name(uint32_t index, std::string_view name) const;
    bool is_name(uint32_t index) const;
    uint32_t after(uint32_t opening) const; // the token after the bracket that closes this one; the end if none does
    uint32_t next(uint32_t index) const;
    uint32_t after_angles(uint32_t opening) const;

    void read_lines();
    void find_launches();
    void find_nulls(Launch &launch);
    bool opens_launch(uint32_t index) const;
    Launch read_launch(uint32_t opening) const;
    uint32_t callee_of(uint32_t opening) const;
    uint32_t before_angles(uint32_t closing) const;

    void find_kernels();
    void read_kernel(uint32_t marker);
    void read_linkage(uint32_t marker, Kernel &kernel) const;
    uint32_t read_declarator(uint32_t marker, Kernel &kernel);
    void read_parameters(uint32_t opening, Kernel &kernel) const;
    uint32_t find_body(uint32_t after_parameters) const;
    void read_task_types(Kernel &kernel) const;
    void read_core_marker(uint32_t index, Kernel &kernel) const;
    void find_markers();
    void refuse_missing() const;

    std::string_view text_;
    std::vector<Token> tokens_;
    std::vector<Launch> launches_;
    std::vector<Kernel> kernels_;
    std::vector<Range> markers_;
    std::vector<uint32_t> rows_;        // the offset at which each line of the text begins
    std::vector<uint32_t> marked_rows_; // the rows that are line markers,
    std::vector<Place> line_markers_;   // and what each of them says
    bool uses_cube_ = false;
    bool cube_only_ = false;
};

// A source that cannot be rewritten: where, as the line markers say, and why.
class SourceError {
public:
    SourceError(const Program &program, uint32_t token, std::string message);

    std::string file;
    size_t line;
    size_t column;
    std::string message;
};

} // namespace opkg::asc

#endif // OPKG_ASC_PROGRAM_HPP
