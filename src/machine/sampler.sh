# One line a second about this machine: raw counters, units in the names. Everything is read with the shell's own
# `read`; `sleep` is the only program started. Ends when nobody reads any more.
cgroup=/sys/fs/cgroup
if [ -r "$cgroup/cgroup.controllers" ]; then version=2; else version=1; fi
cpuacct=; cpu=; memory=
for name in cpuacct cpu,cpuacct; do [ -r "$cgroup/$name/cpuacct.usage" ] && cpuacct=$cgroup/$name; done
for name in cpu cpu,cpuacct; do [ -r "$cgroup/$name/cpu.stat" ] && cpu=$cgroup/$name; done
[ -r "$cgroup/memory/memory.usage_in_bytes" ] && memory=$cgroup/memory

read_cpu_v2() {
    [ -r "$cgroup/cpu.stat" ] || return 0
    while read -r key value rest; do
        case $key in
            usage_usec) line="$line cpu_us=$value" ;;
            user_usec) line="$line cpu_user_us=$value" ;;
            system_usec) line="$line cpu_system_us=$value" ;;
            nr_throttled) line="$line throttled_periods_count=$value" ;;
            throttled_usec) line="$line throttled_us=$value"; break ;;
        esac
    done <"$cgroup/cpu.stat"
}

read_memory_v2() {
    [ -r "$cgroup/memory.current" ] || return 0
    read -r value <"$cgroup/memory.current" && line="$line memory_bytes=$value"
    while read -r key value; do
        case $key in file) line="$line memory_cache_bytes=$value"; break ;; esac
    done <"$cgroup/memory.stat"
    [ -r "$cgroup/memory.events" ] || return 0
    while read -r key value; do
        case $key in oom_kill) line="$line oom_kills_count=$value"; break ;; esac
    done <"$cgroup/memory.events"
}

read_cpu_v1() {
    if [ -n "$cpuacct" ]; then
        read -r value <"$cpuacct/cpuacct.usage" && line="$line cpu_ns=$value"
        while read -r key value; do
            case $key in
                user) line="$line cpu_user_ticks=$value" ;;
                system) line="$line cpu_system_ticks=$value" ;;
            esac
        done <"$cpuacct/cpuacct.stat"
    fi
    [ -n "$cpu" ] || return 0
    while read -r key value; do
        case $key in
            nr_throttled) line="$line throttled_periods_count=$value" ;;
            throttled_time) line="$line throttled_ns=$value"; break ;;
        esac
    done <"$cpu/cpu.stat"
}

read_memory_v1() {
    [ -n "$memory" ] || return 0
    read -r value <"$memory/memory.usage_in_bytes" && line="$line memory_bytes=$value"
    while read -r key value; do
        case $key in cache) line="$line memory_cache_bytes=$value"; break ;; esac
    done <"$memory/memory.stat"
    while read -r key value; do
        case $key in oom_kill) line="$line oom_kills_count=$value"; break ;; esac
    done <"$memory/memory.oom_control"
}

# A machine without accounting of its own is the whole machine.
read_whole_machine() {
    case $line in *" cpu_us="* | *" cpu_ns="*) ;; *)
        read -r key user nice system idle wait irq soft rest </proc/stat
        line="$line cpu_ticks=$((user + nice + system + irq + soft)) cpu_user_ticks=$((user + nice))"
        line="$line cpu_system_ticks=$((system + irq + soft))" ;;
    esac
    case $line in *" memory_bytes="*) ;; *)
        total=0 available=0
        while read -r key value rest; do
            case $key in
                MemTotal:) total=$value ;;
                MemAvailable:) available=$value ;;
                Cached:) line="$line memory_kib=$((total - available)) memory_cache_kib=$value"; break ;;
            esac
        done </proc/meminfo ;;
    esac
}

while :; do
    line=
    read_cpu_v$version
    read_memory_v$version
    read_whole_machine
    set -- /srv/benchtop/*/*/run/exit
    if [ -e "$1" ]; then line="$line services_exited=$#"; else line="$line services_exited=0"; fi
    read -r value rest </proc/uptime && line="$line uptime_s_total=$value"
    # Fields 14 to 17 of its own record: its own time and that of the programs it waited for.
    read -r own </proc/self/stat
    set -- ${own##*) }
    line="$line sampler_cpu_ticks=$((${12} + ${13} + ${14} + ${15}))"
    printf 'sample%s end\n' "$line" 2>/dev/null || exit 0
    sleep 1 || exit 0
done
