# Reference scenarios A and D (see ../README.md) in ns-2.
#
#   ns scenario.tcl SCENARIO N DURATION QUEUE [audit] [allheaders]
#
# SCENARIO  A (N TCP flows with ECN and one 45 Mbit/s UDP flood through RED) or D (N TCP flows through DropTail)
# DURATION  simulated seconds
# QUEUE     packets that may wait at the bottleneck; 0 takes the scenario's own: 200 in A, 8.75 N in D
# audit     puts a queue monitor on every link and counts packet-hops exactly; slower, so not for measuring
# allheaders  every packet carries the headers of all protocols that ns-2 knows, its default; without it only those
#             that are used
#
# Prints one line of JSON. Statistics and tracing are off and routes are manual: ns-2's best case.

set PACKET 1000
set WINDOW 136
set ACCESS_RATE 100Mb
set ACCESS_QUEUE 100000
set BOTTLENECK_DELAY 0.010
set FLOOD_RATE 45e6
set GOLDEN 0.6180339887498949

proc usage {} {
    puts stderr "usage: ns scenario.tcl A|D N DURATION QUEUE ?audit? ?allheaders?"
    exit 2
}

proc cpu_seconds {} {
    # schedstat counts in nanoseconds; stat, where the kernel lacks it, in ticks of 10 ms.
    if {![catch {open /proc/self/schedstat} f]} {
        set ns [lindex [gets $f] 0]
        close $f
        if {$ns > 0} { return [expr {$ns / 1e9}] }
    }
    set f [open /proc/self/stat]
    regexp {\) (.*)$} [gets $f] -> fields
    close $f
    return [expr {([lindex $fields 11] + [lindex $fields 12]) / 100.0}]
}

proc peak_rss_bytes {} {
    set f [open /proc/self/status]
    regexp {VmHWM:\s+(\d+) kB} [read $f] -> kib
    close $f
    return [expr {$kib * 1024.0}]
}

# The i-th point of a sequence that fills [0, 1) evenly: the same delays here and in ns-3.
proc spread {i} {
    global GOLDEN
    return [expr {fmod($i * $GOLDEN, 1.0)}]
}

# A delay of the scenario's access range for side 0 (senders) or 1 (receivers) of flow i.
proc access_delay {i side} {
    global delay_min delay_max
    return [expr {$delay_min + ($delay_max - $delay_min) * [spread [expr {2 * $i + $side + 1}]]}]
}

proc connect_duplex {a b rate delay} {
    global ns ACCESS_QUEUE
    $ns duplex-link $a $b $rate $delay DropTail
    $ns queue-limit $a $b $ACCESS_QUEUE
    $ns queue-limit $b $a $ACCESS_QUEUE
    watch_link $a $b
    watch_link $b $a
}

proc route_default {from to} {
    [$from get-module "Manual"] add-route-to-adj-node -default $to
}

proc route_adjacent {from to} {
    [$from get-module "Manual"] add-route-to-adj-node $to
}

proc watch_link {a b} {
    global ns audit monitors
    if {$audit} { lappend monitors [$ns monitor-queue $a $b ""] }
}

# Host at router g, routed both ways.
proc host_at {g delay} {
    global ns ACCESS_RATE
    set h [$ns node]
    connect_duplex $h $g $ACCESS_RATE $delay
    route_default $h $g
    route_adjacent $g $h
    return $h
}

proc build_bottleneck {} {
    global ns scenario n queue g1 g2 drops BOTTLENECK_DELAY ACCESS_QUEUE
    set g1 [$ns node]
    set g2 [$ns node]
    set discipline [expr {$scenario eq "A" ? "RED" : "DropTail"}]
    set rate [expr {$scenario eq "A" ? 45e6 : $n * 1e6}]
    $ns simplex-link $g1 $g2 $rate $BOTTLENECK_DELAY $discipline
    $ns simplex-link $g2 $g1 $rate $BOTTLENECK_DELAY DropTail
    # ns-2's DropTail drops when the arrival would make the queue *reach* its limit: it holds one packet less.
    $ns queue-limit $g1 $g2 [expr {$scenario eq "A" ? $queue : $queue + 1}]
    $ns queue-limit $g2 $g1 $ACCESS_QUEUE
    route_default $g1 $g2
    route_default $g2 $g1
    set drops [new Agent/LossMonitor]
    [[$ns link $g1 $g2] queue] drop-target $drops
    watch_link $g1 $g2
    watch_link $g2 $g1
}

