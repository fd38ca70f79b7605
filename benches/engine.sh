#!/usr/bin/env bash
# Compares the load engine's CPU time per request with that of wrk and ab, in the same run.
#
# One nginx worker on core 0 serves a 1 KiB file from a temporary directory on 127.0.0.1; the generators run on core 1,
# one after the other, ROUNDS times in turns. Prints a line per run and the medians with their ratios.
# The numbers mean something only on a machine that does nothing else.
#
#   ROUNDS=5 SECONDS_EACH=5 CONNECTIONS=100 PORT=18080 benches/engine.sh
set -euo pipefail

rounds=${ROUNDS:-5}
seconds=${SECONDS_EACH:-5}
connections=${CONNECTIONS:-100}
port=${PORT:-18080}

missing=()
for program in nginx wrk ab taskset; do
    PATH=$PATH:/usr/sbin command -v "$program" >/dev/null || missing+=("$program")
done
if ((${#missing[@]})); then
    echo "engine.sh needs ${missing[*]} (Debian packages nginx-light, wrk, apache2-utils, util-linux)" >&2
    exit 2
fi
if (($(nproc) < 2)); then
    echo "engine.sh needs two cores: one for the server, one for the generator" >&2
    exit 2
fi
export PATH=$PATH:/usr/sbin

cd "$(dirname "$0")/.."
probe=$(cargo build --release --bench engine_probe --message-format=json 2>/dev/null |
    sed -n 's/.*"name":"engine_probe".*"executable":"\([^"]*\)".*/\1/p' | tail -n 1)
if [[ -z $probe ]]; then
    echo "the probe does not build: cargo build --release --bench engine_probe" >&2
    exit 1
fi

directory=$(mktemp -d)
nginx_pid=
stop() {
    if [[ -n $nginx_pid ]]; then
        kill "$nginx_pid" 2>/dev/null || true
        wait "$nginx_pid" 2>/dev/null || true
    fi
    rm -rf "$directory"
}
trap stop EXIT

chmod 755 "$directory"
mkdir "$directory/files"
head -c 768 /dev/urandom | base64 -w 0 >"$directory/files/1k"
cat >"$directory/nginx.conf" <<CONF
daemon off;
worker_processes 1;
worker_cpu_affinity 01;
pid $directory/pid;
error_log $directory/error.log;
events { worker_connections 4096; }
http {
    access_log off;
    keepalive_requests 1000000000;
    client_body_temp_path $directory/body;
    proxy_temp_path $directory/proxy;
    fastcgi_temp_path $directory/fastcgi;
    uwsgi_temp_path $directory/uwsgi;
    scgi_temp_path $directory/scgi;
    server { listen 127.0.0.1:$port; root $directory/files; }
}
CONF
taskset -c 0 nginx -p "$directory" -c "$directory/nginx.conf" 2>/dev/null &
nginx_pid=$!
for _ in $(seq 100); do
    if (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then break; fi
    sleep 0.05
done
url=http://127.0.0.1:$port/1k

# Runs a command on core 1; its own CPU seconds are left in $cpu, its output in $output.
timed() {
    TIMEFORMAT='%U %S'
    { time taskset -c 1 "$@" >"$directory/output" 2>/dev/null; } 2>"$directory/time"
    output=$(<"$directory/output")
    cpu=$(awk '{ print $1 + $2 }' "$directory/time")
}
# Prints and keeps microseconds per request: name, CPU seconds, requests.
keep() {
    local each
    each=$(awk -v cpu="$2" -v requests="$3" 'BEGIN { print (requests ? cpu * 1e6 / requests : 0) }')
    printf '%-9s %9d requests  %s us of CPU each\n' "$1" "$3" "$each"
    echo "$each" >>"$directory/of.$1"
}
median() { sort -n "$1" | awk '{ value[NR] = $1 } END { print (value[int((NR + 1) / 2)] + value[int(NR / 2) + 1]) / 2 }'; }

for ((round = 1; round <= rounds; round++)); do
    timed "$probe" "$url" "$connections" "$seconds"
    # Of all three the whole process is timed, start and end included; the probe has no warm-up.
    keep benchtop "$cpu" "$(sed -n 's/.*"completed":\([0-9]*\).*/\1/p' <<<"$output")"
    timed wrk -t 1 -c "$connections" -d "${seconds}s" "$url"
    keep wrk "$cpu" "$(sed -n 's/^ *\([0-9]*\) requests in.*/\1/p' <<<"$output")"
    timed ab -q -k -c "$connections" -t "$seconds" -n 100000000 "$url"
    keep ab "$cpu" "$(sed -n 's/^Complete requests: *//p' <<<"$output")"
done

ours=$(median "$directory/of.benchtop")
for other in wrk ab; do
    awk -v ours="$ours" -v other="$(median "$directory/of.$other")" -v name="$other" \
        'BEGIN { printf "median: benchtop %.2f us, %s %.2f us, ratio %.3f\n", ours, name, other, ours / other }'
done
