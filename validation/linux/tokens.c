/* Datagrams at given instants through a shaper or a policer, and when each of them came and went.
 *
 *   tokens DURATION RECEIVER DEVICE ADDRESS ROUTER DEVICE SENDER FILE
 *
 * FILE has a line "NANOSECONDS FLOW BYTES TOS" for each datagram (IP bytes), in the order of time. All go from the network
 * namespace SENDER to ADDRESS in RECEIVER, a flow from a port of its own. Prints between "begin" and "done" a line "in NUMBER
 * NANOSECONDS" for each that comes to DEVICE of ROUTER, before any filter there, and "out NUMBER NANOSECONDS" for each that
 * comes to DEVICE of RECEIVER: what the kernel stamps on packets, after the start. NUMBER is the line's. */
#define main traffic_main
#include "traffic.c"
#undef main
#include <linux/if_packet.h>
#include <net/ethernet.h>

enum { FIRST_PORT = 10000, MOST_PATTERN_FLOWS = 256, IP_AND_UDP = 28 };

static int sending[MOST_PATTERN_FLOWS], tap_in, tap_out;
static uint64_t real_epoch;
static const uint64_t LEFT_OVER = 5 * 1000000000ull; /* for what still waits */

/* Sees what a device receives, before filters do. */
static int tap(const char *ns, const char *device)
{
    enter(ns);
    int fd = socket(AF_PACKET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, htons(ETH_P_ALL)), on = 1, room = 1 << 26;
    struct sockaddr_ll place = {.sll_family = AF_PACKET,
                                .sll_protocol = htons(ETH_P_ALL),
                                .sll_ifindex = (int)if_nametoindex(device)};
    if (fd < 0 || bind(fd, (struct sockaddr *)&place, sizeof place)) fail(device);
    if (setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on)) fail("SO_TIMESTAMPNS");
    setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof room);
    return fd;
}

static void drain(int fd, const char *word)
{
    unsigned char head[64];
    char control[256];
    struct sockaddr_ll from;
    for (;;) {
        struct iovec part = {head, sizeof head};
        struct msghdr m = {.msg_name = &from, .msg_namelen = sizeof from, .msg_iov = &part, .msg_iovlen = 1,
                           .msg_control = control, .msg_controllen = sizeof control};
        ssize_t n = recvmsg(fd, &m, MSG_DONTWAIT);
        if (n < 0) return;
        if (from.sll_pkttype == PACKET_OUTGOING || from.sll_protocol != htons(ETH_P_IP)) continue;
        if (n < IP_AND_UDP + 4 || head[9] != IPPROTO_UDP) continue;
        struct cmsghdr *c = CMSG_FIRSTHDR(&m);
        if (!c || c->cmsg_type != SO_TIMESTAMPNS) fail("stamp");
        struct timespec t;
        memcpy(&t, CMSG_DATA(c), sizeof t);
        uint32_t number;
        memcpy(&number, head + IP_AND_UDP, sizeof number);
        printf("%s %u %llu\n", word, ntohl(number),
               (unsigned long long)((uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec - real_epoch));
    }
}

static int open_flow(int flow, const char *to, int tos)
{
    struct sockaddr_in a = address(to), own = {.sin_family = AF_INET, .sin_port = htons((uint16_t)(FIRST_PORT + flow))};
    int fd = open_socket(SOCK_DGRAM), room = 1 << 26;
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

int main(int argc, char **a)
{
    if (argc != 9) return traffic_main(argc, a);
    uint64_t duration = (uint64_t)(atof(a[1]) * 1e9), due;
    int flow, bytes, tos;
    FILE *pattern = fopen(a[8], "r");
    if (!pattern) fail(a[8]);
    tap_in = tap(a[5], a[6]);
    tap_out = tap(a[2], a[3]);
    listen_at(a[4], SOCK_DGRAM);
    enter(a[7]);
    printf("begin\n");
    epoch = 0;
    epoch = now();
    struct timespec real;
    clock_gettime(CLOCK_REALTIME, &real);
    real_epoch = (uint64_t)real.tv_sec * SECOND + (uint64_t)real.tv_nsec;
    for (uint32_t number = 0;
         fscanf(pattern, "%llu %d %d %d", (unsigned long long *)&due, &flow, &bytes, &tos) == 4 && due < duration; number++) {
        if (flow < 0 || flow >= MOST_PATTERN_FLOWS || bytes < IP_AND_UDP + 4 || bytes - IP_AND_UDP > CHUNK) fail("pattern");
        if (!sending[flow]) sending[flow] = open_flow(flow, a[4], tos);
        uint32_t written = htonl(number);
        memcpy(buffer, &written, sizeof written);
        wait_until(due);
        (void)!send(sending[flow], buffer, (size_t)bytes - IP_AND_UDP, MSG_DONTWAIT);
        if (number % 64 == 0) {
            drain(tap_in, "in");
            drain(tap_out, "out");
        }
    }
    wait_until(duration + LEFT_OVER);
    drain(tap_in, "in");
    drain(tap_out, "out");
    printf("done\n");
    return 0;
}