proc configure_defaults {} {
    global PACKET WINDOW
    # Packets, not bytes: with its defaults RED's limit is counted in packets of 500 bytes.
    Queue/RED set bytes_ false
    Queue/RED set queue_in_bytes_ false
    Queue/RED set mean_pktsize_ $PACKET
    Queue/RED set setbit_ true
    Queue/RED set gentle_ true
    Queue/RED set thresh_ 14.0625
    Queue/RED set maxthresh_ 42.1875
    Queue/RED set linterm_ 10
    Queue/RED set q_weight_ 1.7776e-4
    Agent/TCP set packetSize_ [expr {$PACKET - 40}]
    Agent/TCP set window_ $WINDOW
    Agent/TCP set windowInit_ 10
    Agent/TCP set minrto_ 0.2
    Agent/TCP set ecn_ [expr {$::scenario eq "A"}]
}

proc add_tcp_flow {i} {
    global ns g1 g2 tcps sinks
    set src [host_at $g1 [access_delay $i 0]]
    set dst [host_at $g2 [access_delay $i 1]]
    set tcp [new Agent/TCP/Sack1]
    set sink [new Agent/TCPSink/Sack1]
    $tcp set fid_ $i
    $ns attach-agent $src $tcp
    $ns attach-agent $dst $sink
    $ns connect $tcp $sink
    set ftp [new Application/FTP]
    $ftp attach-agent $tcp
    $ns at [spread [expr {$i + 1}]] "$ftp start"
    lappend tcps $tcp
    lappend sinks $sink
}

proc add_flood {} {
    global ns g1 g2 flood_sink FLOOD_RATE PACKET
    set src [host_at $g1 0.001]
    set dst [host_at $g2 0.001]
    set udp [new Agent/UDP]
    $udp set packetSize_ $PACKET
    set flood_sink [new Agent/LossMonitor]
    $ns attach-agent $src $udp
    $ns attach-agent $dst $flood_sink
    $ns connect $udp $flood_sink
    set cbr [new Application/Traffic/CBR]
    $cbr set packetSize_ $PACKET
    $cbr set rate_ $FLOOD_RATE
    # Gaps within 1 +- 0.5 of their mean: strictly periodic floods lock others out by their phase.
    $cbr set random_ 1
    $cbr attach-agent $udp
    $ns at 0.0 "$cbr start"
}

# Counts from the agents' own counters. Only the bottleneck drops, so a data packet is sent over three links unless it was
# dropped at the second; receivers do not delay ACKs, so each arrival makes one ACK of three hops. Packets in flight at
# the end are counted as if they had arrived: a relative error of (packets in flight) / (packets sent).
proc count {} {
    global scenario duration tcps sinks flood_sink drops audit monitors FLOOD_RATE PACKET
    set data 0
    set retransmitted 0
    set goodput_bytes 0
    foreach t $tcps {
        set data [expr {$data + [$t set ndatapack_]}]
        set retransmitted [expr {$retransmitted + [$t set nrexmitpack_]}]
    }
    # The sinks count whole packets; goodput is payload.
    foreach s $sinks { set goodput_bytes [expr {$goodput_bytes + [$s set bytes_] * ($PACKET - 40.0) / $PACKET}] }
    set dropped [$drops set npkts_]
    set flood_sent 0
    set flood_received 0
    if {$scenario eq "A"} {
        set flood_sent [expr {int($duration * $FLOOD_RATE / (8 * $PACKET))}]
        set flood_received [$flood_sink set npkts_]
    }
    set flood_dropped [expr {$scenario eq "A" ? $flood_sent - $flood_received : 0}]
    set data_dropped [expr {$dropped - $flood_dropped}]
    set bottleneck [expr {$data + $flood_sent - $dropped}]
    set acks [expr {$data - $data_dropped}]
    set hops [expr {$data + $flood_sent + 2.0 * $bottleneck + 3.0 * $acks}]
    if {$audit} {
        set hops 0.0
        foreach m $monitors { set hops [expr {$hops + [$m set pdepartures_]}] }
        set bottleneck [[lindex $monitors 0] set pdepartures_]
    }
    return [list $data $retransmitted $goodput_bytes $flood_sent $flood_received $bottleneck $dropped $hops]
}

