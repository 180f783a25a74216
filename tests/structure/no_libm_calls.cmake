# Fails where one of BINARIES calls a function of the C library whose last bits differ between
# machines. (sqrt, fma, floor and the like have one exact answer.)
set(inexact "exp|exp2|exp10|expm1|log|log2|log10|log1p|pow|sin|cos|sincos|tan|asin|acos|atan|atan2")
string(APPEND inexact "|sinh|cosh|tanh|asinh|acosh|atanh|erf|erfc|cbrt|hypot|tgamma|lgamma")

set(findings)
foreach(binary IN LISTS BINARIES)
  execute_process(
    COMMAND ${NM} -A -u ${binary}
    OUTPUT_VARIABLE symbols
    ERROR_QUIET COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "\n" ";" symbols "${symbols}")
  foreach(symbol IN LISTS symbols)
    if(symbol MATCHES "[ \t]_?(_ZSt[0-9]+)?(${inexact})[fl]?(@[A-Za-z0-9_.@]+)?$")
      string(APPEND findings "  ${symbol}\n")
    endif()
  endforeach()
endforeach()

if(findings)
  message(FATAL_ERROR "use tensor/math.h instead of the C library's functions:\n${findings}")
endif()
