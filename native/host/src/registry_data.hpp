// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "operator.hpp"

namespace opkg::host {

struct RegistryData {
    struct Added {
        std::string type;
        ops::OpDef *(*create)(const char *type);
    };
    struct Config {
        std::string type;
        std::string soc;
        ops::OpAICoreConfig (*create)();
    };
    struct TilingStruct {
        std::string op_type;
        std::string class_name;
        size_t size;
        std::vector<TilingField> fields;
    };

    ImplSpec *FindImpl(const std::string &type);

    // Filled while the library is loaded.
    std::vector<Added> added;
    std::vector<Config> configs;
    std::deque<std::pair<std::string, ImplSpec>> impls;
    std::vector<TilingStruct> tiling_structs;
    std::vector<std::pair<std::string, std::string>> kernel_paths;
    std::string vendor, name, version, soc;

    // Filled when the package is opened, and constant from then on.
    std::once_flag opened;
    std::string root;
    std::vector<std::unique_ptr<Operator>> operators;
    std::vector<const opkg_operator_v1 *> tables;
    opkg_package_v1 package = {};

    std::mutex describe_mutex;
    std::string description;
};

} // namespace opkg::host
