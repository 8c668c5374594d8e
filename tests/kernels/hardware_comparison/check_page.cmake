# Runs PROGRAM, and compares its output with the file PAGE.
execute_process(COMMAND "${PROGRAM}" OUTPUT_VARIABLE printed RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} ended with ${status}: the lines above say which counters differ")
endif()
file(READ "${PAGE}" page)
if(NOT page STREQUAL printed)
  message(FATAL_ERROR "${PAGE} is stale: ${PROGRAM} > ${PAGE} writes it again")
endif()
