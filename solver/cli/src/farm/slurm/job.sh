#!/usr/bin/env bash
# Runs one task of a bake: job.sh STAGE CACHE FIRST LAST, where CACHE is a number. In an array each task takes the chunk of its
# number of the frames.
#
# A task that was told to stop, killed, or found another process in its cache is queued again by itself, and goes on where it
# was. One that fails in any other way ends with the exit code of Dollop, and what depends on it is not run.
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --signal=B:USR1@60
set -u

# SETTINGS
# How often a task is tried again that nobody stopped.
most_tries=${DOLLOP_TRIES:-5}

stage=$1 cache=${caches[$2]} scene=${scenes[$2]} first=$3 last=$4
if [[ -n ${SLURM_ARRAY_TASK_ID:-} ]]; then
    first=$((first + SLURM_ARRAY_TASK_ID * chunk))
    ((last < first + chunk)) || last=$((first + chunk - 1))
fi
frames=$first..$last
# Where none are asked for: as many as this task has been given.
((threads)) || threads=${SLURM_CPUS_ON_NODE:-0}

case $stage in
simulate) task=("$dollop" simulate "$scene" --cache "$cache" --frames "$frames" --threads "$threads") ;;
mesh | volume) task=("$dollop" "$stage" "$cache" --resume --frames "$frames" --threads "$threads") ;;
collect) task=("$dollop" collect "$cache") ;;
render)
    task=("$blender" --background --python-exit-code 1 --python "$render_script" --
        --blend "$blend" --cache "$cache" --frames "$frames")
    ;;
*)
    echo "error: there is no stage $stage" >&2
    exit 2
    ;;
esac

# An array's task is known by both of its numbers, also before it starts.
self=${SLURM_ARRAY_JOB_ID:+${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID}
self=${self:-$SLURM_JOB_ID}
worker='' is_stopped=''

# Dollop ends when the frame that it is at is written, and leaves a checkpoint.
stop() {
    [[ $is_stopped || ! $worker ]] || kill -TERM "$worker" 2>/dev/null
    is_stopped=yes
}

# Waits to be killed: a job that is being pre-empted and ends by itself counts as failed. Where it cannot queue itself, 75 says
# so to a cluster with RequeueExit=75.
again() {
    if scontrol requeue "$self"; then
        sleep 600
    fi
    exit 75
}

trap stop USR1 TERM
echo "$(date '+%F %T') ${SLURMD_NODENAME:-}: ${task[*]}"
"${task[@]}" &
worker=$!
# A signal between the last two lines.
[[ ! $is_stopped ]] || kill -TERM "$worker" 2>/dev/null
# A trap ends `wait`, but not the worker.
while :; do
    wait "$worker"
    code=$?
    kill -0 "$worker" 2>/dev/null || break
done
echo "$(date '+%F %T') ended with $code"

((code)) || exit 0
[[ ! $is_stopped ]] || again
if ((code == 75 || code > 128)) && ((${SLURM_RESTART_COUNT:-0} < most_tries)); then
    again
fi
exit "$code"
