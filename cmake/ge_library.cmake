# SPDX-License-Identifier: Apache-2.0
# The libraries.  Folders under impl/ add their sources to ge_core; everything else is made from its objects.
set(GE_GENERATED_DIR ${CMAKE_BINARY_DIR}/generated)
file(MAKE_DIRECTORY ${GE_GENERATED_DIR})
set(GE_MAP ${PROJECT_SOURCE_DIR}/versioning/ge.map)

find_package(Threads REQUIRED)
find_package(Python3 3.11 REQUIRED COMPONENTS Interpreter)  # runs the generators

add_library(ge_core OBJECT)
target_include_directories(ge_core PUBLIC
  ${PROJECT_SOURCE_DIR}/impl ${PROJECT_SOURCE_DIR}/abi ${GE_GENERATED_DIR})
target_compile_definitions(ge_core PRIVATE GE_BUILDING)

# libge.so.<ABI major>: exports exactly the names of the version script.  The soname changes only when old clients break.
set(GE_ABI_MAJOR 1)
add_library(ge SHARED $<TARGET_OBJECTS:ge_core>)
set_target_properties(ge PROPERTIES
  LINKER_LANGUAGE C INSTALL_RPATH "" LINK_DEPENDS ${GE_MAP}
  SOVERSION ${GE_ABI_MAJOR})
if(PROJECT_VERSION_MAJOR EQUAL GE_ABI_MAJOR)
  set_target_properties(ge PROPERTIES VERSION ${PROJECT_VERSION})
endif()
target_include_directories(ge INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/abi> $<BUILD_INTERFACE:${GE_GENERATED_DIR}>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/ge-1>)
target_link_libraries(ge PRIVATE m ${CMAKE_DL_LIBS} Threads::Threads)
target_link_options(ge PRIVATE
  -Wl,--version-script=${GE_MAP} -Wl,--no-undefined-version -Wl,--exclude-libs,ALL
  -Wl,-z,relro,-z,now -Wl,-z,nodelete -Wl,-Bsymbolic-functions)
# clang leaves its sanitizer run time undefined in shared libraries until the executable is linked.
if(NOT (GE_SANITIZE AND CMAKE_C_COMPILER_ID MATCHES "Clang"))
  target_link_options(ge PRIVATE -Wl,-z,defs)
endif()
if(GE_LTO)
  set_property(TARGET ge_core ge PROPERTY INTERPROCEDURAL_OPTIMIZATION ON)
endif()

# libge.a: one partially linked object in which only ge_* and gex_* stay global, so that nothing of ours can clash.
# Without debugging information, which is ten times as large as the code. Left out where a partial link cannot hold the objects (clang with LTO) or is of no use (sanitizers).
if(NOT GE_SANITIZE AND NOT (GE_LTO AND CMAKE_C_COMPILER_ID MATCHES "Clang"))
  set(GE_STATIC ${CMAKE_ARCHIVE_OUTPUT_DIRECTORY}/libge.a)
  set(partial_flags -r -nostdlib)
  if(GE_LTO)
    list(APPEND partial_flags -flto -flinker-output=nolto-rel)
  endif()
  add_custom_command(OUTPUT ${GE_STATIC}
    COMMAND ${CMAKE_C_COMPILER} ${partial_flags} -o ge_all.o $<TARGET_OBJECTS:ge_core>
    COMMAND ${CMAKE_OBJCOPY} --wildcard --keep-global-symbol=ge_* --keep-global-symbol=gex_*
      $<$<NOT:$<CONFIG:Debug>>:--strip-debug> ge_all.o
    COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_ARCHIVE_OUTPUT_DIRECTORY}
    COMMAND ${CMAKE_COMMAND} -E rm -f ${GE_STATIC}
    COMMAND ${CMAKE_AR} rcs ${GE_STATIC} ge_all.o
    DEPENDS $<TARGET_OBJECTS:ge_core> COMMAND_EXPAND_LISTS VERBATIM
    COMMENT "Linking libge.a with internal names made local")
  add_custom_target(ge_static ALL DEPENDS ${GE_STATIC})
endif()

# Everything of ge_core as an archive, internal names visible: for unit tests only.
add_library(ge_inner STATIC EXCLUDE_FROM_ALL $<TARGET_OBJECTS:ge_core>)
set_target_properties(ge_inner PROPERTIES LINKER_LANGUAGE C)
target_include_directories(ge_inner PUBLIC
  ${PROJECT_SOURCE_DIR}/impl ${PROJECT_SOURCE_DIR}/abi ${GE_GENERATED_DIR})
target_link_libraries(ge_inner PUBLIC m ${CMAKE_DL_LIBS} Threads::Threads)
