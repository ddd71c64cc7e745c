#!/bin/sh
# Measures a real GPU with everything of validate/, and writes what `subcore validate` compares with. It needs a C
# compiler and NVIDIA's driver; Nsight Compute (ncu) where it is there. It never changes the GPU's clocks or any other
# setting.
#
#     validate/hw/run.sh [PART...]     build info kernels ncu micro experiments answers ncu-full; without: all, in
#                                      this order
#
# The first five are the essential part, below 8 minutes; all are below 25. Each part can run alone (build first),
# writes into OUT as it goes, and goes on after a step that failed; a step that takes too long is ended.
# docs/validation.md has more.
#
#     OUT          folder of the results                              (validate-out)
#     GPU          name of the GPU as `subcore gpus` lists it         (from the driver's name)
#     DEVICE       number of the GPU                                  (0)
#     EXPERIMENTS  folder that `subcore experiment --write` made      (OUT/experiments)
#     ANSWERS      folder that `tools/answers.py write` made          (OUT/answers)
#     CC           compiler                                           (cc, gcc, clang or nvcc)
#     RUN          words before the program, as "subcore exec -q -g a100"
#     *_SECONDS    what a part may take; see below

set -u
cd "$(dirname "$0")/../.." || exit 2

OUT=${OUT:-validate-out}
GPU=${GPU:-}
DEVICE=${DEVICE:-0}
RUN=${RUN:-}
EXPERIMENTS=${EXPERIMENTS:-$OUT/experiments}
ANSWERS=${ANSWERS:-$OUT/answers}
BUILD_SECONDS=${BUILD_SECONDS:-60}
INFO_SECONDS=${INFO_SECONDS:-20}
KERNELS_SECONDS=${KERNELS_SECONDS:-100}
NCU_SECONDS=${NCU_SECONDS:-150}
MICRO_SECONDS=${MICRO_SECONDS:-140}
EXPERIMENTS_SECONDS=${EXPERIMENTS_SECONDS:-120}
ANSWERS_SECONDS=${ANSWERS_SECONDS:-400}
NCU_FULL_SECONDS=${NCU_FULL_SECONDS:-780}
MICRO_OPTIONS=${MICRO_OPTIONS:-}     # such as --quick
KERNELS_OPTIONS=${KERNELS_OPTIONS:-} # such as --repeat 3
SIZES=${SIZES:-small medium full}
PROFILED=${PROFILED:-} # kernels for ncu; without: all
MEASURES=${MEASURES:-} # of the part micro; without: all

here=validate/hw
program=$OUT/validate-gpu
failed=0
part=
part_end=0

# ---- steps -----------------------------------------------------------------------------------------------------------

now() { date +%s; }

say() { printf '%s\n' "$*" | tee -a "$OUT/log.txt" >&2; }

begin() {
    part=$1
    part_end=$(($(now) + $2))
}

# step NAME SECONDS COMMAND...: runs it, for so long at most and no longer than the part may go on.
step() {
    name=$1 most=$2 began=$(now)
    shift 2
    left=$((part_end - began))
    if [ "$left" -le 0 ]; then
        say "skipped: $part, $name: the part's time is used up"
        failed=1
        return 1
    fi
    [ "$left" -lt "$most" ] && most=$left
    if command -v timeout >/dev/null; then
        timeout -k 5 "$most" "$@" 2>>"$OUT/log.txt"
    else
        "$@" 2>>"$OUT/log.txt"
    fi
    status=$?
    took=$(($(now) - began))
    case $status in
    0) say "done: $part, $name: $took s" ;;
    124 | 137) say "ENDED: $part, $name: longer than $most s" ;;
    *) say "FAILED: $part, $name: exit status $status after $took s; see $OUT/log.txt" ;;
    esac
    [ "$status" -eq 0 ] || failed=1
    return "$status"
}

gpu() { # step NAME SECONDS, then words of validate-gpu
    name=$1 most=$2
    shift 2
    # shellcheck disable=SC2086  # RUN is several words
    step "$name" "$most" $RUN "$program" "$@" --folder validate --device "$DEVICE" ${GPU:+--gpu "$GPU"}
}

# ---- what stands at the head of each file ----------------------------------------------------------------------------

clocks() {
    command -v nvidia-smi >/dev/null || return 0
    timeout 20 nvidia-smi -i "$DEVICE" --format=csv,noheader --query-gpu="$1" 2>>"$OUT/log.txt" | head -n 1
}

commit() { git rev-parse --short=12 HEAD 2>/dev/null || echo unknown; }

facts() {
    echo "commit $(commit)"
    keys=driver_version,clocks.sm,clocks.mem,clocks.max.sm,pstate
    now=$(clocks $keys)
    echo "clocks as found, not changed; $keys: ${now:-not known, there is no nvidia-smi}"
}

