#!/usr/bin/env bash
# Submits a bake to Slurm. Options of sbatch for all tasks may follow, such as --partition=NAME or --mem=8G; the
# variables DOLLOP_SIMULATE and DOLLOP_RENDER hold options for simulations and pictures alone.
set -euo pipefail

# SETTINGS
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
mkdir -p "$root/farm/logs"
# Logs go to the folder where sbatch is called, so that no character of a path counts as part of sbatch's patterns.
cd "$root/farm/logs"
options=("$@")
trap 'echo "error: not all is submitted; take back what is: scancel$submitted" >&2' ERR
submitted=''
((!threads)) || options=(--cpus-per-task="$threads" "${options[@]}")
read -ra simulate_options <<<"${DOLLOP_SIMULATE:-}"
read -ra render_options <<<"${DOLLOP_RENDER:-}"

# submit AFTER OPTION... -- STAGE CACHE FIRST LAST: prints the number of the job.
submit() {
    local after=$1 own=()
    shift
    while [[ $1 != -- ]]; do
        own+=("$1")
        shift
    done
    shift
    [[ ! $after ]] || own+=(--dependency="afterok:$after" --kill-on-invalid-dep=yes)
    local log=%x-%j.log
    [[ ${own[*]} != *--array=* ]] || log=%x-%A_%a.log
    sbatch --parsable --job-name="$(label "$@")" --output="$log" "${options[@]}" "${own[@]}" "$here/again.sh" "$here/task.sh" "$@" | cut -d';' -f1
}

# The name of a job: its scene and its stage, and its wedge if there is one: label STAGE CACHE ...
label() {
    ((${#caches[@]} == 1)) && echo "$name-$1" || echo "$name-$1-${caches[$2]##*/}"
}

# In an array each task takes a chunk.
array() { printf -- '--array=0-%d' $((($2 - $1) / chunk)); }

for cache in "${!caches[@]}"; do
    before='' ends=''
    for segment in "${segments[@]}"; do
        read -r first last <<<"$segment"
        before=$(submit "$before" "${simulate_options[@]}" -- simulate "$cache" "$first" "$last")
        submitted+=" $before"
        made=$before
        for stage in "${stages[@]}"; do
            [[ $made != "$before" ]] || made=''
            chunks=$(submit "$before" "$(array "$first" "$last")" -- "$stage" "$cache" "$first" "$last")
            submitted+=" $chunks"
            made+=${made:+:}$chunks
        done
        echo "${caches[$cache]} $first..$last: simulate $before${stages[*]:+, ${stages[*]} ${made//:/ }}"
        if [[ $blend ]]; then
            render=$(submit "$made" "$(array "$first" "$last")" "${render_options[@]}" -- render "$cache" "$first" "$last")
            echo "${caches[$cache]} $first..$last: render $render"
            submitted+=" $render"
            made=$render
        fi
        ends+=${ends:+:}$made
    done
    collect=$(submit "$ends" -- collect "$cache" 0 0)
    echo "${caches[$cache]}: collect $collect"
done
