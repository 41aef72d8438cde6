#!/bin/sh
# Runs one job of Slurm, or one task of an array, and resumes it where it stopped: `sbatch again.sh WORKER ARGUMENTS`.
#
# Lets Slurm queue the job again: by itself after a loss of the node and when the job gives way, and on request below.
#SBATCH --requeue
# Or each start would empty the log of the last one.
#SBATCH --open-mode=append
# A minute before the time limit, and when the job gives way, Slurm sends USR1 to the script (B: not to its children).
# Slurm checks this only every half a minute, so the signal may come up to half a minute earlier. The time must be
# enough for a checkpoint: a slower worker is killed, and then chance decides whether this script can still request
# another start.
#SBATCH --signal=B:USR1@60

most=${DOLLOP_TRIES:-10}
# A task of an array must be named as ARRAY_TASK: the last task to start has the number of the whole array as its
# SLURM_JOB_ID, and a request by that number would start the finished tasks again, too.
job=${SLURM_ARRAY_JOB_ID:+${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID}
job=${job:-$SLURM_JOB_ID}
told=
worker=
interrupted=

# USR1 reaches only this script, so it is passed on; once, because a second signal makes a worker end at once. Slurm
# sends TERM to all processes of the job, so it is not passed on, nor is USR1 if TERM comes together with it: then a job
# gives way without notice, and is no longer running. That TERM may end the query as well, so it is repeated once.
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
# Makes Slurm queue the job again, which kills this script: a script that ends by itself before that may count as
# failed. Only if the job still runs or is over its time limit. Otherwise the job gives way, and Slurm has queued it
# already, or a user has cancelled it, and the request would bring it back to life. 75 is for a farm that has
# RequeueExit=75 and no scontrol on its nodes; elsewhere it is a failure like any other.
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

# Set before the worker starts: untrapped, these signals end the script, and the job with it. TERM comes if a farm does
# not set preempt_send_user_signal, if jobs give way at once, and at the time limit itself.
trap tell USR1
trap 'interrupted=yes told=yes' TERM
# In the background, because a shell runs its traps only after its foreground process has ended.
"$@" &
worker=$!
# A signal between the lines above found no worker.
[ -z "$told" ] || kill -TERM "$worker" 2>/dev/null
# A trap ends `wait`, too, while the worker still writes its checkpoint.
interrupted=yes
while [ -n "$interrupted" ]; do
    interrupted=
    wait "$worker"
    code=$?
done
echo "$(date '+%F %T') job $job ended with $code${told:+, told to stop}"

# It may have finished although it was asked to stop.
[ "$code" -ne 0 ] || exit 0
# The farm stopped it: that may happen to a long job any number of times.
if [ -n "$told" ] && { [ "$code" -eq 75 ] || [ "$code" -gt 128 ]; }; then
    again
fi
# 75 is a temporary failure; codes above 128 are signals (137: kill -9, as when the memory is used up). Every restart
# counts here, also those by the farm: Slurm has no other count.
if [ "$code" -eq 75 ] || [ "$code" -gt 128 ]; then
    [ "${SLURM_RESTART_COUNT:-0}" -ge "$most" ] || again
fi
# Other failures are final, as a repetition would fail again. The jobs that depend on this one are cancelled.
exit "$code"
