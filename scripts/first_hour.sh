#!/bin/sh
# help: run the commands of docs/first-hour.md in a fresh clone and write there what they print
set -eu
cd "$(dirname "$0")/.."
root=$PWD
work=$(mktemp -d "${TMPDIR:-/tmp}/first_hour.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' HUP INT TERM
git clone -q . "$work/kernel-ladder"
mkdir "$work/bin"
printf '#!/bin/sh\nexit 9\n' >"$work/bin/nvidia-smi" # so that a GPU of this machine is not the reader's
chmod +x "$work/bin/nvidia-smi"
PATH=$work/bin:$PATH CUDA_VISIBLE_DEVICES=''
export PATH CUDA_VISIBLE_DEVICES
unset MAKEFLAGS MFLAGS MAKELEVEL # make first-hour's own: with them make says which folder it enters
cd "$work/kernel-ladder"
python3 -B "$root/scripts/first_hour.py" "$root/docs/first-hour.md"
