#!/bin/sh
# One job of Slurm, or one task of an array, that goes on where it stopped: `sbatch again.sh WORKER ARGUMENTS`.
#
# Lets Slurm queue the job again: by itself after the loss of the node and when the job gives way, and when asked below.
#SBATCH --requeue
# Or each start would empty the log of the one before.
#SBATCH --open-mode=append
# A minute before the time limit, and when the job gives way, the script (B: not its children) is sent USR1. Slurm
# looks for this only every half a minute, so the signal may come up to half a minute sooner. The time must be enough for a
# checkpoint: a worker that needs longer is killed, and whether this script is still asked for another start is chance.
#SBATCH --signal=B:USR1@60

most=${DOLLOP_TRIES:-10}
# A task of an array must be named as ARRAY_TASK: the last task to start has the number of the whole array as its
# SLURM_JOB_ID, and asking by that one would start the finished tasks again, too.
job=${SLURM_ARRAY_JOB_ID:+${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID}
job=${job:-$SLURM_JOB_ID}
told=
worker=
interrupted=

# USR1 comes to this script alone, so it is passed on; once, because a second signal makes a worker end at once. TERM comes
# from Slurm to all processes of the job, so it is not, nor is USR1 where TERM comes together with it: where a job gives
# way without notice, and so is no longer running. That TERM may end the question as well, so it is asked twice.
state() {
    squeue --noheader --jobs="$job" --format="%T %r"
}
tell() {
    interrupted=yes
    now=$(state) || now=$(state)
    case $told$now in
    yes* | COMPLETING* | PENDING*) ;;
    *) [ -z "$worker" ] || kill -TERM "$worker" 2>/dev/null ;;
    esac
    told=yes
}
# Has Slurm queue the job again, which kills this script: a script that ends by itself before that may count as failed.
# Only where the job still runs or is over its time limit. Otherwise it is ending because it gives way, and then Slurm has
# queued it already, or because somebody has cancelled it, and then the request would bring it back to life.
# 75 is for a farm that has RequeueExit=75 and no scontrol on its nodes; elsewhere it is a failure like any other.
again() {
    case $(state) in
    RUNNING* | *TimeLimit*)
        if scontrol requeue "$job"; then
            sleep 600
        fi
        ;;
    esac
    exit 75
}

# Before the worker is there: untrapped, these signals end the script, and the job with it. TERM is what comes where a farm
# does not set preempt_send_user_signal, where jobs give way at once, and at the time limit itself.
trap tell USR1
trap 'interrupted=yes told=yes' TERM
# In the background, because a shell runs its traps only after what is in the foreground has ended.
"$@" &
worker=$!
# A signal between the lines above had no worker to tell.
[ -z "$told" ] || kill -TERM "$worker" 2>/dev/null
# A trap ends `wait`, too, while the worker is still at its checkpoint.
interrupted=yes
while [ -n "$interrupted" ]; do
    interrupted=
    wait "$worker"
    code=$?
done
echo "$(date '+%F %T') job $job ended with $code${told:+, told to stop}"

# It may have finished although it was told to stop.
[ "$code" -ne 0 ] || exit 0
# Stopped by the farm: that may happen to a long job any number of times.
if [ -n "$told" ] && { [ "$code" -eq 75 ] || [ "$code" -gt 128 ]; }; then
    again
fi
# 75 is a failure that may pass, above 128 are signals (137: kill -9, as when the memory is used up). Every start again
# counts here, those that the farm caused, too: Slurm tells no other count.
if [ "$code" -eq 75 ] || [ "$code" -gt 128 ]; then
    [ "${SLURM_RESTART_COUNT:-0}" -ge "$most" ] || again
fi
# Anything else stays as it is, however often one tries. The jobs that depend on this one are cancelled.
exit "$code"
