# The simulator: its instructions' handlers (exec_*.c, ops.c) for the best instruction set of this machine, or, in the
# library that `make test-all` takes, for all of them; the rest once.

sim := build/sim/libcudart.so.13
sim_all := build/sim-all/libcudart.so.13
cpu := $(if $(findstring x86_64,$(shell uname -m)),$(shell grep -m 1 '^flags' /proc/cpuinfo))
isas := $(if $(cpu),v4 v3) baseline
needs_v4 := avx512f avx512bw avx512cd avx512dq avx512vl
needs_v3 := avx2 fma bmi1 bmi2 f16c abm movbe
isa := $(firstword $(foreach i,$(isas),$(if $(filter-out $(cpu),$(needs_$(i))),,$(i))))
march_v3 := -march=x86-64-v3
march_v4 := -march=x86-64-v4 -mprefer-vector-width=512
sim_sources := $(wildcard common/sim/*.c)
sim_handlers := $(filter common/sim/exec_%.c common/sim/ops.c,$(sim_sources))
sim_rest := $(patsubst %,build/obj/%.o,$(filter-out $(sim_handlers) common/sim/isa.c,$(sim_sources)))
handlers_for = $(patsubst %,build/obj/%.$(1).o,$(sim_handlers))
sim_objects := $(sim_rest) $(call handlers_for,$(isa)) build/obj/common/sim/isa.c.$(isa).o
sim_all_objects := $(sim_rest) $(foreach i,$(isas),$(call handlers_for,$(i))) build/obj/common/sim/isa.c.all.o
sim_flags := -shared -Wl,-soname,libcudart.so.13 -Wl,--version-script,common/sim/libcudart.map -Wl,-z,defs

$(eval $(call program,$(sim),$(sim_objects),-lm -lpthread,$(sim_flags)))
$(eval $(call program,$(sim_all),$(sim_all_objects),-lm -lpthread,$(sim_flags)))
$(sim) $(sim_all): common/sim/libcudart.map build/sim/isa
build/lib/sim.a: $(sim_objects)

# If the build folder was filled on another machine, the simulator is linked again.
ifneq ($(file <build/sim/isa),$(isa))
build/sim/isa: FORCE
endif
build/sim/isa:
	@mkdir -p $(@D)
	@echo '$(isa)' >$@

# -fno-strict-aliasing: the type of a lane array depends on the instruction. Rounding as the operation says, never fused.
sim_cc = $(CC) $(CPPFLAGS) $(CFLAGS) -fno-strict-aliasing -ffp-contract=off -fno-math-errno
$(sim_rest): build/obj/%.o: % build/flags
	@echo "cc    $<"
	@mkdir -p $(@D)
	$(Q)$(sim_cc) -MMD -MP -MF $(@:.o=.d) -c -o $@ $<

# The code that picks a set at run time must run everywhere.
build/obj/common/sim/isa.c.%.o: common/sim/isa.c build/flags
	@echo "cc    $< ($*)"
	@mkdir -p $(@D)
	$(Q)$(sim_cc) '-DSIM_ISAS=$(patsubst %,ISA(%),$(if $(filter all,$*),$(isas),$*))' -MMD -MP -MF $(@:.o=.d) -c -o $@ $<

define isa_rules
$(call handlers_for,$(1)): build/obj/%.$(1).o: % build/flags
	@echo "cc    $$< ($(1))"
	@mkdir -p $$(@D)
	$$(Q)$$(sim_cc) -O3 -fno-trapping-math $$(march_$(1)) -DSIM_ISA=$(1) -MMD -MP -MF $$(@:.o=.d) -c -o $$@ $$<
endef
$(foreach i,$(isas),$(eval $(call isa_rules,$(i))))
