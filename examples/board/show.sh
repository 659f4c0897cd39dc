#!/usr/bin/env bash
# Three waves of simulated raters with drift, a new model, and a maker with ten variants: examples/board/show.sh [FOLDER]
# Needs `hype` built with the feature `board`, in the path or in HYPE.
set -euo pipefail
hype=${HYPE:-hype}
board=${1:-hype-board}
[ ! -e "$board" ] || { echo "$board exists: name a new folder" >&2; exit 1; }
"$hype" board init "$board" > /dev/null
printf 'item,prompt\n' > "$board/items.csv"
for item in {0001..0012}; do printf '%s,A still life of painted balls on a table\n' "$item" >> "$board/items.csv"; done

# What raters see in a model, from 0 to 1; it drifts a little from wave to wave.
settings() {
    local wave=$1 drift model quality
    cat << YAML
name: Still lifes
items: items.csv
anchors: [oak, elm, ash, fir, yew]
study:
  task: { kind: contrast, tie: true, per_session: 30, practice: 2 }
  raters: { per_item: 3 }
  simulate:
    kind: synthetic
    observers:
YAML
    while read -r model quality; do
        drift=$(((wave * 37 + ${#model} * 11 + ${quality#0.}) % 7 - 3))
        printf '      %s: { quality: 0.%02d }\n' "$model" $((10#${quality#0.} + (wave > 1 ? drift : 0)))
    done
    printf 'rules:\n  - Nothing is withdrawn once its wave has begun.\n'
}
models() {
    printf '%s\n' 'oak 0.75' 'elm 0.65' 'ash 0.55' 'fir 0.45' 'yew 0.35' 'newcomer 0.70'
    for variant in 1 2 3 4 5 6 7 8 9 10; do printf 'variant-%s 0.50\n' "$variant"; done
}
seed=100
add() {
    seed=$((seed + 1))
    "$hype" new "$board/.sources/$1" --task contrast --images 12 --seed "$seed" > /dev/null
    "$hype" board add "$board" "$board/.sources/$1/images/good" --name "$1" --maker "$2"
}
wave() {
    models | settings "$1" > "$board/board.yaml"
    "$hype" board wave new "$board"
    "$hype" run "$board/waves/00$1/spec.yaml" --simulate --progress none --quiet > /dev/null
    "$hype" board wave close "$board"
}
for anchor in oak elm ash fir yew; do add "$anchor" lab; done
wave 1
add newcomer studio
wave 2
for variant in 1 2 3 4 5 6 7 8 9 10; do add "variant-$variant" mill; done
wave 3
"$hype" board score "$board"
"$hype" board publish "$board"
"$hype" board verify "$board"
