# The entry point: `make help` lists the targets. CMake does the work, in build/, and nothing here needs to be
# configured.
#
# ARGS="…" is passed to the program that a target runs. CMAKE_ARGS="-D…" is passed to CMake when it configures for the
# first time. BUILD=… names a different build folder. If two makes run at once, the second waits for the first one's
# build.
.DEFAULT_GOAL := help
BUILD ?= build
ARGS ?=
BESIDE ?=
CMAKE_ARGS ?=
export WORKBOOK_BUILD_DIR = $(BUILD)
export WORKBOOK_CMAKE_ARGS = $(CMAKE_ARGS)

# Without root, packages are unpacked into the build folder (unpacked.py). These variables add the programs, libraries
# and Python modules in them.
unpacked := $(if $(filter /%,$(BUILD)),,$(CURDIR)/)$(BUILD)/packages/usr
unpacked_libraries := $(unpacked)/lib/$(firstword $(subst -, ,$(MAKE_HOST)))-linux-gnu
unpacked_modules := $(unpacked)/lib/python3/dist-packages
export PATH := $(unpacked)/bin:$(PATH)
export LD_LIBRARY_PATH := $(unpacked_libraries):$(unpacked_libraries)/blas:$(unpacked_libraries)/lapack$(if $(LD_LIBRARY_PATH),:$(LD_LIBRARY_PATH))
export PYTHONPATH := $(unpacked_modules)$(if $(PYTHONPATH),:$(PYTHONPATH))

# The program in common/bootstrap, which installs what is missing, builds, and runs. Its messages are on standard error,
# so you can redirect a program's standard output: make -s chapter1 ARGS="--json -" > chapter1.json
workbook := sh common/bootstrap/bootstrap.sh
build := $(workbook) build
# The packages book, course and student in common, and plots. build/python contains modules that the package manager did
# not have.
python := PYTHONPATH="common:.:$(BUILD)/python:$(unpacked_modules)" python3
book := $(python) -m book

# The number has to be part of the target. Otherwise `make test 3` would run all tests before it reports that there is
# no target 3.
words_with_number := step elsewhere chapter profile play limit sass hint diff reset watch live predict page whatif
example := $(firstword $(filter $(words_with_number) test grade,$(MAKECMDGOALS)) chapter)
ifneq ($(filter 0% 1% 2% 3% 4% 5% 6% 7% 8% 9%,$(MAKECMDGOALS)),)
  $(error Write the number directly after the word, without a space: make $(example)3)
endif
$(words_with_number):
	@echo "Which $(if $(filter step,$@),step,chapter)? Write its number directly after the word: make $@3" >&2
	@echo "(\`make chapters\` lists the chapters; chapter 0 has the steps.)" >&2
	@exit 2

.PHONY: $(words_with_number) help help-all chapters progress next review zoo grade class test test-all test-emulator bench-emulator wheel mutants superopt ranks generate outputs plots figures drawings \
  story machine docs book slides blocks format clean FORCE

help help-all:
	@cat common/bootstrap/$@.txt

chapters:
	@$(workbook) chapters

# Runs the first steps: four small, complete programs on the emulator.
step%: FORCE
	@file=$$(ls docs/examples/steps/"$*"_*.cu 2>/dev/null) || { \
	    echo "There is no step $*: there are" $$(cd docs/examples/steps && ls) >&2; exit 2; }; \
	  $(build) emulate && "$(BUILD)/bin/emulate" $(ARGS) "$$file"

# Runs the exercises on other problems, which belong to chapters 3, 7 and 9. ARGS=solution runs our kernel.
elsewhere%: FORCE
	@ls docs/examples/elsewhere/"$*"_*.cu >/dev/null 2>&1 || { \
	    echo "There is no task $*: there are" $$(cd docs/examples/elsewhere && ls -d *.cu) >&2; exit 2; }; \
	  $(have_python) && $(build) emulate && $(book) elsewhere "$*" --build "$(BUILD)" $(ARGS)

# Chapter 16 also runs on several processes, if there is MPI.
chapter%: FORCE
	@$(workbook) run "$*" $(ARGS)

# Runs chapter 16 with several processes on this machine, each with its own GPU: RANKS=8 ARGS="--type float"
ranks:
	@$(build) chapter16 && $(build) ranks16 && $(workbook) ranks "$(or $(RANKS),4)" $(ARGS)

# Show the strict verdict on the student's kernel, the cost of each of its lines, and, on a GPU, what limits its time.
define option_target
$(1)%: FORCE
	@$$(workbook) run "$$*" --$(1) $$(ARGS)
endef
$(foreach verb,test profile limit,$(eval $(call option_target,$(verb))))

