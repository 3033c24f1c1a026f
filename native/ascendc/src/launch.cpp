// SPDX-License-Identifier: Apache-2.0
// From the package's table to running cores: checks a launch, gives each core its registers, and turns whatever a kernel
// throws into one readable sentence.
#include <stdio.h>

#include <exception>
#include <new>

#include "check/hooks.hpp"
#include "core.hpp"
#include "print.hpp"
#include "scheduler.hpp"

__thread opkg::twin::Core *opkg_twin_core = nullptr;
__thread int64_t block_idx = 0;
__thread int64_t block_num = 0;

namespace opkg::twin {

namespace {

enum TaskType : int64_t { kAivOnly, kAicOnly, kMixAiv10, kMixAic10, kMixAic11, kMixAic12, kAiCore };

struct CoresOfBlock {
    uint32_t cube;
    uint32_t vector;
};

CoresOfBlock cores_of_block(const KernelInfo &kernel, uint64_t tiling_key, const SocInfo &soc)
{
    if (!soc.split) {
        return {0, 1}; // one core does both kinds of work
    }
    int64_t type = kAivOnly;
    for (uint32_t i = 0; i < kernel.n_facts; ++i) {
        const KernelFact &fact = kernel.facts[i];
        if (fact.kind == kFactTaskType && (fact.keyed == 0 || fact.key == tiling_key)) {
            type = static_cast<int64_t>(fact.value);
        }
        if (fact.kind == kFactTaskType && fact.keyed == 1 && fact.key == tiling_key) {
            break;
        }
    }
    switch (type) {
        case kAicOnly:
        case kMixAic10:
            return {1, 0};
        case kMixAic11:
            return {1, 1};
        case kMixAic12:
            return {1, 2};
        default:
            return {0, 1};
    }
}

void set_buffers(Core &core, const SocInfo &soc)
{
    core.capacity[kUb] = soc.ub;
    core.capacity[kL1] = soc.l1;
    core.capacity[kL0A] = soc.l0a;
    core.capacity[kL0B] = soc.l0b;
    core.capacity[kL0C] = soc.l0c;
    core.capacity[kBiasTable] = soc.bias_table;
    core.capacity[kFixpipe] = soc.fixpipe_buffer;
}

// Numbers of a core: cube cores count blocks; the vector cores of a block stand next to each other.
void set_numbers(Core &core, const Launch &launch, uint32_t number)
{
    const uint32_t of_block = launch.cube_cores + launch.vector_cores;
    const uint32_t block = number / of_block;
    const uint32_t place = number % of_block;
    const bool cube = place < launch.cube_cores;
    core.number = number;
    core.block = block;
    core.kind = cube ? kCubeCore : kVectorCore;
    core.sub_index = cube ? 0 : place - launch.cube_cores;
    core.sub_count = cube || launch.vector_cores == 0 ? 1 : launch.vector_cores;
    core.index = cube ? block : block * launch.vector_cores + core.sub_index;
    core.count = launch.block_dim;
}

void report(const opkg_exec_v1 *exec, int32_t code, const char *message)
{
    char text[16];
    snprintf(text, sizeof text, "%d", code);
    if (exec != nullptr && exec->report_error != nullptr) {
        exec->report_error(exec->context, text, message);
    } else {
        fprintf(stderr, "%s [%s]\n", message, text);
    }
}

int32_t refuse(const opkg_exec_v1 *exec, int32_t code, const char *message)
{
    report(exec, code, message);
    return code;
}

int32_t refuse_soc(const opkg_exec_v1 *exec, const char *op_type, const char *soc)
{
    char message[1024];
    int length = snprintf(message, sizeof message, "%s: unknown SoC '%s'; known are", op_type, soc);
    for (const SocInfo &row : kSocTable) {
        if (length < 0 || static_cast<size_t>(length) >= sizeof message) {
            break;
        }
        length += snprintf(message + length, sizeof message - static_cast<size_t>(length), " %s", row.name);
    }
    return refuse(exec, kUnknownSoc, message);
}

} // namespace

void run_core(Launch &launch, uint32_t number)
{
    Core core{};
    core.launch = &launch;
    core.tiling_key = launch.tiling_key;
    core.mask[0] = core.mask[1] = ~0ull;
    core.atomic_op = -1;
    core.npu_arch = launch.soc->npu_arch;
    core.deq_scale = 1.0f;
    core.saturate = 1;
    core.control = default_control(core.npu_arch);
    const uint32_t *flags = launch.kernel->library_flags;
    core.may_defer = flags != nullptr && (*flags & kUsesElements) == 0;
    core.looks_at_values = flags != nullptr && (*flags & kLooksAtValues) != 0;
    set_buffers(core, *launch.soc);
    set_numbers(core, launch, number);
    const uint64_t written_before = launch.gm_written.load(std::memory_order_relaxed);
    core.gm_written = written_before;
    const auto fail = [&](const char *message, int32_t code = kCoreException) {
        char name[64];
        name_core(launch, core, name, sizeof name);
        fail_launch(launch, name, message, code);
    };
    Core *const before = opkg_twin_core;
    opkg_twin_core = &core;
    block_idx = core.block;
    block_num = core.count;
    if (launch.checker != nullptr) {
        check::begin_core(core, __builtin_frame_address(0));
    }
    bool returned = false;
    try {
        launch.kernel->invoke(launch.args);
        check_pipes(core);
        returned = true;
    } catch (const Failure &failure) {
        if (launch.checker == nullptr) { // else it is among the findings, and other cores go on
            fail(failure.message, failure.code);
        }
    } catch (const Cancelled &) {
        // The core that failed first has said why.
    } catch (const std::bad_alloc &) {
        fail("there is no memory left");
    } catch (const std::exception &error) {
        fail(error.what());
    } catch (...) {
        fail("the kernel threw something that is not a std::exception");
    }
    finish_printing();
    if (launch.checker != nullptr) {
        check::end_core(core, returned);
    }
    opkg_twin_core = before;
    if (core.gm_written != written_before) {
        launch.gm_written.fetch_add(core.gm_written - written_before, std::memory_order_relaxed);
        stream_fence();
    }
    finish_core(launch);
}

} // namespace opkg::twin

