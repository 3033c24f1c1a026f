// SPDX-License-Identifier: Apache-2.0
// Launches by the program itself (<<<>>>, ICPU_RUN_KF): any callable, on threads of the twin's own.
#include <stdio.h>

#include <exception>

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

int32_t fail_plan(const RunPlan &plan, const char *reason)
{
    snprintf(plan.message, plan.message_bytes, "%s: AI CPU: %s", plan.name, reason);
    return kCoreException;
}

// A function of the device's own CPU: an ordinary call for each block, without a core around it.
int32_t run_on_ai_cpu(const RunPlan &plan)
{
    try {
        for (uint32_t block = 0; block < plan.blocks; ++block) {
            plan.invoke(plan.argument);
        }
    } catch (const Failure &failure) {
        return fail_plan(plan, failure.message);
    } catch (const std::exception &error) {
        return fail_plan(plan, error.what());
    } catch (...) {
        return fail_plan(plan, "the function threw something that is not a std::exception");
    }
    return 0;
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
    if (plan->cube == 0 && plan->vector == 0) {
        return run_on_ai_cpu(*plan);
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
