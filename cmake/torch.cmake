# dlport::torch_headers and dlport::torch: PyTorch as pip installed it. Its own TorchConfig.cmake wants the toolkits
# that PyTorch itself was built with; an extension needs three include folders and four libraries.
execute_process(
  COMMAND ${Python_EXECUTABLE} -c "import torch, pathlib; print(pathlib.Path(torch.__file__).parent, torch.__version__, int(torch.compiled_with_cxx11_abi()), sep=';')"
  OUTPUT_VARIABLE torch_facts OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE torch_missing)
if(torch_missing)
  message(FATAL_ERROR "DLPORT_TORCH is on, but ${Python_EXECUTABLE} has no torch: pip install torch==2.13.0")
endif()
list(GET torch_facts 0 torch_root)
list(GET torch_facts 1 DLPORT_TORCH_VERSION)
list(GET torch_facts 2 torch_cxx11_abi)

add_library(dlport_torch_sdk INTERFACE)
target_include_directories(dlport_torch_sdk SYSTEM INTERFACE ${torch_root}/include ${torch_root}/include/torch/csrc/api/include)
target_compile_definitions(dlport_torch_sdk INTERFACE _GLIBCXX_USE_CXX11_ABI=${torch_cxx11_abi} DLPORT_TORCH_VERSION="${DLPORT_TORCH_VERSION}")
foreach(name torch torch_cpu c10 torch_python)
  target_link_libraries(dlport_torch_sdk INTERFACE ${torch_root}/lib/lib${name}.so)
endforeach()
