// Reference scenario D (see ../README.md) in htsim.
//
//   scenario N DURATION
//
// N         TCP flows
// DURATION  simulated seconds
//
// Prints one line of JSON. htsim's best case: no loggers, and its plain TCP, which has neither SACK nor a receiver's window. A
// timer for all flows together looks for timeouts every 10 ms, which is how htsim does it.

#include "config.h"
#include "eventlist.h"
#include "network.h"
#include "pipe.h"
#include "queue.h"
#include "tcp.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

namespace
{

constexpr int PACKET = 1000;     // bytes on the wire
constexpr double PAYLOAD = 960;  // of which htsim, where packets have no headers, counts all as data
constexpr uint32_t WINDOW = 136 * PACKET;
constexpr uint64_t ACCESS_MBPS = 100;
constexpr double BOTTLENECK_MS = 10;
constexpr double SCAN_MS = 10;  // ns-2's and Tailrace's timers tick as often
constexpr mem_b ENDLESS = mem_b{100000} * PACKET;
constexpr double GOLDEN = 0.6180339887498949;

double cpu_seconds()
{
    timespec t{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

long peak_rss_bytes()
{
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.rfind("VmHWM:", 0) == 0)
            return std::atol(line.c_str() + 6) * 1024;
    return 0;
}

// The i-th point of a sequence that fills [0, 1) evenly: the same delays as in ns-2 and ns-3.
double spread(int i)
{
    return std::fmod(i * GOLDEN, 1.0);
}

// The access delay of flow i on side 0 (sender) or 1 (receiver), milliseconds.
double access_ms(int i, int side)
{
    return 5.0 + 15.0 * spread(2 * i + side + 1);
}

// The wire of a link. What enters it has been sent over the link: a packet-hop.
class Wire : public Pipe
{
  public:
    Wire(double ms, EventList& events) : Pipe(timeFromMs(ms), events) {}
    void receivePacket(Packet& packet) override
    {
        ++sent;
        Pipe::receivePacket(packet);
    }
    uint64_t sent = 0;
};

// One direction of a link: a queue and its wire.
struct Link
{
    Link(uint64_t mbps, mem_b limit, double ms, EventList& events)
        : queue(speedFromMbps(mbps), limit, events, nullptr), wire(ms, events)
    {
    }
    Queue queue;
    Wire wire;
};

struct Flow
{
    explicit Flow(EventList& events) : source(nullptr, nullptr, events) {}
    TcpSrc source;
    TcpSink sink;
    Route there;
    Route back;
};

class Dumbbell
{
  public:
    Dumbbell(int n, EventList& events) : events_(events), timers_(timeFromMs(SCAN_MS), events)
    {
        const mem_b limit = mem_b(std::floor(8.75 * n + 0.5)) * PACKET;
        forward_ = add(n, limit, BOTTLENECK_MS);
        reverse_ = add(n, ENDLESS, BOTTLENECK_MS);
        for (int i = 0; i < n; ++i)
            add_flow(i);
    }

    uint64_t hops() const
    {
        uint64_t sum = 0;
        for (const auto& link : links_)
            sum += link->wire.sent;
        return sum;
    }
    uint64_t departures() const { return forward_->wire.sent; }
    int drops() const { return forward_->queue.num_drops(); }
    double delivered_bytes() const
    {
        double packets = 0;
        for (const auto& flow : flows_)
            packets += static_cast<double>(flow->sink._cumulative_ack / PACKET);
        return packets * PAYLOAD;
    }

  private:
    Link* add(uint64_t mbps, mem_b limit, double ms)
    {
        links_.push_back(std::make_unique<Link>(mbps, limit, ms, events_));
        return links_.back().get();
    }

    static void append(Route& route, Link* link)
    {
        route.push_back(&link->queue);
        route.push_back(&link->wire);
    }

    void add_flow(int i)
    {
        flows_.push_back(std::make_unique<Flow>(events_));
        Flow& flow = *flows_.back();
        flow.source.set_ssthresh(WINDOW);
        flow.source._maxcwnd = WINDOW;
        timers_.registerTcp(flow.source);
        const double near = access_ms(i, 0);
        const double far = access_ms(i, 1);
        append(flow.there, add(ACCESS_MBPS, ENDLESS, near));
        append(flow.there, forward_);
        append(flow.there, add(ACCESS_MBPS, ENDLESS, far));
        flow.there.push_back(&flow.sink);
        append(flow.back, add(ACCESS_MBPS, ENDLESS, far));
        append(flow.back, reverse_);
        append(flow.back, add(ACCESS_MBPS, ENDLESS, near));
        flow.back.push_back(&flow.source);
        flow.source.connect(flow.there, flow.back, flow.sink, timeFromSec(spread(i + 1)));
    }

    EventList& events_;
    TcpRtxTimerScanner timers_;
    std::vector<std::unique_ptr<Link>> links_;
    std::vector<std::unique_ptr<Flow>> flows_;
    Link* forward_ = nullptr;
    Link* reverse_ = nullptr;
};

} // namespace

int main(int argc, char** argv)
{
    const int n = argc == 3 ? std::atoi(argv[1]) : 0;
    const double duration = argc == 3 ? std::atof(argv[2]) : 0;
    if (n < 1 || duration <= 0) {
        std::fprintf(stderr, "usage: scenario N DURATION\n");
        return 2;
    }
    std::cout.setstate(std::ios::failbit); // htsim reports every timeout there: best case without.
    const double start = cpu_seconds();
    EventList& events = EventList::getTheEventList();
    events.setEndtime(timeFromSec(duration));
    Packet::set_packet_size(PACKET);
    const Dumbbell network(n, events);
    const double set_up = cpu_seconds();
    while (events.doNextEvent()) {
    }
    const double run = cpu_seconds() - set_up;
    const uint64_t hops = network.hops();
    std::printf("{\"tool\":\"htsim\",\"scenario\":\"D\",\"n\":%d,\"duration_s\":%g,\"setup_s\":%.6f,\"run_cpu_s\":%.6f,"
                "\"packet_hops\":%llu,\"ns_per_hop\":%.2f,\"peak_rss_bytes\":%ld,\"tcp_goodput_bps\":%.0f,"
                "\"bottleneck_departures\":%llu,\"bottleneck_drops\":%d}\n",
                n, duration, set_up - start, run, static_cast<unsigned long long>(hops),
                run * 1e9 / static_cast<double>(hops), peak_rss_bytes(), network.delivered_bytes() * 8 / duration,
                static_cast<unsigned long long>(network.departures()), network.drops());
    return 0;
}
