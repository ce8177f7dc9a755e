// Reference scenarios A and D (see ../README.md) in ns-3.
//
//   scenario --scenario=A|D --n=N --duration=SECONDS [--queue=PACKETS]
//
// queue: packets that may wait at the bottleneck; 0 takes the scenario's own: 200 in A, 8.75 N in D.
// Prints one line of JSON. ns-3's best case: no traces, no queue discipline where none is wanted, routes by table
// look-up (class TableRouting), application writes of exactly one segment.

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

constexpr uint32_t PACKET = 1000;              // bytes on the wire, point-to-point header included
constexpr uint32_t POINT_TO_POINT_HEADER = 2;
constexpr uint32_t SEGMENT = PACKET - POINT_TO_POINT_HEADER - 20 - 20;
constexpr uint32_t DATAGRAM = PACKET - POINT_TO_POINT_HEADER - 20 - 8;
constexpr uint32_t WINDOW = 136 * SEGMENT;
constexpr uint32_t FIRST_ADDRESS = 0x0a000001; // 10.0.0.1
constexpr uint16_t PORT = 9;
constexpr double FLOOD_RATE = 45e6;
constexpr double GOLDEN = 0.6180339887498949;

double
CpuSeconds()
{
    timespec t{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

double
WallSeconds()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

uint64_t
PeakRssBytes()
{
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
    {
        if (line.rfind("VmHWM:", 0) == 0)
        {
            return std::stoull(line.substr(6)) * 1024;
        }
    }
    return 0;
}

// The i-th point of a sequence that fills [0, 1) evenly: the same delays here and in ns-2.
double
Spread(uint32_t i)
{
    return std::fmod(i * GOLDEN, 1.0);
}

// Static routes by index: a host sends everything to its only link, a router looks the destination up in an array.
class TableRouting : public Ipv4RoutingProtocol
{
  public:
    void MakeHost(Ipv4Address address, Ptr<NetDevice> device)
    {
        m_address = address;
        m_default = MakeRoute(address, device);
    }

    void SetDefault(Ptr<NetDevice> device)
    {
        m_default = MakeRoute(Ipv4Address(), device);
    }

    void AddRoute(Ipv4Address destination, Ptr<NetDevice> device)
    {
        const uint32_t slot = destination.Get() - FIRST_ADDRESS;
        if (slot >= m_table.size())
        {
            m_table.resize(slot + 1);
        }
        m_table[slot] = MakeRoute(Ipv4Address(), device);
    }

    Ptr<Ipv4Route> RouteOutput(Ptr<Packet>, const Ipv4Header&, Ptr<NetDevice>, Socket::SocketErrno& error) override
    {
        error = Socket::ERROR_NOTERROR;
        return m_default;
    }

    bool RouteInput(Ptr<const Packet> packet,
                    const Ipv4Header& header,
                    Ptr<const NetDevice> device,
                    UnicastForwardCallback forward,
                    MulticastForwardCallback,
                    LocalDeliverCallback deliver,
                    ErrorCallback) override
    {
        if (header.GetDestination() == m_address)
        {
            deliver(packet, header, m_ipv4->GetInterfaceForDevice(device));
            return true;
        }
        const uint32_t slot = header.GetDestination().Get() - FIRST_ADDRESS;
        const bool known = slot < m_table.size() && m_table[slot];
        forward(known ? m_table[slot] : m_default, packet, header);
        return true;
    }

    void NotifyInterfaceUp(uint32_t) override
    {
    }

    void NotifyInterfaceDown(uint32_t) override
    {
    }

    void NotifyAddAddress(uint32_t, Ipv4InterfaceAddress) override
    {
    }

    void NotifyRemoveAddress(uint32_t, Ipv4InterfaceAddress) override
    {
    }

    void SetIpv4(Ptr<Ipv4> ipv4) override
    {
        m_ipv4 = ipv4;
    }

    void PrintRoutingTable(Ptr<OutputStreamWrapper>, Time::Unit) const override
    {
    }

  private:
    static Ptr<Ipv4Route> MakeRoute(Ipv4Address source, Ptr<NetDevice> device)
    {
        auto route = Create<Ipv4Route>();
        route->SetSource(source);
        route->SetGateway(Ipv4Address::GetAny()); // on the link
        route->SetOutputDevice(device);
        return route;
    }

    Ptr<Ipv4> m_ipv4;
    Ipv4Address m_address;
    Ptr<Ipv4Route> m_default;
    std::vector<Ptr<Ipv4Route>> m_table;
};

class TableRoutingHelper : public Ipv4RoutingHelper
{
  public:
    TableRoutingHelper* Copy() const override
    {
        return new TableRoutingHelper(*this);
    }

    Ptr<Ipv4RoutingProtocol> Create(Ptr<Node>) const override
    {
        return CreateObject<TableRouting>();
    }
};

TableRouting&
RoutingOf(Ptr<Node> node)
{
    return *DynamicCast<TableRouting>(node->GetObject<Ipv4>()->GetRoutingProtocol());
}

uint32_t
AddInterface(Ptr<NetDevice> device)
{
    auto ipv4 = device->GetNode()->GetObject<Ipv4>();
    const uint32_t interface = ipv4->AddInterface(device);
    ipv4->SetUp(interface);
    return interface;
}

// Constant bit rate with each gap within 1 +- 0.5 of its mean, as ns-2's `random_ 1`.
class Flood
{
  public:
    void Start(Ptr<Node> from, Ipv4Address to)
    {
        m_socket = Socket::CreateSocket(from, UdpSocketFactory::GetTypeId());
        m_socket->Bind();
        m_socket->Connect(InetSocketAddress(to, PORT));
        m_jitter = CreateObject<UniformRandomVariable>();
        Simulator::ScheduleWithContext(from->GetId(), Seconds(0), &Flood::Send, this);
    }

    uint64_t Sent() const
    {
        return m_sent;
    }

  private:
    void Send()
    {
        m_socket->Send(Create<Packet>(DATAGRAM));
        ++m_sent;
        const double mean = PACKET * 8 / FLOOD_RATE;
        Simulator::Schedule(Seconds(mean * m_jitter->GetValue(0.5, 1.5)), &Flood::Send, this);
    }

    Ptr<Socket> m_socket;
    Ptr<UniformRandomVariable> m_jitter;
    uint64_t m_sent = 0;
};

struct Options
{
    std::string scenario = "D";
    uint32_t n = 10;
    double duration = 10;
    uint32_t queue = 0;

    bool Red() const
    {
        return scenario == "A";
    }
};

class Dumbbell
{
  public:
    explicit Dumbbell(const Options& options)
        : m_options(options)
    {
        m_stack.SetRoutingHelper(TableRoutingHelper());
        m_stack.SetIpv6StackInstall(false);
        m_access.SetDeviceAttribute("DataRate", StringValue("100Mbps"));
        m_access.SetQueue("ns3::DropTailQueue<Packet>", "MaxSize", StringValue("100000p"));
        m_access.DisableFlowControl();
        BuildBottleneck();
        for (uint32_t i = 0; i < options.n; ++i)
        {
            AddTcpFlow(i);
        }
        if (options.Red())
        {
            AddFlood();
        }
    }

    void Report(double setupCpu, double setupWall, double runCpu, double runWall) const
    {
        uint64_t hops = 0;
        uint64_t data = 0;
        uint64_t bytes = 0;
        for (const auto& device : m_devices)
        {
            hops += Sent(device);
        }
        for (const auto& device : m_senders)
        {
            data += Sent(device) - std::min<uint64_t>(2, Sent(device)); // less SYN and the handshake's ACK
        }
        for (const auto& sink : m_sinks)
        {
            bytes += sink->GetTotalRx();
        }
        const uint64_t received = m_floodSink ? m_floodSink->GetTotalRx() / DATAGRAM : 0;
        std::printf("{\"tool\":\"ns-3\",\"scenario\":\"%s\",\"n\":%u,\"duration_s\":%g,\"queue_packets\":%u,",
                    m_options.scenario.c_str(),
                    m_options.n,
                    m_options.duration,
                    m_options.queue);
        std::printf("\"setup_s\":%.6f,\"setup_wall_s\":%.3f,\"run_cpu_s\":%.6f,\"run_wall_s\":%.3f,",
                    setupCpu,
                    setupWall,
                    runCpu,
                    runWall);
        std::printf("\"packet_hops\":%lu,\"ns_per_hop\":%.2f,\"peak_rss_bytes\":%lu,\"events\":%lu,",
                    hops,
                    runCpu * 1e9 / hops,
                    PeakRssBytes(),
                    Simulator::GetEventCount());
        std::printf("\"tcp_data_packets\":%lu,\"tcp_goodput_bps\":%.0f,\"flood_sent_packets\":%lu,",
                    data,
                    bytes * 8.0 / m_options.duration,
                    m_flood.Sent());
        std::printf("\"flood_received_packets\":%lu,\"bottleneck_departures\":%lu,\"bottleneck_drops\":%lu}\n",
                    received,
                    Sent(m_bottleneck),
                    Dropped());
    }

  private:
    void BuildBottleneck()
    {
        PointToPointHelper link;
        link.SetDeviceAttribute("DataRate", DataRateValue(DataRate(m_options.Red() ? 45000000 : m_options.n * 1000000ULL)));
        link.SetChannelAttribute("Delay", StringValue("10ms"));
        link.SetQueue("ns3::DropTailQueue<Packet>", "MaxSize", StringValue("100000p"));
        if (!m_options.Red())
        {
            link.DisableFlowControl();
        }
        m_left = CreateObject<Node>();
        m_right = CreateObject<Node>();
        m_stack.Install(NodeContainer(m_left, m_right));
        const auto devices = link.Install(m_left, m_right);
        m_bottleneck = Remember(devices.Get(0));
        Remember(devices.Get(1));
        AddInterface(devices.Get(0));
        AddInterface(devices.Get(1));
        RoutingOf(m_left).SetDefault(devices.Get(0));
        RoutingOf(m_right).SetDefault(devices.Get(1));
        if (m_options.Red())
        {
            InstallRed();
        }
        else
        {
            m_bottleneck->GetQueue()->SetMaxSize(QueueSize(PACKETS, m_options.queue));
        }
    }

    void InstallRed()
    {
        // With flow control a one-packet device queue leaves the waiting to the discipline.
        m_bottleneck->GetQueue()->SetMaxSize(QueueSize(PACKETS, 1));
        TrafficControlHelper red;
        red.SetRootQueueDisc("ns3::RedQueueDisc",
                             "MaxSize",
                             QueueSizeValue(QueueSize(PACKETS, m_options.queue)),
                             "MeanPktSize",
                             UintegerValue(PACKET),
                             "MinTh",
                             DoubleValue(14.0625),
                             "MaxTh",
                             DoubleValue(42.1875),
                             "QW",
                             DoubleValue(1.7776e-4),
                             "LInterm",
                             DoubleValue(10),
                             "LinkBandwidth",
                             StringValue("45Mbps"),
                             "LinkDelay",
                             StringValue("10ms"),
                             "UseEcn",
                             BooleanValue(true));
        m_red = red.Install(m_bottleneck).Get(0);
    }

    Ptr<PointToPointNetDevice> Remember(Ptr<NetDevice> device)
    {
        auto link = DynamicCast<PointToPointNetDevice>(device);
        m_devices.push_back(link);
        return link;
    }

    // A host at a router, with the next free address, routed both ways.
    Ptr<Node> AddHost(Ptr<Node> router, double delay)
    {
        auto host = CreateObject<Node>();
        m_stack.Install(host);
        m_access.SetChannelAttribute("Delay", TimeValue(Seconds(delay)));
        const auto devices = m_access.Install(host, router);
        const Ipv4Address address(FIRST_ADDRESS + m_hosts++);
        const uint32_t interface = AddInterface(devices.Get(0));
        host->GetObject<Ipv4>()->AddAddress(interface, Ipv4InterfaceAddress(address, Ipv4Mask("255.0.0.0")));
        AddInterface(devices.Get(1));
        RoutingOf(host).MakeHost(address, devices.Get(0));
        RoutingOf(router).AddRoute(address, devices.Get(1));
        m_lastSender = Remember(devices.Get(0));
        m_lastAddress = address;
        Remember(devices.Get(1));
        return host;
    }

    // A delay of the scenario's access range for side 0 (senders) or 1 (receivers) of flow i.
    double AccessDelay(uint32_t i, uint32_t side) const
    {
        const double low = m_options.Red() ? 0.001 : 0.005;
        const double high = m_options.Red() ? 0.015 : 0.020;
        return low + (high - low) * Spread(2 * i + side + 1);
    }

    void AddTcpFlow(uint32_t i)
    {
        auto source = AddHost(m_left, AccessDelay(i, 0));
        m_senders.push_back(m_lastSender);
        auto destination = AddHost(m_right, AccessDelay(i, 1));
        PacketSinkHelper sink("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), PORT));
        m_sinks.push_back(DynamicCast<PacketSink>(sink.Install(destination).Get(0)));
        BulkSendHelper bulk("ns3::TcpSocketFactory", InetSocketAddress(m_lastAddress, PORT));
        bulk.SetAttribute("SendSize", UintegerValue(SEGMENT));
        bulk.Install(source).Start(Seconds(Spread(i + 1)));
    }

    void AddFlood()
    {
        auto source = AddHost(m_left, 0.001);
        auto destination = AddHost(m_right, 0.001);
        PacketSinkHelper sink("ns3::UdpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), PORT));
        m_floodSink = DynamicCast<PacketSink>(sink.Install(destination).Get(0));
        m_flood.Start(source, m_lastAddress);
    }

    // Packets that a device began to transmit: what entered its queue and left it.
    static uint64_t Sent(Ptr<PointToPointNetDevice> device)
    {
        return device->GetQueue()->GetTotalReceivedPackets() - device->GetQueue()->GetNPackets();
    }

    uint64_t Dropped() const
    {
        return m_red ? m_red->GetStats().nTotalDroppedPackets : m_bottleneck->GetQueue()->GetTotalDroppedPackets();
    }

    Options m_options;
    InternetStackHelper m_stack;
    PointToPointHelper m_access;
    Ptr<Node> m_left;
    Ptr<Node> m_right;
    Ptr<PointToPointNetDevice> m_bottleneck;
    Ptr<PointToPointNetDevice> m_lastSender;
    Ipv4Address m_lastAddress;
    Ptr<QueueDisc> m_red;
    Flood m_flood;
    Ptr<PacketSink> m_floodSink;
    std::vector<Ptr<PointToPointNetDevice>> m_devices;
    std::vector<Ptr<PointToPointNetDevice>> m_senders;
    std::vector<Ptr<PacketSink>> m_sinks;
    uint32_t m_hosts = 0;
};

void
ConfigureTcp(const Options& options)
{
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", StringValue("ns3::TcpNewReno"));
    Config::SetDefault("ns3::TcpL4Protocol::RecoveryType", StringValue("ns3::TcpClassicRecovery"));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(SEGMENT));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(10));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(1));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(WINDOW));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(WINDOW));
    Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(true));
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(MilliSeconds(200)));
    Config::SetDefault("ns3::TcpSocketBase::UseEcn", StringValue(options.Red() ? "On" : "Off"));
}

