# shellcheck shell=sh
# Open MPI for scripts, to be sourced in the project's root: that of the system, else the one in build/mpi, which a
# machine without it and without a network is brought (. scripts/knn/mpi.sh && mpi_unpack).

# Debian's packages of it into build/mpi, 12 MB.
mpi_unpack() (
    rm -rf build/mpi && mkdir -p build/mpi && cd build/mpi &&
        apt-get download -q openmpi-bin libopenmpi3 openmpi-common libevent-core-2.1-7 libevent-pthreads-2.1-7 \
            libhwloc15 libpmix2 libmunge2 libudev1 libltdl7 libnuma1 zlib1g >&2 &&
        for package in *.deb; do dpkg -x "$package" . || exit; done &&
        rm -rf ./*.deb usr/share/man usr/share/doc usr/lib/*/libmpi_* usr/lib/*/liboshmem*
)

mpirun=mpirun
# Debian has its libraries in lib/x86_64-linux-gnu, their parts in openmpi/lib/openmpi3 and pmix2 below that.
if ! command -v mpirun >/dev/null 2>&1 && [ -x build/mpi/usr/bin/orterun ]; then
    export OPAL_PREFIX="$PWD/build/mpi/usr" OPAL_SYSCONFDIR="$PWD/build/mpi/etc/openmpi"
    mpi_libraries=$(echo "$OPAL_PREFIX"/lib/*-linux-gnu)
    export OPAL_LIBDIR="$mpi_libraries/openmpi/lib" OPAL_PKGLIBDIR="$mpi_libraries/openmpi/lib/openmpi3"
    export PMIX_INSTALL_PREFIX="$mpi_libraries/pmix2" OMPI_MCA_plm_rsh_agent="sh" # there may be no ssh: all are here
    LD_LIBRARY_PATH=$mpi_libraries:$PWD/build/mpi/lib/${mpi_libraries##*/}${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
    export LD_LIBRARY_PATH
    mpirun=$OPAL_PREFIX/bin/orterun
fi

# Parts of it whose libraries are not here stay silent; containers forbid copies from process to process.
export OMPI_MCA_mca_base_component_show_load_errors=0 PMIX_MCA_pcompress_base_silence_warning=1
export OMPI_MCA_pml=ob1 OMPI_MCA_btl=self,vader OMPI_MCA_btl_vader_single_copy_mechanism=none
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# ranks R COMMAND...: as so many processes of this machine, however many cores it has; they are bound to none of them,
# as each has threads of its own. All of it is ended, with a line that says so, when HANGS_AFTER seconds are over.
ranks() {
    number=$1 ended=0
    shift
    timeout -k 5 "${HANGS_AFTER:-300}" "$mpirun" -q -np "$number" --oversubscribe --bind-to none "$@" </dev/null ||
        ended=$?
    case $ended in
    124 | 137) echo "mpirun: ended, as $number ranks took more than ${HANGS_AFTER:-300} s: $*" >&2 ;;
    esac
    return $ended
}
