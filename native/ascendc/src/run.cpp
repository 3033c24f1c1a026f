// SPDX-License-Identifier: Apache-2.0
// Launches by the program itself (<<<>>>, ICPU_RUN_KF): any callable, on threads of the twin's own.
#include <stdio.h>

#include "core.hpp"
#include "crash.hpp"
#include "scheduler.hpp"

__thread opkg::twin::Answer *opkg_twin_asking = nullptr;

namespace opkg::twin {
namespace {

constexpr uint32_t kMostBlocks = 65535;

const SocInfo *chip_of(uint32_t npu_arch)
{
    for (const SocInfo &row : kSocTable) {
        if (row.npu_arch == npu_arch) {
            return &row;
        }
    }
    return nullptr;
}

int32_t refuse(const RunPlan &plan, int32_t code, const char *reason, uint32_t number)
{
    snprintf(plan.message, plan.message_bytes, reason, plan.name, number);
    return code;
}

void invoke_plan(void *const *args)
{
    const RunPlan &plan = *static_cast<const RunPlan *>(args[0]);
    plan.invoke(plan.argument);
}

} // namespace
} // namespace opkg::twin

using namespace opkg;
using namespace opkg::twin;

int32_t opkg_twin_run(const RunPlan *plan)
{
    name_crashing_cores();
    const SocInfo *chip = chip_of(plan->npu_arch);
    if (chip == nullptr) {
        return refuse(*plan, kUnknownSoc, "%s: no chip is known with __NPU_ARCH__ %u", plan->npu_arch);
    }
    if (plan->blocks == 0 || plan->blocks > kMostBlocks) {
        return refuse(*plan, kParameterInvalid, "%s: a launch of %u blocks; it must have 1 to 65535", plan->blocks);
    }
    KernelInfo kernel{};
    kernel.op_type = plan->name;
    kernel.invoke = &invoke_plan;
    kernel.library_flags = plan->library_flags;
    void *const args[] = {const_cast<RunPlan *>(plan)};
    Launch launch;
    launch.kernel = &kernel;
    launch.args = args;
    launch.soc = chip;
    launch.exec = nullptr;
    launch.tiling_key = plan->tiling_key;
    launch.block_dim = plan->blocks;
    launch.cube_cores = chip->split ? plan->cube : 0;
    launch.vector_cores = chip->split ? plan->vector : 1;
    launch.total = plan->blocks * (launch.cube_cores + launch.vector_cores);
    launch.threads = own_threads();
    run_all(launch);
    if (launch.failed.load()) {
        snprintf(plan->message, plan->message_bytes, "%s", launch.message);
        return launch.code;
    }
    return 0;
}
