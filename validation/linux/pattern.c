/* Datagrams at given instants through one discipline, and what it does with them.
 *
 *   pattern DURATION RECEIVER ADDRESS ROUTER DEVICE SENDER ECN FILE
 *
 * FILE has a line "NANOSECONDS FLOW BYTES" for each datagram (IP bytes), in the order of time. All go from the network
 * namespace SENDER to ADDRESS in RECEIVER, a flow from a port of its own, as ECT(0) where ECN is 1. Prints between
 * "begin" and "done" a line "sample NANOSECONDS PACKETS DROPS" of the leaf 10: of DEVICE in ROUTER each SAMPLE_NS, what
 * arrived of each flow, and what tc says of the leaf at the end.
 *
 * It is built on traffic.c as it stands: a change there would make every kept run of the reference stale. */
#define main traffic_main
#include "traffic.c"
#undef main

enum { FIRST_PORT = 10000, MOST_PATTERN_FLOWS = 256 };

static int sending[MOST_PATTERN_FLOWS];
static uint64_t arrived[MOST_PATTERN_FLOWS];
static int receiving;

static void drain(void)
{
    struct sockaddr_in from;
    socklen_t size = sizeof from;
    while (recvfrom(receiving, buffer, CHUNK, MSG_DONTWAIT | MSG_TRUNC, (struct sockaddr *)&from, &size) >= 0) {
        int flow = ntohs(from.sin_port) - FIRST_PORT;
        if (flow >= 0 && flow < MOST_PATTERN_FLOWS) arrived[flow]++;
    }
}

static int open_flow(int flow, const char *to, int ecn)
{
    struct sockaddr_in a = address(to), own = {.sin_family = AF_INET, .sin_port = htons((uint16_t)(FIRST_PORT + flow))};
    int fd = open_socket(SOCK_DGRAM), tos = ecn ? 2 : 0, room = 1 << 26;
    setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof room);
    setsockopt(fd, IPPROTO_IP, IP_TOS, &tos, sizeof tos);
    if (bind(fd, (struct sockaddr *)&own, sizeof own) || connect(fd, (struct sockaddr *)&a, sizeof a)) fail("flow");
    return fd;
}

static void wait_until(uint64_t t)
{
    struct timespec when = {(time_t)((t + epoch) / SECOND), (long)((t + epoch) % SECOND)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, NULL)) continue;
}

static void sample(uint64_t at)
{
    uint32_t drops = 0, packets = backlog(&drops);
    printf("sample %llu %u %u\n", (unsigned long long)at, packets, drops);
    drain();
}

static void show_leaf(const char *router, const char *device)
{
    enter(router);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        execlp("tc", "tc", "-s", "qdisc", "show", "dev", device, (char *)NULL);
        _exit(127);
    }
    int status;
    if (child < 0 || waitpid(child, &status, 0) < 0 || status) fail("tc");
}

int main(int argc, char **a)
{
    if (argc != 9) return traffic_main(argc, a);
    uint64_t duration = (uint64_t)(atof(a[1]) * 1e9), next_sample = SAMPLE_NS, due;
    int ecn = atoi(a[7]), flow, bytes;
    FILE *pattern = fopen(a[8], "r");
    if (!pattern) fail(a[8]);
    enter(a[4]);
    leaf_index = (int)if_nametoindex(a[5]);
    route_fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    enter(a[2]);
    receiving = listen_at(a[3], SOCK_DGRAM);
    enter(a[6]);
    printf("begin\n");
    epoch = 0;
    epoch = now();
    while (fscanf(pattern, "%llu %d %d", (unsigned long long *)&due, &flow, &bytes) == 3 && due < duration) {
        for (; next_sample <= due; next_sample += SAMPLE_NS) {
            wait_until(next_sample);
            sample(next_sample);
        }
        if (flow < 0 || flow >= MOST_PATTERN_FLOWS || bytes < 28 || bytes - 28 > CHUNK) fail("pattern");
        if (!sending[flow]) sending[flow] = open_flow(flow, a[3], ecn);
        wait_until(due);
        (void)!send(sending[flow], buffer, (size_t)bytes - 28, MSG_DONTWAIT);
    }
    for (; next_sample <= duration; next_sample += SAMPLE_NS) {
        wait_until(next_sample);
        sample(next_sample);
    }
    for (flow = 0; flow < MOST_PATTERN_FLOWS; flow++)
        if (sending[flow]) printf("flow %d arrived %llu\n", flow, (unsigned long long)arrived[flow]);
    show_leaf(a[4], a[5]);
    printf("done\n");
    return 0;
}