proc report {} {
    global scenario n duration queue audit allheaders setup_cpu setup_wall run_cpu_start run_wall_start
    set run_cpu [expr {[cpu_seconds] - $run_cpu_start}]
    set run_wall [expr {([clock clicks -milliseconds] - $run_wall_start) / 1e3}]
    foreach {data retransmitted bytes flood_sent flood_received bottleneck dropped hops} [count] break
    puts [format {{"tool":"ns-2","scenario":"%s","n":%d,"duration_s":%g,"queue_packets":%d,"audit":%s,"all_headers":%s,"setup_s":%.6f,"setup_wall_s":%.3f,"run_cpu_s":%.6f,"run_wall_s":%.3f,"packet_hops":%.0f,"ns_per_hop":%.2f,"peak_rss_bytes":%.0f,"tcp_data_packets":%d,"tcp_retransmitted_packets":%d,"tcp_goodput_bps":%.0f,"flood_sent_packets":%d,"flood_received_packets":%d,"bottleneck_departures":%d,"bottleneck_drops":%d}} \
        $scenario $n $duration $queue [expr {$audit ? "true" : "false"}] \
        [expr {$allheaders ? "true" : "false"}] $setup_cpu $setup_wall $run_cpu $run_wall \
        $hops [expr {$run_cpu * 1e9 / $hops}] [peak_rss_bytes] $data $retransmitted [expr {$bytes * 8.0 / $duration}] \
        $flood_sent $flood_received $bottleneck $dropped]
    exit 0
}

# Called by the first event, so that what `run` does before the scheduler starts counts as set-up.
proc begin_run {} {
    global setup_cpu setup_wall run_cpu_start run_wall_start setup_wall_start
    set setup_cpu [cpu_seconds]
    set setup_wall [expr {([clock clicks -milliseconds] - $setup_wall_start) / 1e3}]
    set run_wall_start [clock clicks -milliseconds]
    set run_cpu_start [cpu_seconds]
}

if {$argc < 4} usage
foreach {scenario n duration queue} $argv break
if {$scenario ne "A" && $scenario ne "D"} usage
set audit 0
set allheaders 0
foreach option [lrange $argv 4 end] {
    if {$option ne "audit" && $option ne "allheaders"} usage
    set $option 1
}
if {!$allheaders} {
    remove-all-packet-headers
    add-packet-header IP TCP Flags RTP
}
if {$queue == 0} { set queue [expr {$scenario eq "A" ? 200 : int(8.75 * $n + 0.5)}] }
set delay_min [expr {$scenario eq "A" ? 0.001 : 0.005}]
set delay_max [expr {$scenario eq "A" ? 0.015 : 0.020}]
set monitors {}
set tcps {}
set sinks {}
set setup_wall_start [clock clicks -milliseconds]

configure_defaults
set ns [new Simulator]
$ns rtproto Manual
$ns at 0.0 begin_run
build_bottleneck
for {set i 0} {$i < $n} {incr i} { add_tcp_flow $i }
if {$scenario eq "A"} add_flood
$ns at $duration report
$ns run