# Makes an animation of the kernel, as a page for a browser. It is made even if the kernel is wrong, because that is
# when it is most useful. BESIDE=reference shows a second kernel of the chapter in step with it.
play%: FORCE
	@number=$$($(workbook) number "$*") && \
	  $(build) "chapter$$number" && run() { "$(BUILD)/bin/chapter$$number" "$$@" $(ARGS) || [ $$? = 1 ]; } && \
	  if [ -n "$(BESIDE)" ]; then \
	    run --profile "$(BESIDE)" --record "$(BUILD)/beside$$number.json" && \
	    run --play "$(BUILD)/play$$number.html" --beside "$(BUILD)/beside$$number.json"; \
	  else run --play "$(BUILD)/play$$number.html"; fi && \
	  echo "$(BUILD)/play$$number.html: open it in a browser."

# Prints the machine code of the chapter's kernels.
sass%: FORCE
	@number=$$($(workbook) number "$*") && \
	  $(workbook) install build cuda sass >&2 && \
	  $(build) sass && $(build) machine_code && $(build) "chapter$$number" && \
	  $(book) sass "$$number" $(ARGS)

# Tools for students: hints, comparisons, progress. ARGS="…" is passed to them. They need Python; the compiler is only
# looked for when a chapter has to be built.
have_python := { command -v python3 >/dev/null || $(workbook) install book >&2; }
student := $(have_python) && $(book)
define student_target
$(1)%: FORCE
	@number=$$$$($$(workbook) number "$$*") && $$(student) $(1) "$$$$number" $$(ARGS)
endef
$(foreach verb,hint diff reset watch predict page,$(eval $(call student_target,$(verb))))

# Serves a page that follows the student's file. Missing packages are installed first, while sudo can still ask for a
# password. The server replaces the shell, so it ends together with make.
live%: FORCE
	@number=$$($(workbook) number "$*") && $(have_python) && \
	  $(workbook) install build cuda >&2 && exec env $(book) live "$$number" $(ARGS)

progress next review:
	@$(student) $@ $(ARGS)

# Shows wrong kernels to study: ARGS=12 shows and runs the twelfth, and asks what is wrong. ARGS="12 --repair" checks a
# repair.
zoo:
	@$(build) specimen && $(book) zoo --build "$(BUILD)" $(ARGS)

# A grade sheet for the exercises in this tree or, with SUBMISSIONS=dir, for a class.
reader := $(workbook) install build cuda grade >&2
grader = $(book) grade --build "$(BUILD)" $(if $(SUBMISSIONS),--submissions "$(SUBMISSIONS)") \
  $(if $(FORMAT),--format "$(FORMAT)") $(if $(ROSTER),--roster "$(ROSTER)")
comma := ,
# A kit for a different grading system needs only the source tree. If only kits are requested, no judge is built.
only_a_kit = $(and $(FORMAT),$(if $(SUBMISSIONS),,y),$(if $(filter-out gradescope classroom,$(subst $(comma), ,$(FORMAT))),,y))
grade:
	@$(reader) && $(build) $(if $(only_a_kit),exercise_host,grader) && $(grader) $(ARGS)

# Makes a page that shows what the class has learned, from all sheets in or below SHEETS.
class:
	@$(have_python) && $(book) class $(if $(SHEETS),--sheets "$(SHEETS)") \
	  $(if $(SUBMISSIONS),--submissions "$(SUBMISSIONS)") $(ARGS)

# Grades only one chapter, so that only one judge has to be built.
grade%: FORCE
	@number=$$($(workbook) number "$*") && \
	  $(reader) && $(build) exercise_host && $(build) "judge$$number" && $(grader) --chapters "$$number" $(ARGS)

# `test` is a quick check, for newcomers and students, that everything works here. `test-all` runs all tests.
ctest = ctest --test-dir "$(BUILD)" --no-tests=error --output-on-failure --timeout 300 -j "$$(nproc)"
test:
	@$(build) quick && $(ctest) -L quick $(ARGS)

test-all:
	@$(build) all && $(ctest) $(ARGS)

# The emulator's own tests, which `make test` leaves out: for a change in common/emulator, or on another processor.
test-emulator:
	@$(build) test_emulator && $(ctest) -R "^emulator_" $(ARGS)

bench-emulator:
	@$(build) bench_emulator && $(build) bench_kinds && "$(BUILD)/bin/bench_emulator" $(ARGS) && "$(BUILD)/bin/bench_kinds" $(ARGS)

# Packs the emulator into a Python wheel for other machines: build/wheel.
wheel:
	@$(workbook) install build cuda wheel >&2 && sh common/package/make_wheel.sh "$(BUILD)"

