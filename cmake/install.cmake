# What `cmake --install` lays down: the library, its headers and a package that find_package(dlport) reads.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

if(NOT SKBUILD)  # a wheel carries the library inside the Python package instead
  install(TARGETS dlport EXPORT dlport-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(DIRECTORY include/dlport DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(EXPORT dlport-targets NAMESPACE dlport:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/dlport)
  configure_package_config_file(cmake/dlport-config.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/dlport-config.cmake
    INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/dlport)
  write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/dlport-config-version.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/dlport-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/dlport-config-version.cmake
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/dlport)
endif()
