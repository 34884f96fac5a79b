# How files are compiled and linked: every program is one call of `program`.
CPPFLAGS := -Icommon -Icudasim/include
CFLAGS := -std=c11 -D_GNU_SOURCE -O2 -g -fPIC -fvisibility=hidden -Wall -Wextra -Wno-unused-parameter -Werror \
          -isystem "$(CUDA_DIR)/include" -DCUDA_LIB_DIR='"$(CUDA_LIB)"'
# nvcc brings C++17's <cmath> into every file and reads it four times, a third of that for functions like Bessel's,
# which no kernel calls. It leaves out the header of libstdc++ whose guard this is.
no_specfun := -D_GLIBCXX_BITS_SPECFUN_H
# ptxas also fails the build on a spilled register, except in files that say "spills: intended". No host code throws,
# and gcc takes less time where none may.
# The option is that of host code, which only launches: more would take a tenth of a file's time.
NVCCFLAGS := -O1 -lineinfo --no-compress -Werror all-warnings -Xcompiler -fPIC,-fvisibility=hidden,-fno-exceptions \
             -Xcompiler -Wall,-Wextra,-Werror -Xptxas -Werror $(no_specfun)
no_spills = $(shell grep -q 'spills: intended' $< || echo -Xptxas -warn-spills)
# RUNPATH, so that LD_LIBRARY_PATH can substitute another libcudart; in an archive of scripts/bundle/bundle.sh a step
# finds its own.
LDFLAGS := -Wl,--enable-new-dtags,-rpath,"$(CUDA_LIB)" '-Wl,-rpath,$$$$ORIGIN/../build/cuda/lib64'
# Tests and exercises are linked by gold where it links: it takes a third of the time.
gold_links = echo 'int main(void) { return 0; }' | $(CC) -fuse-ld=gold -x c - -o /dev/null -lstdc++ 2>/dev/null && \
    echo yes
gold := $(if $(shell $(gold_links)),-fuse-ld=gold)
LDLIBS := "$(CUDART)" -Wl,--as-needed -lstdc++ -ldl -lm -lpthread

aside := sh scripts/make/aside.sh
depends = -MMD -MP -MT $@ -MF $(@:.o=.d)
compile_c = $(aside) $(CC) $(CPPFLAGS) $(CFLAGS) $(depends) -c -o $@ $<
compile_cuda = $(aside) "$(CUDA_NVCC)" $(CPPFLAGS) $(NVCCFLAGS) $(no_spills) $(gencode) $(depends) -c -o $@ $<
say = @echo "$(1)"; mkdir -p $(@D)
# $(call objects,FOLDER...): those of every source in these folders, at any depth.
sources_in = $(foreach f,$(wildcard $(1)/*),$(call sources_in,$(f)) $(filter %.c %.cu,$(f)))
objects = $(patsubst %,build/obj/%.o,$(sort $(foreach d,$(1),$(call sources_in,$(d)))))

# $(call program,FILE,OBJECTS AND ARCHIVES,LIBRARIES,FLAGS): links FILE from these.
define program
linked += $(1)
$(1): $(2) build/flags
$(1): private link_libs := $(3)
$(1): private link_flags := $(or $(4),$(LDFLAGS))
endef

build/lib/%.a:
	@mkdir -p $(@D)
	$(Q)ar rcs $@.$$$$ $^ && mv $@.$$$$ $@
build/obj/%.c.o: %.c build/flags
	$(call say,cc    $<)
	$(Q)$(compile_c)
build/obj/%.cpp.o: %.cpp build/flags
	$(call say,c++   $<)
	$(Q)$(aside) g++ -std=c++17 -O2 -g -Wall -Wextra -Werror $(depends) -c -o $@ $<
build/obj/%.cu.o: %.cu build/flags
	$(call say,nvcc  $<)
	$(Q)$(compile_cuda)

# Everything is rebuilt when a compiler or a flag changes; one file alone when the version does. What an archive brings
# is as new as its sources, whatever compiles there, unless the first make names ARCHS. Its folder may move.
adopts := $(if $(wildcard bundle.txt),$(if $(wildcard build/flags)$(ARCHS),,$(filter cuda,$(groups))))
flags = $(subst $(if $(wildcard bundle.txt),$(CURDIR)),,$(CC) | $(CPPFLAGS) | $(CFLAGS) | $(CUDA_NVCC) \
    $(CUDA_VERSION) | $(NVCCFLAGS) | $(gencode) | $(LDFLAGS) | $(LDLIBS))
version := $(shell REVISION='$(REVISION)' sh scripts/make/version.sh)
define stamp
build/$(1): export TEXT := $$($(1))
$$(if $(adopts),$$(file >build/$(1),$$($(1)))$$(shell touch -r bundle.txt build/$(1)))
ifneq ($$(file <build/$(1)),$$($(1)))
build/$(1): FORCE
endif
endef
$(foreach s,flags version,$(eval $(call stamp,$(s))))
build/flags build/version:
	@mkdir -p $(@D); printf '%s\n' "$$TEXT" >$@.$$$$ && mv $@.$$$$ $@
build/obj/common/base/version.c.o: CPPFLAGS += -DKL_VERSION='"$(version)"'
build/obj/common/base/version.c.o: build/version
