// Operators are kernels compiled from OpenCL C.
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "drivers/handles.hpp"
#include "drivers/launch_checks.hpp"
#include "drivers/opencl/devices.hpp"
#include "drivers/opencl/functions.hpp"
#include "drivers/status.hpp"

namespace dlport::drivers::opencl {
namespace {

struct ClOperator {
  ClOperator() = default;
  ClOperator(const ClOperator&) = delete;
  ClOperator& operator=(const ClOperator&) = delete;
  ~ClOperator() {
    if (kernel) api().ReleaseKernel(kernel);
  }

  cl_kernel kernel = nullptr;
  cl_uint argument_count = 0;
  std::string name;
  std::mutex mutex;  // a kernel holds its arguments from setting them to enqueuing
};

struct ReleaseProgram {
  void operator()(cl_program program) const noexcept { api().ReleaseProgram(program); }
};
using Program = std::unique_ptr<cl_program_s, ReleaseProgram>;

struct ReleaseMemory {
  void operator()(cl_mem memory) const noexcept { api().ReleaseMemObject(memory); }
};
using Memory = std::unique_ptr<cl_mem_s, ReleaseMemory>;

std::string build_log(cl_program program, cl_device_id device) {
  size_t size = 0;
  api().GetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size);
  std::string log(size, '\0');
  api().GetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr);
  while (!log.empty() && (log.back() == '\0' || log.back() == '\n')) log.pop_back();
  return log;
}

Program build(const ClDevice& device, const dlport_operator_source& source) {
  const char* text = static_cast<const char*>(source.code);
  const size_t length = source.code_size;
  cl_int code = CL_SUCCESS;
  Program program(api().CreateProgramWithSource(device.context, 1, &text, &length, &code));
  check(code, "clCreateProgramWithSource");
  code = api().BuildProgram(program.get(), 1, &device.id, source.options ? source.options : "", nullptr, nullptr);
  if (code != CL_SUCCESS) {
    throw Error(ErrorCode::invalid_argument, std::string("the OpenCL code of '") + source.name +
                                                 "' does not compile: " + build_log(program.get(), device.id));
  }
  return program;
}

/// The memory of a tensor's first element, for a kernel: the buffer itself, or a part of it that begins there.
cl_mem argument_memory(const ClDevice& device, const DLTensor& tensor, std::vector<Memory>& parts) {
  auto* memory = static_cast<cl_mem>(tensor.data);
  if (tensor.byte_offset == 0 || !memory) return memory;
  if (tensor.byte_offset % device.alignment != 0) {
    throw Error(ErrorCode::unsupported,
                "byte_offset = " + std::to_string(tensor.byte_offset) + " is not a multiple of the " +
                    std::to_string(device.alignment) +
                    " bytes at which a kernel's memory begins on this device: copy the tensor first");
  }
  size_t size = 0;
  check(api().GetMemObjectInfo(memory, CL_MEM_SIZE, sizeof(size), &size, nullptr), "clGetMemObjectInfo");
  if (tensor.byte_offset >= size) {
    throw Error(ErrorCode::invalid_argument, "byte_offset = " + std::to_string(tensor.byte_offset) +
                                                 " lies behind the buffer's " + std::to_string(size) + " bytes");
  }
  const cl_buffer_region region{tensor.byte_offset, size - tensor.byte_offset};
  cl_int code = CL_SUCCESS;
  Memory part(api().CreateSubBuffer(memory, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &code));
  check(code, "clCreateSubBuffer");
  return parts.emplace_back(std::move(part)).get();
}

}  // namespace

dlport_status operator_create(DLDevice device, const dlport_operator_source* source, dlport_operator* op) {
  return guarded([&] {
    const ClDevice& on = device_of(device);
    check_source(source);
    require(op, "op");
    if (!source->code) {
      throw Error(ErrorCode::not_found, std::string("the opencl driver has no operator '") + source->name +
                                            "' of its own: give it OpenCL C code");
    }
    const Program program = build(on, *source);
    auto made = std::make_unique<ClOperator>();
    cl_int code = CL_SUCCESS;
    made->kernel = api().CreateKernel(program.get(), source->name, &code);
    if (code == CL_INVALID_KERNEL_NAME) {
      throw Error(ErrorCode::not_found, std::string("the OpenCL code has no kernel '") + source->name + "'");
    }
    check(code, "clCreateKernel");
    check(api().GetKernelInfo(made->kernel, CL_KERNEL_NUM_ARGS, sizeof(cl_uint), &made->argument_count, nullptr),
          "clGetKernelInfo");
    made->name = source->name;
    *op = give<dlport_operator>(std::move(made));
  });
}

dlport_status operator_destroy(DLDevice device, dlport_operator op) {
  return guarded([&] {
    device_of(device);
    take<ClOperator>(op).reset();
  });
}

dlport_status operator_launch(DLDevice device, dlport_operator op, const dlport_launch* launch, dlport_stream stream) {
  return guarded([&] {
    const ClDevice& on = device_of(device);
    ClOperator& made = object_of<ClOperator>(op, "op");
    const auto arguments = check_launch(device, launch);
    if (arguments.size() != made.argument_count) {
      throw Error(ErrorCode::invalid_argument,
                  "the kernel '" + made.name + "' takes " + std::to_string(made.argument_count) +
                      " arguments, and was launched with " + std::to_string(arguments.size()));
    }
    cl_command_queue queue = queue_of(on, stream);
    std::vector<Memory> parts;
    const size_t global[] = {launch->global[0], launch->global[1], launch->global[2]};
    const size_t local[] = {launch->local[0], launch->local[1] + (launch->local[1] == 0),
                            launch->local[2] + (launch->local[2] == 0)};
    {
      const std::lock_guard lock(made.mutex);
      for (cl_uint i = 0; i < made.argument_count; ++i) {
        const dlport_argument& argument = arguments[i];
        cl_int code = CL_SUCCESS;
        if (argument.tensor) {
          cl_mem memory = argument_memory(on, *argument.tensor, parts);
          code = api().SetKernelArg(made.kernel, i, sizeof(cl_mem), &memory);
        } else {
          code = api().SetKernelArg(made.kernel, i, argument.size, argument.value);
        }
        if (code != CL_SUCCESS)
          check(code, ("argument " + std::to_string(i) + " of '" + made.name + "': clSetKernelArg").c_str());
      }
      check(api().EnqueueNDRangeKernel(queue, made.kernel, 3, nullptr, global, local[0] ? local : nullptr, 0, nullptr,
                                       nullptr),
            "clEnqueueNDRangeKernel");
    }
    if (stream) {
      check(api().Flush(queue), "clFlush");
    } else {
      check(api().Finish(queue), "clFinish");
    }
  });
}

}  // namespace dlport::drivers::opencl
