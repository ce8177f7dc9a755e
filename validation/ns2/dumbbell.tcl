# One dumbbell of the validation in ns-2. Sourced by a file that sets the run's values (validation/ns2.py writes it):
#
#   duration warmup seed rate delay limit packet tcp sink ecn rtts flood period burst queue settings
#
# rtts is a list with one base round trip a flow; settings a list of {class name value}; with period > 0 the flood comes
# in pulses of burst seconds, one a period. Prints "key value" lines.

set ACCESS_RATE 100Mb
set ACCESS_QUEUE 100000
set WINDOW 10000

proc connect_duplex {a b delay} {
    global ns ACCESS_RATE ACCESS_QUEUE
    $ns duplex-link $a $b $ACCESS_RATE $delay DropTail
    $ns queue-limit $a $b $ACCESS_QUEUE
    $ns queue-limit $b $a $ACCESS_QUEUE
}

proc route_default {from to} { [$from get-module "Manual"] add-route-to-adj-node -default $to }
proc route_adjacent {from to} { [$from get-module "Manual"] add-route-to-adj-node $to }

proc host_at {g delay} {
    global ns
    set h [$ns node]
    connect_duplex $h $g $delay
    route_default $h $g
    route_adjacent $g $h
    return $h
}

proc build_bottleneck {} {
    global ns queue limit rate delay g1 g2 monitor integrator ACCESS_QUEUE
    set g1 [$ns node]
    set g2 [$ns node]
    $ns simplex-link $g1 $g2 $rate $delay $queue
    $ns simplex-link $g2 $g1 $rate $delay DropTail
    $ns queue-limit $g1 $g2 $limit
    $ns queue-limit $g2 $g1 $ACCESS_QUEUE
    route_default $g1 $g2
    route_default $g2 $g1
    set monitor [$ns monitor-queue $g1 $g2 ""]
    set integrator [$monitor get-pkts-integrator]
}

proc add_flow {i rtt start} {
    global ns g1 g2 delay tcp sink tcps sinks
    # A quarter of what the bottleneck leaves lies on each access link and way.
    set access [expr {($rtt - 2 * $delay) / 4}]
    set src [host_at $g1 $access]
    set dst [host_at $g2 $access]
    set sender [new $tcp]
    set receiver [new $sink]
    $sender set fid_ [expr {$i + 1}]
    $receiver set fid_ [expr {$i + 1}]
    $ns attach-agent $src $sender
    $ns attach-agent $dst $receiver
    $ns connect $sender $receiver
    set ftp [new Application/FTP]
    $ftp attach-agent $sender
    $ns at $start "$ftp start"
    lappend tcps $sender
    lappend sinks $receiver
}

proc add_flood {} {
    global ns g1 g2 flood flood_sink flood_udp packet phase period
    set src [host_at $g1 0.001]
    set dst [host_at $g2 0.001]
    set flood_udp [new Agent/UDP]
    $flood_udp set packetSize_ $packet
    $flood_udp set fid_ 0
    set flood_sink [new Agent/LossMonitor]
    $ns attach-agent $src $flood_udp
    $ns attach-agent $dst $flood_sink
    $ns connect $flood_udp $flood_sink
    set cbr [new Application/Traffic/CBR]
    $cbr set packetSize_ $packet
    $cbr set rate_ $flood
    if {$period > 0} {
        $cbr attach-agent $flood_udp
        $ns at [expr {[$phase value] * $period}] "pulse $cbr"
        return
    }
    # Gaps within 1 +- 0.5 of their mean: strictly periodic floods lock others out by their phase.
    $cbr set random_ 1
    $cbr attach-agent $flood_udp
    $ns at [expr {[$phase value] * 8.0 * $packet / $flood}] "$cbr start"
}

proc pulse {cbr} {
    global ns period burst
    $cbr start
    $ns at [expr {[$ns now] + $burst}] "$cbr stop"
    $ns at [expr {[$ns now] + $period}] "pulse $cbr"
}

proc state {name} {
    global ns tcps sinks monitor integrator flood flood_sink
    # The integrals end with the last event: a new point brings them to now.
    $integrator newpoint [$ns now] [$integrator set lasty_]
    puts "state $name [$ns now]"
    puts "queue integral [$integrator set sum_] drops [$monitor set pdrops_] departures [$monitor set pdepartures_] marks [$monitor set pmarks_]"
    set i 0
    foreach t $tcps s $sinks {
        puts "flow $i bytes [$s set bytes_] data [$t set ndatapack_] retrans [$t set nrexmitpack_] timeouts [$t set nrexmit_] cuts [$t set ncwndcuts_] ecn [$t set necnresponses_]"
        incr i
    }
    if {$flood > 0} { puts "flood received [$flood_sink set npkts_] lost [$flood_sink set nlost_]" }
}

proc finish {} {
    state end
    puts done
    exit 0
}

remove-all-packet-headers
add-packet-header IP TCP Flags RTP
foreach setting $settings {
    foreach {class name value} $setting { $class set $name $value }
}
Agent/TCP set packetSize_ [expr {$packet - 40}]
Agent/TCP set window_ $WINDOW
Agent/TCP set windowInit_ 2
Agent/TCP set minrto_ 0.2
Agent/TCP set ecn_ $ecn

set tcps {}
set sinks {}
set ns [new Simulator]
# Each user of chance has a substream of its own; ns-2's own generator is the default one.
global defaultRNG
$defaultRNG seed [expr {$seed * 7919}]
set phase [new RandomVariable/Uniform]
$ns rtproto Manual
build_bottleneck
set i 0
foreach rtt $rtts {
    add_flow $i $rtt [$phase value]
    incr i
}
if {$flood > 0} add_flood
$ns at $warmup "state warm"
$ns at $duration finish
$ns run