Options
Parse(int argc, char* argv[])
{
    Options options;
    CommandLine command(__FILE__);
    command.AddValue("scenario", "A or D", options.scenario);
    command.AddValue("n", "number of TCP flows", options.n);
    command.AddValue("duration", "simulated seconds", options.duration);
    command.AddValue("queue", "packets that may wait at the bottleneck; 0: the scenario's own", options.queue);
    command.Parse(argc, argv);
    if ((options.scenario != "A" && options.scenario != "D") || options.n == 0 || !(options.duration > 0))
    {
        std::fprintf(stderr, "--scenario is A or D, --n and --duration are more than zero\n");
        std::exit(2);
    }
    if (options.queue == 0)
    {
        options.queue = options.Red() ? 200 : static_cast<uint32_t>(8.75 * options.n + 0.5);
    }
    return options;
}

} // namespace

int
main(int argc, char* argv[])
{
    const double wall0 = WallSeconds();
    const double cpu0 = CpuSeconds();
    const Options options = Parse(argc, argv);
    ConfigureTcp(options);
    const Dumbbell dumbbell(options);
    Simulator::Stop(Seconds(options.duration));
    const double wall1 = WallSeconds();
    const double cpu1 = CpuSeconds();
    Simulator::Run();
    dumbbell.Report(cpu1 - cpu0, wall1 - wall0, CpuSeconds() - cpu1, WallSeconds() - wall1);
    Simulator::Destroy();
    return 0;
}
