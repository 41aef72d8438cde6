#!/bin/sh
# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
#
# One job of Slurm, or one task of an array, that goes on where it stopped: `sbatch reference_job.sh WORKER ARGUMENTS`.
#
# Lets Slurm queue the job again: by itself after the loss of the node and when the job gives way, and when asked below.
#SBATCH --requeue
# Or each start would empty the log of the one before.
#SBATCH --open-mode=append
# Half a minute before the time limit, and when the job gives way, the script (B: not its children) is sent USR1. Slurm
# looks for this only every half a minute, so the signal may come up to half a minute sooner.
#SBATCH --signal=B:USR1@30

most=${DOLLOP_MOST_RETRIES:-5}
# A task of an array must be named as ARRAY_TASK: the last task to start has the number of the whole array as its
# SLURM_JOB_ID, and asking by that one would start the finished tasks again, too.
job=${SLURM_ARRAY_JOB_ID:+${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID}
job=${job:-$SLURM_JOB_ID}
told=
worker=

# Only once, because the second signal makes a worker end without a checkpoint.
tell() {
    [ -n "$told" ] || [ -z "$worker" ] || kill -TERM "$worker" 2>/dev/null
    told=yes
}

# Slurm kills the script where the request is granted; one that ends by itself before that, while it gives way, counts
# as failed. The request is refused where Slurm has already queued the job again, or where somebody has cancelled it.
# 75 is for a farm with RequeueExit=75 whose jobs have no scontrol; elsewhere, it is a failure like any other.
again() {
    if scontrol requeue "$job"; then
        sleep 600
    fi
    exit 75
}

# Before the worker is there: untrapped, these signals end the script, and the worker is never told. TERM is what comes
# where preempt_send_user_signal is not set, and at the time limit itself.
trap tell USR1 TERM
# In the background, because a shell runs its traps only after what is in the foreground has ended.
"$@" &
worker=$!
# A signal between the lines above had no worker to tell.
[ -z "$told" ] || kill -TERM "$worker" 2>/dev/null
wait "$worker"
code=$?
# A trap ends `wait`, too, while the worker is still at its checkpoint.
while kill -0 "$worker" 2>/dev/null; do
    wait "$worker"
    code=$?
done
echo "dollop job $job: the worker ended with $code${told:+, told to stop}"

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
