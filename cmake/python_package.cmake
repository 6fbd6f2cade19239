# library_of_package(package pattern result): the path of a library inside a package of the Python in use, as users have
# it; false where the package is not installed.
find_package(Python COMPONENTS Interpreter)

function(library_of_package package pattern result)
  execute_process(
    COMMAND ${Python_EXECUTABLE} -c "import glob, importlib.util as i; print(glob.glob(i.find_spec('${package}').submodule_search_locations[0] + '/${pattern}')[0])"
    OUTPUT_VARIABLE library OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE missing)
  if(missing)
    message(STATUS "No ${package} in Python: the tests that need it are left out")
    set(library FALSE)
  endif()
  set(${result} ${library} PARENT_SCOPE)
endfunction()
