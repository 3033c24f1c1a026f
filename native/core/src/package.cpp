// SPDX-License-Identifier: Apache-2.0
#include "opkg/core.hpp"

#include <dlfcn.h>
#include <elf.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>

namespace opkg::core {
namespace {

#if defined(__x86_64__)
constexpr int kMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr int kMachine = EM_AARCH64;
#elif defined(__riscv)
constexpr int kMachine = EM_RISCV;
#else
constexpr int kMachine = EM_NONE;
#endif

const char* machine_name(int machine) {
    switch (machine) {
        case EM_X86_64: return "x86_64";
        case EM_AARCH64: return "aarch64";
        case EM_386: return "i386";
        case EM_ARM: return "arm";
        case EM_RISCV: return "riscv";
        case EM_PPC64: return "ppc64le";
        default: return "another machine";
    }
}

[[noreturn]] void not_a_library(const std::string& path, const std::string& what) {
    throw Error("OPKG-9101", "'" + path + "' " + what, "install the package again");
}

struct File {
    explicit File(const std::string& path) : handle(std::fopen(path.c_str(), "rbe")) {}
    ~File() {
        if (handle) std::fclose(handle);
    }
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    bool read(void* to, size_t size, uint64_t offset) const {
        return std::fseek(handle, static_cast<long>(offset), SEEK_SET) == 0 && std::fread(to, 1, size, handle) == size;
    }
    uint64_t size() const { return std::fseek(handle, 0, SEEK_END) == 0 ? static_cast<uint64_t>(std::ftell(handle)) : 0; }
    std::FILE* handle;
};

// A library that ends early is mapped all the same, and the process dies of SIGBUS where the file ends.
bool is_cut(const File& file, const Elf64_Ehdr& header) {
    const uint64_t size = file.size();
    for (unsigned i = 0; i < header.e_phnum; ++i) {
        Elf64_Phdr segment;
        if (!file.read(&segment, sizeof segment, header.e_phoff + uint64_t{i} * header.e_phentsize)) return true;
        if (segment.p_type == PT_LOAD && (segment.p_offset > size || size - segment.p_offset < segment.p_filesz)) return true;
    }
    return false;
}

// dlopen says the least about the most common mistakes: no such file, a file for another machine, a part of a file.
void check_elf(const std::string& path) {
    const File file(path);
    if (!file.handle)
        throw Error("OPKG-9101", "cannot read host library '" + path + "': " + std::strerror(errno),
                    "verify the package with 'opkg verify', or install it again");
    Elf64_Ehdr header;
    if (!file.read(&header, sizeof header, 0) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
        not_a_library(path, "is not a shared library");
    if (kMachine != EM_NONE && header.e_machine != kMachine)
        throw Error("OPKG-9103", "'" + path + "' was built for " + machine_name(header.e_machine) +
                                     ", and this process runs on " + machine_name(kMachine),
                    "build the package on this machine, or install the bundle made for it");
    if (header.e_ident[EI_CLASS] == ELFCLASS64 && is_cut(file, header)) not_a_library(path, "is only a part of a library");
}

std::string own_directory() {
    Dl_info info{};
    if (!dladdr(reinterpret_cast<const void*>(&own_directory), &info) || !info.dli_fname) return "";
    const std::string path = info.dli_fname;
    const size_t slash = path.rfind('/');
    return slash == std::string::npos ? "" : path.substr(0, slash + 1);
}

// A package names these two and has no rpath: a library that is loaded already satisfies the name. That one of them is
// missing is said by the package's own dlopen, if it needs it.
void load_runtime() {
    static std::once_flag once;
    std::call_once(once, [] {
        const std::string directory = own_directory();
        for (const char* name : {"libopkg_twin.so.1", "libopkg_host.so.1"})
            dlopen((directory + name).c_str(), RTLD_NOW | RTLD_LOCAL);
        dlerror();
    });
}

void* load(const std::string& path) {
    if (void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return handle;
    const char* text = dlerror();
    const std::string reason = text ? text : "unknown reason";
    if (reason.find("libopkg_") == 0)
        throw Error("OPKG-9102", "package library '" + path + "' needs " + reason.substr(0, reason.find(':')) +
                                     ", which this opkg does not have",
                    "use the opkg version that the package was built with, or build the package again");
    throw Error("OPKG-9101", "cannot load host library '" + path + "': " + reason, "build the package again on this machine");
}

opkg_package_open_v1_fn find_open(void* handle, const std::string& path) {
    if (void* symbol = dlsym(handle, OPKG_PACKAGE_OPEN_SYMBOL)) return reinterpret_cast<opkg_package_open_v1_fn>(symbol);
    for (char version = '2'; version <= '9'; ++version)
        if (dlsym(handle, (std::string("opkg_package_open_v") + version).c_str()))
            throw Error("OPKG-9102", "'" + path + "' speaks package interface " + version + ", and this opkg knows 1",
                        "update opkg, or build the package with this version");
    throw Error("OPKG-9101", "'" + path + "' is not the host library of an opkg package: it lacks " OPKG_PACKAGE_OPEN_SYMBOL,
                "build the project with 'opkg build'");
}

[[noreturn]] void newer(const std::string& path, const std::string& what, uint32_t version) {
    throw Error("OPKG-9102", what + " of '" + path + "' has interface version " + std::to_string(version) +
                                 ", and this opkg knows " + std::to_string(OPKG_ABI_VERSION),
                "update opkg, or build the package with this version");
}

[[noreturn]] void damaged(const std::string& path, const std::string& what) {
    throw Error("OPKG-9101", "'" + path + "': " + what, "build the package again");
}

void check_operator(const std::string& path, const opkg_operator_v1* op) {
    constexpr uint32_t kSize = offsetof(opkg_operator_v1, n_columns) + sizeof(uint32_t);
    if (!op || op->struct_size < kSize || !op->type) damaged(path, "its table has an incomplete operator entry");
    if (op->abi_version > OPKG_ABI_VERSION) newer(path, std::string("operator ") + op->type, op->abi_version);
    if (!op->infer_shape || !op->infer_dtype || !op->tiling || !op->launch)
        damaged(path, std::string("operator ") + op->type + " lacks a function of its table");
}

void check_table(const std::string& path, const opkg_package_v1* table) {
    if (!table) damaged(path, "its table could not be opened");
    if (table->abi_version > OPKG_ABI_VERSION) newer(path, "the package table", table->abi_version);
    constexpr uint32_t kSize = offsetof(opkg_package_v1, describe) + sizeof(void*);
    if (table->abi_version == 0 || table->struct_size < kSize || !table->vendor || !table->name || !table->version ||
        (table->n_operators && !table->operators))
        damaged(path, "its package table is incomplete");
    for (uint32_t i = 0; i < table->n_operators; ++i) check_operator(path, table->operators[i]);
}

struct Loaded {
    std::mutex mutex;
    std::map<std::string, std::weak_ptr<const Package>> packages;
};

// Never destroyed: packages may still be in use while the process ends.
Loaded& loaded() {
    static auto* const instance = new Loaded;
    return *instance;
}

} // namespace

Package::Package(std::string host_library, const opkg_package_v1* table)
    : host_library_(std::move(host_library)), table_(table) {}

// A library stays loaded: kernels it started threads for, or objects it registered, must not lose their code.
std::shared_ptr<const Package> Package::open(const std::string& root, const std::string& host_library) {
    Loaded& all = loaded();
    std::lock_guard<std::mutex> lock(all.mutex);
    std::weak_ptr<const Package>& slot = all.packages[host_library];
    if (auto found = slot.lock()) return found;
    check_elf(host_library);
    load_runtime();
    void* handle = load(host_library);
    const opkg_package_v1* table = find_open(handle, host_library)(root.c_str());
    check_table(host_library, table);
    std::shared_ptr<const Package> package(new Package(host_library, table));
    slot = package;
    return package;
}

std::vector<std::string> Package::operators() const {
    std::vector<std::string> names;
    for (uint32_t i = 0; i < table_->n_operators; ++i) names.emplace_back(table_->operators[i]->type);
    return names;
}

const opkg_operator_v1* Package::find(std::string_view type) const noexcept {
    for (uint32_t i = 0; i < table_->n_operators; ++i)
        if (type == table_->operators[i]->type) return table_->operators[i];
    return nullptr;
}

std::string Package::describe() const {
    const char* text = table_->describe ? table_->describe() : nullptr;
    return text ? text : "";
}

} // namespace opkg::core