# The clocks before and after each part.
note_clocks() {
    command -v nvidia-smi >/dev/null || return 0
    keys=timestamp,name,driver_version,pstate,clocks.sm,clocks.mem,clocks.max.sm,temperature.gpu,power.draw
    keys=$keys,ecc.mode.current
    [ -s "$OUT/clocks.csv" ] || { facts | sed 's/^/# /'; echo "part,when,$keys"; } >"$OUT/clocks.csv"
    echo "$part,$1,$(clocks "$keys")" >>"$OUT/clocks.csv"
}

# run_gpu NAME SECONDS WORD...: as gpu, with the facts noted in the files that it writes.
run_gpu() {
    gpu "$@" --note "commit $(commit)" --note "$fact_clocks"
}

# ---- parts -----------------------------------------------------------------------------------------------------------

compiler() {
    [ -n "${CC:-}" ] && { echo "$CC"; return 0; }
    for one in cc gcc clang nvcc; do
        command -v "$one" >/dev/null && { echo "$one"; return 0; }
    done
    return 1
}

part_build() {
    begin build "$BUILD_SECONDS"
    cc=$(compiler) || { say "FAILED: build: no C compiler; set CC"; failed=1; return 1; }
    # shellcheck disable=SC2086  # CC may be several words
    step "$cc" 60 $cc -O2 -I. $here/*.c validate/*.c validate/micro/*.c validate/kernels/*.c examples/util.c \
        -o "$program" -ldl -lm
}

part_info() {
    begin info "$INFO_SECONDS"
    note_clocks before
    command -v nvidia-smi >/dev/null && nvidia-smi -q -i "$DEVICE" >"$OUT/nvidia-smi.txt" 2>>"$OUT/log.txt"
    run_gpu info 20 info >"$OUT/info.txt" && cat "$OUT/info.txt"
    run_gpu toml 20 info --toml >"$OUT/gpu.toml"
}

part_kernels() {
    begin kernels "$KERNELS_SECONDS"
    note_clocks before
    rm -f "$OUT/kernels.csv" "$OUT/kernels-rows.csv"
    for size in $SIZES; do
        # shellcheck disable=SC2086
        run_gpu "$size" 60 kernels --size "$size" --append --csv "$OUT/kernels.csv" --rows "$OUT/kernels-rows.csv" \
            $KERNELS_OPTIONS >>"$OUT/log.txt"
    done
    note_clocks after
}

part_micro() {
    begin micro "$MICRO_SECONDS"
    note_clocks before
    rm -f "$OUT/micro.txt" "$OUT/micro.csv" "$OUT/micro-rows.csv"
    for measure in ${MEASURES:-$("$program" micro --list)}; do
        # shellcheck disable=SC2086
        run_gpu "$measure" 60 micro "$measure" --append --csv "$OUT/micro.csv" --rows "$OUT/micro-rows.csv" \
            $MICRO_OPTIONS >>"$OUT/micro.txt"
    done
    note_clocks after
}

# profile SIZE NAME OPTION...: a profile of all kernels of a size, each launched once.
profile() {
    size=$1 to=$2
    shift 2
    # shellcheck disable=SC2086
    step "$size" 400 ncu --clock-control none --cache-control all --print-units base --csv --page raw \
        --target-processes all --log-file "$to-$size.ncu" "$@" $RUN "$program" kernels $PROFILED --once --size "$size" \
        --csv "$to-$size-manifest.csv" --folder validate --device "$DEVICE" ${GPU:+--gpu "$GPU"} \
        --note "commit $(commit)" --note "$fact_clocks" --note "ncu: $(ncu --version 2>/dev/null | tail -n 1)" \
        --note "ncu options: --clock-control none --cache-control all" >>"$OUT/log.txt"
}

has_table() { [ -s "$1" ] && grep -q '^"ID"' "$1"; }

# The profile as rows; ncu's own table stays beside it, with the head that the manifest has.
collect() {
    size=$1 to=$2
    [ -s "$to-$size.ncu" ] && [ -s "$to-$size-manifest.csv" ] || return 1
    { grep '^#' "$to-$size-manifest.csv"; cat "$to-$size.ncu"; } >"$to-$size.csv"
    name=$(sed -n 's/^gpu=//p' "$OUT/info.txt" 2>/dev/null)
    step "rows of $size" 30 "$program" collect "$to-$size-manifest.csv" "$to-$size.ncu" --append \
        --gpu "${GPU:-${name:-unknown}}" --rows "$to-rows.csv"
}

have_ncu() {
    command -v ncu >/dev/null && return 0
    say "skipped: $part: there is no ncu on PATH (Nsight Compute)"
    return 1
}

# The metrics of the list; those that this ncu or GPU does not know are left out, and it is tried again.
part_ncu() {
    begin ncu "$NCU_SECONDS"
    have_ncu || return 0
    note_clocks before
    rm -f "$OUT/ncu-rows.csv"
    cp "$here/metrics.txt" "$OUT/ncu-metrics.txt"
    for size in $SIZES; do
        for try in 1 2 3; do
            failed_before=$failed
            profile "$size" "$OUT/ncu" --metrics "$(paste -sd, "$OUT/ncu-metrics.txt")" && break
            has_table "$OUT/ncu-$size.ncu" && break
            known_metrics "$OUT/ncu-$size.ncu" || break
            say "again: ncu, $size: without metrics that are unknown here (try $try)"
            failed=$failed_before
        done
        collect "$size" "$OUT/ncu"
    done
    explain_ncu
    note_clocks after
}

# Takes out of the list what ncu complains about; fails when that is nothing.
known_metrics() {
    before=$(wc -l <"$OUT/ncu-metrics.txt")
    while read -r metric; do
        grep '^==[EW]' "$1" "$OUT/log.txt" 2>/dev/null | grep -qF "$metric" || echo "$metric"
    done <"$OUT/ncu-metrics.txt" >"$OUT/ncu-metrics.new"
    mv "$OUT/ncu-metrics.new" "$OUT/ncu-metrics.txt"
    after=$(wc -l <"$OUT/ncu-metrics.txt")
    [ "$after" -lt "$before" ] && [ "$after" -gt 0 ]
}

explain_ncu() {
    grep -q ERR_NVGPUCTRPERM "$OUT"/ncu*.ncu "$OUT/log.txt" 2>/dev/null &&
        say "ncu may not count here: run it as root, or let the administrator load the driver with" \
            "NVreg_RestrictProfilingToAdminUsers=0. The times in kernels-rows.csv stand without it."
    return 0
}

part_ncu_full() {
    begin ncu-full "$NCU_FULL_SECONDS"
    have_ncu || return 0
    note_clocks before
    rm -f "$OUT/ncu-full-rows.csv"
    for size in $SIZES; do
        profile "$size" "$OUT/ncu-full" --set full
        collect "$size" "$OUT/ncu-full"
    done
    note_clocks after
}

part_experiments() {
    begin experiments "$EXPERIMENTS_SECONDS"
    if [ ! -s "$EXPERIMENTS/manifest.csv" ]; then
        say "skipped: experiments: no $EXPERIMENTS; 'subcore experiment --write FOLDER --gpu NAME' makes it"
        return 0
    fi
    note_clocks before
    rm -f "$OUT/experiments.csv"
    for experiment in $(grep -v '^#' "$EXPERIMENTS/manifest.csv" | sed 1d | cut -d, -f1 | uniq); do
        run_gpu "$experiment" 20 experiments "$EXPERIMENTS" "$experiment" --append --csv "$OUT/experiments.csv"
    done
    note_clocks after
}

# Each instruction that is illegal takes a process; kernels that are likely to be go last (tools/answers.py --last).
part_answers() {
    begin answers "$ANSWERS_SECONDS"
    if [ ! -s "$ANSWERS/manifest.csv" ]; then
        say "skipped: answers: no $ANSWERS; 'tools/answers.py write FOLDER --arch sm_XY' makes it"
        return 0
    fi
    note_clocks before
    rm -f "$OUT/answers.bin" "$OUT/answers.bin.zst"
    run_gpu answers "$ANSWERS_SECONDS" answers "$ANSWERS" --csv "$OUT/answers.bin"
    command -v zstd >/dev/null && step compress 60 zstd -q -6 "$OUT/answers.bin" -o "$OUT/answers.bin.zst"
    note_clocks after
}

# ---- all -------------------------------------------------------------------------------------------------------------

mkdir -p "$OUT" || exit 2
[ $# -gt 0 ] || set -- build info kernels ncu micro experiments answers ncu-full
for wanted in "$@"; do
    case $wanted in
    build | info | micro | kernels | ncu | ncu-full | experiments | answers) ;;
    *)
        echo "run.sh: there is no part '$wanted'; they are build info kernels ncu micro experiments answers ncu-full" >&2
        exit 2
        ;;
    esac
done
start_of_all=$(now)
say "run.sh $*: $(date -u '+%Y-%m-%d %H:%M:%S') UTC, commit $(commit)"
fact_clocks=$(facts | tail -n 1)
for wanted in "$@"; do
    if [ "$wanted" != build ] && [ ! -x "$program" ]; then
        say "FAILED: $wanted: there is no $program: run the part build first"
        failed=1
        continue
    fi
    case $wanted in
    ncu-full) part_ncu_full ;;
    *) "part_$wanted" ;;
    esac
done
say "all: $(($(now) - start_of_all)) s, results in $OUT"
[ $failed -eq 0 ] || say "something failed or was left out"
exit $failed
