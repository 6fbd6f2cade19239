#!/usr/bin/env bash
# Finds the tools that come from the system rather than from PyPI. As root on Debian it installs what is missing;
# elsewhere it names the command to type, and stops only where the build cannot go on.
set -u
python=${1:?usage: system.sh PYTHON}
export PATH="$PATH:/usr/sbin:/sbin" # ldconfig, which is not on everybody's path

needed=() wanted=()
have() { command -v "$1" >/dev/null 2>&1; }
have g++ || needed+=(g++)
"$python" -c 'import ensurepip, venv' 2>/dev/null || needed+=(python3-venv)
"$python" -c 'import os, sysconfig; os.stat(sysconfig.get_path("include") + "/Python.h")' 2>/dev/null || needed+=(python3-dev)
[ -e /usr/include/gtest/gtest.h ] || needed+=(libgtest-dev)
[ -e /usr/include/benchmark/benchmark.h ] || wanted+=(libbenchmark-dev)   # make bench
[ -e /etc/OpenCL/vendors/pocl.icd ] || wanted+=(pocl-opencl-icd)          # the OpenCL driver's tests
ldconfig -p 2>/dev/null | grep -q 'libOpenCL\.so\.1' || wanted+=(ocl-icd-libopencl1)
ldconfig -p 2>/dev/null | grep -q 'libmpi\.so' || wanted+=(openmpi-bin)         # mpi4py's exchange tests
have clang++-19 || wanted+=(clang-19)                                     # the fuzzer
[ -e /usr/lib/llvm-19/lib/clang/19/lib/linux/libclang_rt.fuzzer-x86_64.a ] || wanted+=(libclang-rt-19-dev)
have clang-format-19 || wanted+=(clang-format-19)                         # make lint
have ccache || wanted+=(ccache)                                           # a second build costs seconds

missing=("${needed[@]}" "${wanted[@]}")
[ ${#missing[@]} -eq 0 ] && exit 0

if have apt-get && [ "$(id -u)" -eq 0 ]; then
  echo "installing from Debian: ${missing[*]}"
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq && apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null && exit 0
  echo "system.sh: apt-get could not install: ${missing[*]}" >&2
fi

command="sudo apt-get install -y ${missing[*]}"
if [ ${#needed[@]} -gt 0 ]; then
  echo "dlport cannot be built without: ${needed[*]}. Type: $command" >&2
  exit 1
fi
echo "going on without: ${wanted[*]} (their tests are skipped). To have them, type: $command" >&2
