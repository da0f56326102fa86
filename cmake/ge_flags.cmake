# SPDX-License-Identifier: Apache-2.0
# Compiler and linker flags of everything we build, and ge_isa_source().
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release (default), Debug, RelWithDebInfo or MinSizeRel" FORCE)
endif()
# Debug information stays in the build tree for the ABI gate; `cmake --install ... --strip` leaves it out.
set(CMAKE_C_FLAGS_RELEASE "-O2 -g -DNDEBUG")
set(CMAKE_C_FLAGS_DEBUG "-O1 -g -fno-omit-frame-pointer")

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(CMAKE_INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")

add_compile_definitions(_GNU_SOURCE)
add_compile_options(
  -Wall -Wextra -Wstrict-prototypes -Wmissing-prototypes -Wvla
  $<$<BOOL:${GE_WERROR}>:-Werror>
  # Same numbers from every compiler: contraction only where a kernel writes fma() or an intrinsic.
  # The other two give up errno and floating-point exception flags, no value changes.
  -ffp-contract=off -fno-math-errno -fno-trapping-math
  # Error records name source files relative to the project.
  -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=)

if(GE_SANITIZE)
  list(JOIN GE_SANITIZE "," ge_san)
  # The instrumentation misleads gcc's analysis of uninitialised variables and keeps clang from vectorising loops that ask
  # for it; the plain build has both warnings.
  add_compile_options(-fsanitize=${ge_san} -fno-sanitize-recover=all -fno-omit-frame-pointer
    $<$<C_COMPILER_ID:GNU>:-Wno-maybe-uninitialized> $<$<C_COMPILER_ID:Clang>:-Wno-pass-failed>)
  add_link_options(-fsanitize=${ge_san} -fno-sanitize-recover=all)
endif()

# ge_isa_source(file isa [flag...]): compiles one source of ge_core for an instruction set,
# optimised for loops.  isa: portable, avx2 or avx512 (which includes avx2).
function(ge_isa_source file isa)
  set(flags_portable "")
  set(flags_avx2 -mavx2 -mfma -mf16c)
  set(flags_avx512 ${flags_avx2} -mavx512f -mavx512bw -mavx512dq -mavx512vl -mprefer-vector-width=512)
  if(NOT DEFINED flags_${isa})
    message(FATAL_ERROR "ge_isa_source(${file}): unknown instruction set '${isa}'")
  endif()
  get_filename_component(path ${file} ABSOLUTE)
  set_property(SOURCE ${path} TARGET_DIRECTORY ge_core APPEND PROPERTY
    COMPILE_OPTIONS ${flags_${isa}} $<$<CONFIG:Release>:-O3> ${ARGN})
endfunction()