# Puts one mistake at a time into correct programs, and records if the emulator finds it: docs/mutants.md. Takes a long
# time. With ARGS, such as "--only scan", nothing is recorded.
mutants:
	@$(build) emulate && python3 tests/kernels/mutants/try_mutants.py run "$(BUILD)" $(if $(ARGS),$(ARGS),--out tests/data/mutants.json) && \
	  python3 tests/kernels/mutants/try_mutants.py page

# Searches for a cheaper program for a warp: ARGS="--target sum16 --cost turing". make -s superopt ARGS=--help
superopt:
	@$(build) superopt_program && "$(BUILD)/bin/superopt" $(ARGS)

generate:
	@$(build) generate

# Updates the program output that README.md and the lessons show.
outputs:
	@$(build) all && $(python) -m book.outputs --programs "$(BUILD)/bin" && \
	  "$(BUILD)/bin/agreement" >docs/agreement.md && \
	  python3 tests/kernels/wrong_kernels/sanitize.py page && python3 tests/kernels/programs/coverage.py && \
	  python3 tests/kernels/mutants/try_mutants.py page

# Draws the recorded data, or the data in DATA=FILE|FOLDER, into build/plots.
plots:
	@$(workbook) install plots >&2 && \
	  sh common/book/python.sh matplotlib -m plots.plots --out "$(BUILD)/plots" $(if $(DATA),--data "$(DATA)") $(ARGS)

# Predicts the time of a chapter's kernel with other block sizes from the time model, and draws it into build/plots.
whatif%: FORCE
	@number=$$($(workbook) number "$*") && \
	  $(workbook) install plots >&2 && $(build) "chapter$$number" && \
	  sh common/book/python.sh matplotlib -m plots.what_if --program "$(BUILD)/bin/chapter$$number" --out "$(BUILD)/plots" $(ARGS)

# For authors: updates the figures and drawings in the pages, and the predictions that some of them show.
figures:
	@$(workbook) install plots >&2 && $(build) model_accuracy && $(build) chapter7 && \
	  $(python) -m plots.record_predictions "$(BUILD)/bin" plots/data/predictions_h200.json && \
	  $(python) -m plots.what_if --program "$(BUILD)/bin/chapter7" --kernel reference \
	    --record plots/data/what_if_chapter7.json && \
	  sh common/book/python.sh matplotlib -m plots.plots --out plots/figures --svg
drawings:
	@$(build) chapters && $(build) superopt_program && $(python) -m plots.drawings.draw --programs "$(BUILD)/bin"

# Prints Harris' table, measured on this machine's GPU or, if there is none, from recorded data. Also draws it if
# matplotlib is installed.
story:
	@if nvidia-smi -L >/dev/null 2>&1; then $(build) ladder; set -- --ladder "$(BUILD)/bin/ladder"; else set --; fi; \
	  $(have_python) && $(python) -m book.story "$$@" || exit; \
	  if sh common/book/python.sh matplotlib -c 'import numpy' 2>/dev/null; then \
	    sh common/book/python.sh matplotlib -m plots.plots --out "$(BUILD)/plots" then_and_now; \
	  else \
	    echo "The figure is left out, because matplotlib is not installed. \`make plots\` installs it." >&2; \
	  fi

# Measures the properties of this machine's GPU that determine kernel times: ARGS="--parts starts,launches --json
# mine.json"
machine:
	@$(build) machine && "$(BUILD)/bin/machine" $(ARGS)

# Makes the site as HTML: build/docs/html/index.html.
docs:
	@$(workbook) install docs >&2 && \
	  sh common/book/python.sh markdown -m book.site --out "$(BUILD)/docs" --programs "$(BUILD)/bin"

# Makes the same as a single page for printing: build/book.html.
book:
	@$(workbook) install docs >&2 && \
	  sh common/book/python.sh markdown -m book.one_page --out "$(BUILD)/book.html"

# Makes slides for each session of the instructor's guide: build/slides/sessionN.html.
slides:
	@$(workbook) install docs >&2 && \
	  sh common/book/python.sh markdown -m book.slides --out "$(BUILD)/slides"

# Makes a simulator of blocks, slots and bytes in flight, for chapters 4 to 8: build/blocks.html.
blocks:
	@$(have_python) && $(python) -m book.blocks --out "$(BUILD)/blocks.html" && \
	  echo "$(BUILD)/blocks.html: open it in a browser."

format:
	@$(workbook) install style >&2 && \
	  git ls-files -z '*.cpp' '*.hpp' '*.cu' '*.cuh' | xargs -0 "$(BUILD)/style/bin/clang-format" -i && \
	  "$(BUILD)/style/bin/ruff" format --quiet

clean:
	@[ ! -f "$(BUILD)/CMakeCache.txt" ] || \
	  $(workbook) lock "$(BUILD)" cmake --build "$(BUILD)" --target clean

FORCE:
