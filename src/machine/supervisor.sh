# Keeps one service running from its instance directory. Set before this text: verb, dir, command, signal.
# DIR/run/pid: main process; DIR/run/runner: the shell that waits for it, leader of the service's own session;
# DIR/run/process: when both and process 1 were started, so that a number used again is not taken for ours;
# DIR/run/exit: status, when it ended by itself; DIR/run/stopping: it is being stopped on purpose.
run=$dir/run

# Reads a process's record into state, parent, session, born; fails when the process is gone.
look() {
    { read -r record <"/proc/$1/stat"; } 2>/dev/null || return 1
    set -- ${record##*) }
    state=$1 parent=$2 session=$4 born=${20}
}

# Reads what was noted about the service; fails when nothing was, or when the machine was started anew since.
load() {
    pid= runner= pid_born=- runner_born=- first_born=-
    { read -r pid <"$run/pid"; } 2>/dev/null || return 1
    { read -r runner <"$run/runner"; } 2>/dev/null
    { read -r pid_born runner_born first_born <"$run/process"; } 2>/dev/null
    sessions=" $runner "
    look 1 || return 0
    [ "$first_born" = - ] || [ "$first_born" = "$born" ] || { sessions=' '; return 1; }
    if look "$runner" && [ "$runner_born" != - ] && [ "$runner_born" != "$born" ]; then sessions=' '; fi
    return 0
}

is_alive() {
    [ -n "$1" ] && look "$1" && [ "$state" != Z ] && { [ "$2" = - ] || [ "$2" = "$born" ]; }
}

# Collects every living process of the service but the runner into members: those of its sessions and all their
# descendants. Sessions once seen are remembered, so orphans are found again.
collect() {
    members=' ' known=" $runner " changed=1
    [ "$sessions" = ' ' ] && return 0
    while [ $changed = 1 ]; do
        changed=0
        for entry in /proc/[0-9]*; do
            number=${entry#/proc/}
            case $known in *" $number "*) continue ;; esac
            look "$number" || continue
            [ "$state" = Z ] && continue
            case $sessions in *" $session "*) ;; *) case $known in *" $parent "*) ;; *) continue ;; esac ;; esac
            known="$known$number " members="$members$number " changed=1
            case $sessions in *" $session "*) ;; *) sessions="$sessions$session " ;; esac
        done
    done
}

send() {
    for number in $members; do kill -s "$1" "$number" 2>/dev/null; done
    return 0
}

# Up to this many tenths of a second until nothing is left; a second after the main process its children must be gone.
wait_for_end() {
    left=$1 orphans=10
    while collect; [ "$members" != ' ' ] && [ $left -gt 0 ] && [ $orphans -gt 0 ]; do
        is_alive "$pid" "$pid_born" || orphans=$((orphans - 1))
        left=$((left - 1))
        sleep 0.1
    done
}

end_everything() {
    collect
    send KILL
    wait_for_end 20
    left=20
    while is_alive "$runner" "$runner_born" && [ $left -gt 0 ]; do left=$((left - 1)); sleep 0.05; done
}

start() {
    mkdir -p -- "$run" || exit 1
    cd -- "$dir" || exit 1
    if load; then
        is_alive "$pid" "$pid_born" && exit 0
        end_everything
    fi
    rm -f -- "$run/pid" "$run/runner" "$run/process" "$run/exit" "$run/stopping"
    main='echo "$$" >run/pid.new && mv run/pid.new run/pid && exec sh -c "$1" >>run/output.log 2>&1 </dev/null'
    keep='echo "$$" >run/runner
        sh -c "$1" sh "$2"
        status=$?
        [ -e run/stopping ] || { echo "$status" >run/exit.new && mv run/exit.new run/exit; }'
    # A program put in the background by a shell ignores INT and QUIT for good, so the other way comes first.
    if ! setsid -f sh -c "$keep" sh "$main" "$command" </dev/null >/dev/null 2>&1; then
        setsid sh -c "$keep" sh "$main" "$command" </dev/null >/dev/null 2>&1 &
    fi
    left=250
    while [ ! -s "$run/pid" ]; do
        left=$((left - 1))
        [ $left -gt 0 ] || { echo "the service's shell did not start" >&2; exit 1; }
        sleep 0.02
    done
    load
    pid_born=- runner_born=- first_born=-
    look 1 && first_born=$born
    look "$pid" && pid_born=$born
    look "$runner" && runner_born=$born
    echo "$pid_born $runner_born $first_born" >"$run/process"
}

stop() {
    [ -e "$run/pid" ] || exit 0
    : >"$run/stopping"
    if load; then
        collect
        is_alive "$pid" "$pid_born" && kill -s "$signal" "$pid" 2>/dev/null
        # A paused process takes no signal.
        send CONT
        wait_for_end 100
        end_everything
    fi
    rm -f -- "$run/pid" "$run/runner" "$run/process" "$run/exit" "$run/stopping"
}

state() {
    [ -e "$run/pid" ] && [ ! -e "$run/stopping" ] || { echo stopped; exit 0; }
    status=137 left=40
    if load; then
        is_alive "$pid" "$pid_born" && { echo "running $pid"; exit 0; }
        while [ ! -e "$run/exit" ] && is_alive "$runner" "$runner_born" && [ $left -gt 0 ]; do
            left=$((left - 1)); sleep 0.05
        done
    fi
    { read -r status <"$run/exit"; } 2>/dev/null
    echo "exited $status"
    tail -n 20 -- "$run/output.log" 2>/dev/null
    exit 0
}

signal_all() {
    load || exit 0
    collect
    send "$signal"
}

case $verb in
    start) start ;;
    stop) stop ;;
    state) state ;;
    signal) signal_all ;;
esac
