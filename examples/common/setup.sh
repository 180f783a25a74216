# The set-up that examples/quickstart and tests/run share: finds a C++20 compiler, CMake and, where
# asked for, the test libraries, and installs what is missing. To be sourced by a POSIX shell.
#
#   require_tools         a compiler, CMake, make
#   require_tools tests   also GoogleTest and Google Benchmark
#
# Sets CXX and jobs. VITRO_NO_INSTALL=1 forbids installing.

say() { printf '%s\n' "$*" >&2; }

have() { command -v "$1" >/dev/null 2>&1; }

fail() {
  say "$*"
  exit 1
}

# ---- What is there -------------------------------------------------------------------------------

# is_new_enough COMPILER: g++ 12, clang++ 14 or later.
is_new_enough() {
  macros=$("$1" -dM -E -x c++ /dev/null 2>/dev/null) || return 1
  case $macros in
    *__clang_major__*) name=__clang_major__ least=14 ;;
    *) name=__GNUC__ least=12 ;;
  esac
  version=$(printf '%s\n' "$macros" | awk -v name="$name" '$2 == name { print $3 }')
  [ "${version:-0}" -ge "$least" ]
}

# can_link COMPILER OPTION...: compiles and links an empty program; headers come by -include.
can_link() {
  compiler=$1
  shift
  printf 'int main() { return 0; }\n' |
    "$compiler" -std=c++20 -x c++ - "$@" -o /dev/null >/dev/null 2>&1
}

is_compiler() { have "$1" && is_new_enough "$1" && can_link "$1" -include vector; }

# Sets CXX, unless it is set by the caller and good.
find_compiler() {
  if [ -n "${CXX:-}" ] && ! is_compiler "$CXX"; then
    say "CXX=$CXX is no C++20 compiler that Vitro can use (g++ 12, clang++ 14): looking for another."
    unset CXX
  fi
  for candidate in ${CXX:+"$CXX"} g++ c++ clang++ g++-16 g++-15 g++-14 g++-13 g++-12 \
    clang++-20 clang++-19 clang++-18 clang++-17 clang++-16 clang++-15 clang++-14; do
    if is_compiler "$candidate"; then
      CXX=$candidate
      export CXX
      return 0
    fi
  done
  return 1
}

# CMake 3.25 or later.
is_cmake_new_enough() {
  cmake --version 2>/dev/null | awk 'NR == 1 {
    split($3, part, ".")
    exit !(part[1] > 3 || (part[1] == 3 && part[2] >= 25))
  }'
}

has_cmake() { have cmake && is_cmake_new_enough; }

# CMake's usual generator runs make; CMAKE_GENERATOR=Ninja would use ninja.
has_build_tool() {
  case ${CMAKE_GENERATOR:-} in
    Ninja*) have ninja ;;
    *) have make || have gmake ;;
  esac
}

# Homebrew (untested) keeps libraries where only CMake looks for them.
has_brewed() { have brew && brew list "$1" >/dev/null 2>&1; }

has_gtest() {
  can_link "${CXX:-c++}" -include gtest/gtest.h -lgtest -pthread || has_brewed googletest
}

has_benchmark() {
  can_link "${CXX:-c++}" -include benchmark/benchmark.h -lbenchmark -pthread ||
    has_brewed google-benchmark
}

# Sets missing: words among compiler cmake make gtest benchmark.
look() {
  missing=
  find_compiler || missing="$missing compiler"
  has_cmake || missing="$missing cmake"
  has_build_tool || missing="$missing make"
  if [ "$wants_tests" = yes ]; then
    has_gtest || missing="$missing gtest"
    has_benchmark || missing="$missing benchmark"
  fi
}

# ---- What is missing -----------------------------------------------------------------------------

# package SYSTEM WORD: the name of what is missing in that system's catalogue.
package() {
  case $1:$2 in
    apt:compiler) echo g++ ;;
    apt:gtest) echo libgtest-dev ;;
    apt:benchmark) echo libbenchmark-dev ;;
    dnf:compiler) echo gcc-c++ ;;
    dnf:gtest) echo gtest-devel ;;
    dnf:benchmark) echo google-benchmark-devel ;;
    pacman:compiler) echo gcc ;;
    brew:compiler) echo gcc ;;
    brew:gtest) echo googletest ;;
    brew:benchmark) echo google-benchmark ;;
    *) echo "$2" ;;
  esac
}

packages() {
  for word in $missing; do printf ' %s' "$(package "$1" "$word")"; done
}

# The one line to type, where this script may not or does not install by itself.
print_line_to_type() {
  say "Please type this line, then start again:"
  sudo='sudo '
  [ "$(id -u)" != 0 ] || sudo=
  if have apt-get; then
    say "  ${sudo}apt-get update && ${sudo}apt-get install -y$(packages apt)"
  elif have dnf; then
    say "  ${sudo}dnf install -y$(packages dnf)        (untested)"
  elif have pacman; then
    say "  ${sudo}pacman -S --needed$(packages pacman)        (untested)"
  elif have brew; then
    say "  brew install$(packages brew)        (untested)"
  else
    say "  (no package manager known here) install g++ 12 or clang++ 14, CMake 3.25, make," \
      "GoogleTest, Google Benchmark"
  fi
}

# Runs a command as root: directly, or by sudo; fails where neither is possible.
as_root() {
  if [ "$(id -u)" = 0 ]; then
    env DEBIAN_FRONTEND=noninteractive "$@"
  else
    sudo env DEBIAN_FRONTEND=noninteractive "$@"
  fi
}

# root, or a sudo that needs no password or has a terminal to ask for it.
may_install() {
  [ "${VITRO_NO_INSTALL:-0}" != 1 ] && have apt-get || return 1
  [ "$(id -u)" = 0 ] && return 0
  have sudo && { [ -t 0 ] || sudo -n true 2>/dev/null; }
}

install_missing() {
  say "Missing:$missing. Installing with apt-get:$(packages apt)"
  as_root apt-get update >&2 || say "apt-get update failed; trying with the lists that are there."
  # shellcheck disable=SC2046  # the list of packages is meant to be split
  as_root apt-get install -y --no-install-recommends $(packages apt) >&2
}

require_tools() {
  wants_tests=no
  if [ "${1:-}" = tests ]; then wants_tests=yes; fi

  look
  if [ -n "$missing" ]; then
    if ! may_install; then
      say "Missing:$missing."
      print_line_to_type
      exit 1
    fi
    if ! install_missing; then
      say "Installing did not work."
      print_line_to_type
      exit 1
    fi
    look
  fi
  case $missing in
    '') ;;
    *compiler*) fail "The newest compiler here is too old: Vitro needs g++ 12 or clang++ 14." \
      "Try: apt-get install g++-12" ;;
    *cmake*) fail "CMake here is too old ($(cmake --version | head -n 1)): Vitro needs 3.25." \
      "Try: pip install cmake" ;;
    *) fail "Still missing after installing:$missing." ;;
  esac

  # shellcheck disable=SC2034  # used by the scripts that source this one
  jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
}
