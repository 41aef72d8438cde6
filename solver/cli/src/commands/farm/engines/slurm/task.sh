#!/usr/bin/env bash
# Runs one task of a bake: task.sh STAGE CACHE FIRST LAST, where CACHE is a number. In an array each task takes the
# chunk of frames with its number.
set -eu

# SETTINGS
# Other programs than those in the job.
dollop=${DOLLOP:-$dollop} blender=${DOLLOP_BLENDER:-$blender}
stage=$1 cache=${caches[$2]} scene=${scenes[$2]} first=$3 last=$4
if [[ -n ${SLURM_ARRAY_TASK_ID:-} ]]; then
    first=$((first + SLURM_ARRAY_TASK_ID * chunk))
    ((last < first + chunk)) || last=$((first + chunk - 1))
fi
frames=$first..$last
# Without a requested number: as many as this task has been given.
((threads)) || threads=${SLURM_CPUS_ON_NODE:-0}

case $stage in
simulate) task=("$dollop" simulate "$scene" --cache "$cache" --frames "$frames" --threads "$threads") ;;
mesh | volume) task=("$dollop" "$stage" "$cache" --resume --frames "$frames" --threads "$threads") ;;
collect) task=("$dollop" collect "$cache") ;;
render)
    task=("$blender" --background --python-exit-code 1 --python "$render_script" --
        --blend "$blend" --cache "$cache" "--frames=$frames")
    ;;
*)
    echo "error: there is no stage $stage" >&2
    exit 2
    ;;
esac

echo "$(date '+%F %T') ${SLURMD_NODENAME:-}: ${task[*]}"
# Replaces this shell, so that signals reach the worker.
exec "${task[@]}"