using namespace opkg;
using namespace opkg::twin;

void opkg_twin_read_facts(KernelInfo *kernel, opkg_kernel_table_v1 *table, const KernelFact *begin, const KernelFact *end)
{
    kernel->facts = begin;
    kernel->n_facts = begin == nullptr ? 0 : static_cast<uint32_t>(end - begin);
    for (const KernelFact *fact = begin; fact != end; ++fact) {
        if (fact->kind == kFactTaskType && (fact->keyed == 0 || table->task_type < 0)) {
            table->task_type = static_cast<int32_t>(fact->value);
        } else if (fact->kind == kFactTilingSize && fact->value > table->tiling_size) {
            table->tiling_size = fact->value;
        }
    }
}

int32_t opkg_twin_launch(const KernelInfo *kernel, void *const *args, uint32_t n_args, uint32_t block_dim,
                         uint64_t tiling_key, const char *soc, const opkg_exec_v1 *exec)
{
    char message[256];
    if (n_args < kernel->n_args) {
        snprintf(message, sizeof message, "%s: the kernel has %u parameters but %u arguments were given",
                 kernel->op_type, kernel->n_args, n_args);
        return refuse(exec, kParameterInvalid, message);
    }
    if (block_dim == 0) {
        snprintf(message, sizeof message, "%s: the tiling function set no block dim", kernel->op_type);
        return refuse(exec, kParameterInvalid, message);
    }
    const SocInfo *chip = find_soc(soc);
    if (chip == nullptr) {
        return refuse_soc(exec, kernel->op_type, soc);
    }
    const CoresOfBlock cores = cores_of_block(*kernel, tiling_key, *chip);
    Launch launch;
    launch.kernel = kernel;
    launch.args = args;
    launch.soc = chip;
    launch.exec = exec;
    launch.tiling_key = tiling_key;
    launch.block_dim = block_dim;
    launch.cube_cores = cores.cube;
    launch.vector_cores = cores.vector;
    launch.total = block_dim * (cores.cube + cores.vector);
    launch.threads = 0;
    run_all(launch);
    if (launch.failed.load()) {
        return refuse(exec, launch.code, launch.message);
    }
    return 0;
}
