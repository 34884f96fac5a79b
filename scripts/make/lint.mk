# make lint: tools of pinned versions (scripts/lint.txt). clang-tidy takes most of the time, so a file that has passed
# it is read again only after a change of the file, of what that includes, or of .clang-tidy. All faults are told.
MAKEFLAGS += -k
not_ours := -path ./build -o -path ./.git -o -path ./data -o -path ./my
c_sources := $(patsubst ./%,%,$(shell find . \( $(not_ours) \) -prune -o -type f -name '*.c' -print))
# What clang 14 cannot read: gcc's names of processors, and _Float16.
gcc_alone := %/exec/handlers.c %/exec/test_handlers.c %/exec/test_wgmma.c $(if $(ranks),,%/ranks/mpi.c)
tidied := $(patsubst %,build/lint/tidy/%.ok,$(filter-out $(gcc_alone),$(c_sources)))
lint: style $(tidied)
	@echo "lint: $(words $(c_sources)) C files, and all that is formatted, pass"
style: build/lint/installed ; @sh scripts/lint.sh
build/lint/installed: scripts/lint.txt ; @sh scripts/lint.sh --install

# As gcc compiles it, with gcc's headers: the wheel has none of its own.
tidy_includes = $(if $(filter cudasim/%,$<),$(addprefix -Icudasim/,src include tests), \
    -Icommon -Icudasim/include -Ibuild) -Iscripts/clang -isystem $(gcc_headers) \
    -isystem "$(CUDA_DIR)/include" -idirafter /usr/include/openblas $(mpi_flags)
tidy_flags = -std=c11 -D_GNU_SOURCE '-DCUDA_LIB_DIR=""' '-DKL_VERSION=""' -DSIM_ISA=baseline \
    '-DSIM_ISAS=ISA(baseline)' $(tidy_includes)
gcc_headers := $(shell $(CC) -print-file-name=include)
$(tidied): build/lint/tidy/%.ok: % .clang-tidy build/lint/installed | build/gpu/devices.inc
	@mkdir -p $(@D); build/lint/bin/clang-tidy --quiet $< -- $(tidy_flags) >$@.out 2>&1 || { cat $@.out; exit 1; }
	@$(CC) -MM -MP -MT $@ -MF $(@:.ok=.d) $(tidy_flags) $<; rm -f $@.out; touch $@
