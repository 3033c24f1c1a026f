// SPDX-License-Identifier: Apache-2.0
#ifndef OPKG_HOST_TILING_PARSE_CONTEXT_H
#define OPKG_HOST_TILING_PARSE_CONTEXT_H

namespace fe {
class PlatFormInfos;
}

namespace gert {

// Given to the function registered with TilingParse, which fills the operator's compile info from the platform.
class TilingParseContext {
public:
    TilingParseContext(const char *type, void *compiled, fe::PlatFormInfos *platform)
        : type_(type), compiled_(compiled), platform_(platform)
    {
    }

    const char *GetNodeName() const { return type_; }
    const char *GetNodeType() const { return type_; }
    const char *GetCompiledJson() const { return "{}"; }
    template <typename T> T *GetCompiledInfo() { return static_cast<T *>(compiled_); }
    fe::PlatFormInfos *GetPlatformInfo() const { return platform_; }

private:
    const char *type_;
    void *compiled_;
    fe::PlatFormInfos *platform_;
};

// The older signature of the same function.
using KernelContext = TilingParseContext;

} // namespace gert

#endif // OPKG_HOST_TILING_PARSE_CONTEXT_H
