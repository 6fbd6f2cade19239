# cmake -DSOURCE=... -DWORK=... -DGENERATOR=... -DMAKE_PROGRAM=... -DONNXRUNTIME=... -P find_package.cmake
# Builds and installs the library into a folder of its own, builds examples/cpp against that with find_package(dlport),
# and runs its programs: the one that needs ONNX Runtime where that is the path of its library.
function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY OUTPUT_VARIABLE output)
  set(output "${output}" PARENT_SCOPE)
endfunction()

set(configure ${CMAKE_COMMAND} -G ${GENERATOR} -DCMAKE_MAKE_PROGRAM=${MAKE_PROGRAM} -DCMAKE_BUILD_TYPE=Release)
file(REMOVE_RECURSE ${WORK}/prefix ${WORK}/example)
run(${configure} -S ${SOURCE} -B ${WORK}/library)
run(${CMAKE_COMMAND} --build ${WORK}/library)
run(${CMAKE_COMMAND} --install ${WORK}/library --prefix ${WORK}/prefix)
run(${configure} -S ${SOURCE}/examples/cpp -B ${WORK}/example -DCMAKE_PREFIX_PATH=${WORK}/prefix)
run(${CMAKE_COMMAND} --build ${WORK}/example)

function(expect_output program expected)
  run(${WORK}/example/${program})
  if(NOT output STREQUAL expected)
    message(FATAL_ERROR "${program} printed\n${output}instead of\n${expected}")
  endif()
endfunction()

expect_output(share [[
imported  uint8 (4, 6, 3) on cpu:0
viewed    uint8 (3, 3, 4) on cpu:0, strides (1, -18, 3)
converted float32 (3, 3, 4) on cpu:0, first value 190
refused   a tensor of shape (3, 3, 4) and strides (1, -18, 3) takes shape (36,) only as a copy
]])
if(ONNXRUNTIME)
  set(ENV{DLPORT_ORT_LIBRARY} ${ONNXRUNTIME})
  expect_output(model [[
launched  float32 (2, 3) on cpu:0, last value 10
ran       float32 (2, 2) on cpu:0, last value 50
refused   input 'x' takes float32 (?, 3), but was given float32 (2, 2)
]])
endif()
