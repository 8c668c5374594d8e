# The front door: `make help` says what there is. All work is done by CMake in build/; nothing here needs configuring.
#
# ARGS="…" goes to the program that a target runs; CMAKE_ARGS="-D…" to CMake, the first time; BUILD=… is another build
# folder.
.DEFAULT_GOAL := help
BUILD ?= build
ARGS ?=
CMAKE_ARGS ?=
export WORKBOOK_BUILD_DIR = $(BUILD)
export WORKBOOK_CMAKE_ARGS = $(CMAKE_ARGS)

# Bootstraps, configures where needed, and builds the target that follows. It talks on standard error, so that a program's
# own standard output can be kept: make -s chapter1 ARGS="--json -" > chapter1.json
build := sh common/tools/bootstrap/build.sh

.PHONY: help chapters progress next test bench-emulator generate outputs format clean FORCE

help:
	@sh common/tools/bootstrap/help.sh

chapters:
	@sh common/tools/bootstrap/help.sh chapters

chapter%: FORCE
	@number=$$(sh common/tools/bootstrap/help.sh number "$*") && \
	  $(build) "chapter$$number" && "$(BUILD)/bin/chapter$$number" $(ARGS)

# The strict verdict on the student's kernel.
test%: FORCE
	@number=$$(sh common/tools/bootstrap/help.sh number "$*") && \
	  $(build) "chapter$$number" && "$(BUILD)/bin/chapter$$number" --test $(ARGS)

# What each line of the kernel costs.
profile%: FORCE
	@number=$$(sh common/tools/bootstrap/help.sh number "$*") && \
	  $(build) "chapter$$number" && "$(BUILD)/bin/chapter$$number" --profile $(ARGS)

# The machine code of the chapter's kernels.
sass%: FORCE
	@number=$$(sh common/tools/bootstrap/help.sh number "$*") && \
	  sh common/tools/bootstrap/bootstrap.sh build cuda sass >&2 && \
	  $(build) sass && $(build) machine_code && $(build) "chapter$$number" && \
	  python3 common/tools/student/sass.py "$$number" $(ARGS)

# What goes on between the student and the chapters: hints, comparisons, progress. ARGS="…" goes to it.
student := sh common/tools/bootstrap/bootstrap.sh build cuda >&2 && python3 common/tools/student/student.py
define student_target
$(1)%: FORCE
	@number=$$$$(sh common/tools/bootstrap/help.sh number "$$*") && $(student) $(1) "$$$$number" $(ARGS)
endef
$(foreach verb,hint diff reset watch predict,$(eval $(call student_target,$(verb))))

progress next:
	@$(student) $@ $(ARGS)

test:
	@$(build) all && ctest --test-dir "$(BUILD)" --output-on-failure --timeout 300 -j "$$(nproc)" $(ARGS)

bench-emulator:
	@$(build) bench_emulator && "$(BUILD)/bin/bench_emulator" $(ARGS)

generate:
	@$(build) generate

# What README.md and the lessons show of the programs, made anew.
outputs:
	@$(build) all && python3 common/tools/outputs/outputs.py --programs "$(BUILD)/bin" README.md chapters/*/README.md && \
	  python3 common/tools/outputs/recorded.py --data plots/data README.md chapters/*/README.md

format:
	@sh common/tools/bootstrap/bootstrap.sh style && git ls-files -z '*.cpp' '*.hpp' '*.cu' '*.cuh' | xargs -0 clang-format -i

clean:
	@[ ! -f "$(BUILD)/CMakeCache.txt" ] || cmake --build "$(BUILD)" --target clean

FORCE:
