# The simulator: its instructions' handlers (cudasim/src/exec) for the best instruction set of this machine, or, in the library
# that `make test-all` takes, for all of them; the rest once.
sim := build/sim/libcudart.so.13
sim_all := build/sim-all/libcudart.so.13
march_v3 := -march=x86-64-v3
march_v4 := -march=x86-64-v4 -mprefer-vector-width=512
sim_sources := $(wildcard cudasim/src/*/*.c)
sim_handlers := $(filter-out %/handlers.c,$(filter cudasim/src/exec/%,$(sim_sources)))
sim_rest := $(patsubst %,build/obj/%.o,$(filter-out cudasim/src/exec/%,$(sim_sources)))
handlers_for = $(patsubst %,build/obj/%.$(1).o,$(sim_handlers))
sim_objects := $(sim_rest) $(call handlers_for,$(isa)) build/obj/cudasim/src/exec/handlers.c.$(isa).o
sim_all_objects := $(sim_rest) $(foreach i,$(isas),$(call handlers_for,$(i))) build/obj/cudasim/src/exec/handlers.c.all.o
sim_flags := -shared -Wl,-soname,libcudart.so.13 -Wl,--version-script,cudasim/src/cuda/libcudart.map -Wl,-z,defs

$(foreach s,sim sim_all,$(eval $(call program,$($(s)),$($(s)_objects),-lm -lpthread,$(sim_flags))))
$(sim) $(sim_all): cudasim/src/cuda/libcudart.map
build/lib/sim.a: $(sim_objects)

# -fno-strict-aliasing: the type of a lane array depends on the instruction. Rounding: as the operation says, never fused.
as_written := -fno-strict-aliasing -ffp-contract=off -fno-math-errno
build/obj/cudasim/%.o: CPPFLAGS := -Icudasim/src -Icudasim/include -Icudasim/tests
build/obj/cudasim/%.o: CFLAGS += $(as_written)
# The code that picks a set at run time must run everywhere.
build/obj/cudasim/src/exec/handlers.c.%.o: cudasim/src/exec/handlers.c build/flags
	$(call say,cc    $< ($*))
	$(Q)$(compile_c) '-DSIM_ISAS=$(patsubst %,ISA(%),$(if $(filter all,$*),$(isas),$*))'

define isa_rules
$(call handlers_for,$(1)): build/obj/%.$(1).o: % build/flags
	$$(call say,cc    $$< ($(1)))
	$$(Q)$$(compile_c) -O3 -fno-trapping-math $$(march_$(1)) -DSIM_ISA=$(1)
endef
$(foreach i,$(isas),$(eval $(call isa_rules,$(i))))
