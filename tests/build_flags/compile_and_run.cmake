# Compiles tensor/float_check.cpp and a program that calls it, with FLAGS (what follows LINK there is
# for the linker only), and runs the program. Prints what compiler and program say.
file(MAKE_DIRECTORY ${WORK_DIR})
set(compile_flags ${FLAGS})
set(link_flags)
list(FIND FLAGS LINK at)
if(at GREATER_EQUAL 0)
  list(SUBLIST FLAGS 0 ${at} compile_flags)
  math(EXPR at "${at} + 1")
  list(SUBLIST FLAGS ${at} -1 link_flags)
endif()

foreach(source ${SOURCE_DIR}/tensor/float_check.cpp ${SOURCE_DIR}/tests/build_flags/program.cpp)
  cmake_path(GET source STEM name)
  execute_process(
    COMMAND ${COMPILER} -std=c++20 -I${SOURCE_DIR} ${compile_flags} -c ${source} -o ${name}.o
    WORKING_DIRECTORY ${WORK_DIR}
    RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "${source} does not compile")
  endif()
endforeach()

execute_process(
  COMMAND ${COMPILER} ${link_flags} program.o float_check.o -o program
  WORKING_DIRECTORY ${WORK_DIR} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${WORK_DIR}/program)
