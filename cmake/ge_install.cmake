# SPDX-License-Identifier: Apache-2.0
# Install: headers in include/ge-1/, libraries, pkg-config ge-1, CMake package ge.
include(CMakePackageConfigHelpers)
set(GE_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/ge-1)

# Everything that is installed, without the tests.
add_custom_target(product DEPENDS ge)
foreach(part ge_static ge_cli)
  if(TARGET ${part})
    add_dependencies(product ${part})
  endif()
endforeach()

foreach(header ge_c_api.h ge_experimental.h)
  if(EXISTS ${PROJECT_SOURCE_DIR}/abi/${header})
    install(FILES abi/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ge-1)
  endif()
endforeach()
install(FILES ${GE_GENERATED_DIR}/ge_ops.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ge-1 OPTIONAL)

install(TARGETS ge EXPORT ge_targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET ge_cli)
  install(TARGETS ge_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
if(TARGET ge_static)
  install(FILES ${GE_STATIC} DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()

file(RELATIVE_PATH GE_PC_TO_PREFIX /p/${CMAKE_INSTALL_LIBDIR}/pkgconfig /p)
configure_file(cmake/ge-1.pc.in ge-1.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/ge-1.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(EXPORT ge_targets NAMESPACE ge:: DESTINATION ${GE_CMAKE_DIR})
configure_package_config_file(cmake/ge-config.cmake.in ge-config.cmake INSTALL_DESTINATION ${GE_CMAKE_DIR}
  PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file(ge-config-version.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/ge-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/ge-config-version.cmake
  DESTINATION ${GE_CMAKE_DIR})
