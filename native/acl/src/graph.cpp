// SPDX-License-Identifier: Apache-2.0
// Captured streams. Tasks run in the order in which they were given: an event that a stream waits for was recorded
// before, so this order keeps every dependency.
#include "graph.hpp"

#include <stdio.h>

#include "handles.hpp"
#include "runtime.hpp"

namespace opkg::acl {
namespace {

Handles<Graph> &graphs = *new Handles<Graph>; // that programs hold

class GraphTask : public Task {
public:
    explicit GraphTask(std::shared_ptr<Graph> graph) : graph_(std::move(graph)) {}
    aclError run(Stream &stream, std::string &message) override
    {
        for (const Graph::Node &node : graph_->nodes) {
            const aclError code = node.task->run(stream, message);
            if (code != ACL_SUCCESS) {
                return code;
            }
        }
        return ACL_SUCCESS;
    }
    const char *kind() const override { return "captured streams"; }
    bool anywhere() const override
    {
        for (const Graph::Node &node : graph_->nodes) {
            if (!node.task->anywhere()) {
                return false;
            }
        }
        return true;
    }

private:
    std::shared_ptr<Graph> graph_;
};

std::shared_ptr<Graph> find_graph(const char *function, aclmdlRI handle, aclError &code)
{
    std::shared_ptr<Graph> found = graphs.find(handle);
    code = found != nullptr ? ACL_SUCCESS
                            : fail(ACL_ERROR_RT_PARAM_INVALID, "%s: this is no captured model, or it has been destroyed",
                                   function);
    return found;
}

// From here on the graph's tasks stand still.
void end_all(Graph &graph)
{
    std::vector<std::weak_ptr<Stream>> streams;
    {
        std::lock_guard<std::mutex> lock(graph.mutex);
        graph.complete = true;
        streams.swap(graph.streams);
    }
    for (const std::weak_ptr<Stream> &part : streams) {
        if (const std::shared_ptr<Stream> stream = part.lock()) {
            stream->end_capture();
        }
    }
}

void print_json(FILE *to, const Graph &graph)
{
    fprintf(to, "{\"nodes\": [");
    const char *separator = "\n";
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
        const Graph::Node &node = graph.nodes[i];
        fprintf(to, "%s  {\"id\": %zu, \"stream\": %d, \"kind\": \"%s\", \"name\": \"%s\"}", separator, i, node.stream,
                node.task->kind(), node.task->name());
        separator = ",\n";
    }
    fprintf(to, "\n]}\n");
}

} // namespace

aclError join_capture(const std::shared_ptr<Stream> &stream, const std::shared_ptr<Graph> &graph)
{
    const std::shared_ptr<Graph> own = stream->capture();
    if (own == graph) {
        return ACL_SUCCESS;
    }
    if (own != nullptr) {
        return fail(ACL_ERROR_RT_CAPTURE_DEPENDENCY,
                    "aclrtStreamWaitEvent: the event belongs to another capture than stream "
                    "%d", stream->id);
    }
    {
        std::lock_guard<std::mutex> lock(graph->mutex);
        if (graph->complete) {
            return fail(ACL_ERROR_RT_EVENT_CAPTURED,
                        "aclrtStreamWaitEvent: the event was recorded in a capture that has ended");
        }
        graph->streams.push_back(stream);
    }
    stream->begin_capture(graph);
    return ACL_SUCCESS;
}

void abandon_capture(const std::shared_ptr<Stream> &stream)
{
    const std::shared_ptr<Graph> graph = stream->capture();
    if (graph != nullptr && graph->origin.lock() == stream) {
        end_all(*graph);
    }
}

} // namespace opkg::acl

using namespace opkg::acl;

aclError aclmdlRICaptureBegin(aclrtStream stream, aclmdlRICaptureMode mode)
{
    if (mode < ACL_MODEL_RI_CAPTURE_MODE_GLOBAL || mode > ACL_MODEL_RI_CAPTURE_MODE_RELAXED) {
        return fail(ACL_ERROR_INVALID_PARAM, "aclmdlRICaptureBegin: there is no capture mode %d",
                    static_cast<int>(mode));
    }
    if (stream == nullptr) {
        return fail(ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT,
                    "aclmdlRICaptureBegin: the default stream cannot be captured");
    }
    aclError code;
    const std::shared_ptr<Stream> found = runtime().stream("aclmdlRICaptureBegin", stream, code);
    if (found == nullptr) {
        return code;
    }
    if (found->capture() != nullptr) {
        return fail(ACL_ERROR_RT_STREAM_CAPTURED, "aclmdlRICaptureBegin: stream %d is being captured already",
                    found->id);
    }
    auto graph = std::make_shared<Graph>();
    graph->origin = found;
    graph->streams.push_back(found);
    found->begin_capture(std::move(graph));
    return ACL_SUCCESS;
}

