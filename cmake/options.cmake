# dlport_options(target): what every target of ours compiles with.
function(dlport_options target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wshadow $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor> $<$<BOOL:${DLPORT_WERROR}>:-Werror>)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)  # GCC 12 sees overlaps in every `"text" + std::string`
  endif()
  if(DLPORT_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${DLPORT_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(${target} PRIVATE -fsanitize=${DLPORT_SANITIZE})
  endif()
endfunction()

# dlport_layer(name sources...): one folder of the library, compiled once and linked into libdlport.
function(dlport_layer name)
  add_library(${name} OBJECT ${ARGN})
  target_include_directories(${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> PRIVATE ${PROJECT_SOURCE_DIR}/src)
  dlport_options(${name})
endfunction()
