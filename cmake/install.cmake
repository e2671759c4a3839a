# `cmake --install`: the programs, the library, the plugin, the public headers, a pkg-config file and a CMake package.
include(CMakePackageConfigHelpers)

install(TARGETS tlaloc RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS tlaloc_pjrt tlaloc_host tlaloc_shared LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TLALOC_LLVM)
  install(TARGETS tlaloc_jit LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
install(DIRECTORY include/tlaloc DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(DIRECTORY ${CMAKE_BINARY_DIR}/made/include/tlaloc DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

configure_file(cmake/tlaloc.pc.in ${CMAKE_BINARY_DIR}/tlaloc.pc @ONLY)
configure_file(cmake/tlaloc-host.pc.in ${CMAKE_BINARY_DIR}/tlaloc-host.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/tlaloc.pc ${CMAKE_BINARY_DIR}/tlaloc-host.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
configure_package_config_file(cmake/tlaloc-config.cmake.in ${CMAKE_BINARY_DIR}/tlaloc-config.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/tlaloc PATH_VARS CMAKE_INSTALL_BINDIR CMAKE_INSTALL_LIBDIR
  CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/tlaloc-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/tlaloc-config.cmake ${CMAKE_BINARY_DIR}/tlaloc-config-version.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/tlaloc)