aclError aclmdlRICaptureEnd(aclrtStream stream, aclmdlRI *modelRI)
{
    if (modelRI == nullptr) {
        return null_pointer("aclmdlRICaptureEnd", "modelRI");
    }
    aclError code;
    const std::shared_ptr<Stream> found = runtime().stream("aclmdlRICaptureEnd", stream, code);
    if (found == nullptr) {
        return code;
    }
    const std::shared_ptr<Graph> graph = found->capture();
    if (graph == nullptr) {
        return fail(ACL_ERROR_RT_STREAM_NOT_CAPTURED, "aclmdlRICaptureEnd: stream %d is not being captured", found->id);
    }
    if (graph->origin.lock() != found) {
        return fail(ACL_ERROR_RT_STREAM_CAPTURE_UNMATCHED,
                    "aclmdlRICaptureEnd: the capture was not begun on stream %d but joined by it", found->id);
    }
    end_all(*graph);
    *modelRI = graphs.add(graph);
    return ACL_SUCCESS;
}

aclError aclmdlRICaptureGetInfo(aclrtStream stream, aclmdlRICaptureStatus *status, aclmdlRI *modelRI)
{
    if (status == nullptr || modelRI == nullptr) {
        return null_pointer("aclmdlRICaptureGetInfo", status == nullptr ? "status" : "modelRI");
    }
    aclError code;
    const std::shared_ptr<Stream> found = runtime().stream("aclmdlRICaptureGetInfo", stream, code);
    if (found != nullptr) {
        const std::shared_ptr<Graph> graph = found->capture();
        *status = graph != nullptr ? ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE : ACL_MODEL_RI_CAPTURE_STATUS_NONE;
        *modelRI = graph.get();
    }
    return code;
}

aclError aclmdlRICaptureThreadExchangeMode(aclmdlRICaptureMode *mode)
{
    thread_local aclmdlRICaptureMode current = ACL_MODEL_RI_CAPTURE_MODE_GLOBAL;
    if (mode == nullptr) {
        return null_pointer("aclmdlRICaptureThreadExchangeMode", "mode");
    }
    const aclmdlRICaptureMode before = current;
    current = *mode;
    *mode = before;
    return ACL_SUCCESS;
}

aclError aclmdlRIExecuteAsync(aclmdlRI modelRI, aclrtStream stream)
{
    aclError code;
    const std::shared_ptr<Graph> graph = find_graph("aclmdlRIExecuteAsync", modelRI, code);
    const std::shared_ptr<Stream> where =
        graph == nullptr ? nullptr : runtime().stream("aclmdlRIExecuteAsync", stream, code);
    return where == nullptr ? code : where->submit(std::make_shared<GraphTask>(graph));
}

aclError aclmdlRIExecute(aclmdlRI modelRI, int32_t timeout)
{
    const aclError code = aclmdlRIExecuteAsync(modelRI, nullptr);
    return code == ACL_SUCCESS ? aclrtSynchronizeStreamWithTimeout(nullptr, timeout) : code;
}

aclError aclmdlRIDestroy(aclmdlRI modelRI)
{
    return graphs.remove(modelRI) ? ACL_SUCCESS
                                  : fail(ACL_ERROR_RT_PARAM_INVALID,
                                         "aclmdlRIDestroy: this is no captured model, or it has been destroyed");
}

aclError aclmdlRIDebugPrint(aclmdlRI modelRI)
{
    aclError code;
    const std::shared_ptr<Graph> graph = find_graph("aclmdlRIDebugPrint", modelRI, code);
    if (graph != nullptr) {
        print_json(stdout, *graph);
    }
    return code;
}

aclError aclmdlRIDebugJsonPrint(aclmdlRI modelRI, const char *path, uint32_t)
{
    if (path == nullptr) {
        return null_pointer("aclmdlRIDebugJsonPrint", "path");
    }
    aclError code;
    const std::shared_ptr<Graph> graph = find_graph("aclmdlRIDebugJsonPrint", modelRI, code);
    if (graph == nullptr) {
        return code;
    }
    FILE *file = fopen(path, "w");
    if (file == nullptr) {
        return fail(ACL_ERROR_RT_FILE_OPEN, "aclmdlRIDebugJsonPrint: %s cannot be written", path);
    }
    print_json(file, *graph);
    return fclose(file) == 0 ? ACL_SUCCESS
                             : fail(ACL_ERROR_RT_FILE_WRITE, "aclmdlRIDebugJsonPrint: %s cannot be written", path);
}
