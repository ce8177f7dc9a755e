/* The traffic of one validation run inside the reference kernel, and what it measures.
 *
 *   traffic run DURATION WARMUP SEED RECEIVER ADDRESS ROUTER DEVICE FLOOD_NS FLOOD_BPS FLOOD_SIZE PERIOD BURST NS...
 *   traffic prepare @NS [DEVICE | NAME=VALUE]... [@NS ...]
 *   traffic poweroff
 *
 * One bulk TCP flow from each network namespace NS to ADDRESS in the namespace RECEIVER, started at a random moment
 * of the first second; with FLOOD_BPS > 0 a UDP flood of that rate (IP bytes) from FLOOD_NS, gaps within 1 +- 0.5 of
 * their mean; with PERIOD > 0 (seconds) it comes in pulses of BURST, one a period, with equal gaps. The leaf queue 10: of DEVICE in the namespace ROUTER is looked at every SAMPLE_NS. Prints lines of
 * "key value ..." between "begin" and "done": once at the end of the warm-up and once at the end of the run.
 *
 * `prepare` turns off what merges or splits packets at each DEVICE of a namespace and writes each VALUE to NAME in
 * /proc/sys/net/ipv4. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/ethtool.h>
#include <linux/gen_stats.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/reboot.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PORT = 5001, MOST_FLOWS = 1024, MOST_SECONDS = 4096, CHUNK = 65536, FIRST_FLOW = 12 };
static const uint64_t SECOND = 1000000000ull, SAMPLE_NS = 10000000ull;

struct flow {
    const char *ns;
    uint64_t start;
    int fd; /* -1 before it starts */
};

static struct flow flows[MOST_FLOWS];
static int flow_count;
static char buffer[CHUNK];
static uint64_t flood_sent, flood_received, flood_by_second[MOST_SECONDS];
static uint64_t epoch; /* of the run, on the monotonic clock */
static uint64_t last_look;
static int epoll_fd, route_fd, timer_fd, leaf_index;

static void fail(const char *what)
{
    printf("error %s: %s\n", what, strerror(errno));
    fflush(stdout);
    reboot(RB_POWER_OFF);
    exit(1);
}

static uint64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return last_look = (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec - epoch;
}

/* splitmix64 */
static uint64_t random_state;
static double uniform(void)
{
    uint64_t z = (random_state += 0x9e3779b97f4a7c15ull);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return (double)((z ^ (z >> 31)) >> 11) / 9007199254740992.0;
}

static void enter(const char *ns)
{
    char path[256];
    snprintf(path, sizeof path, "/run/netns/%s", ns);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || setns(fd, CLONE_NEWNET)) fail(path);
    close(fd);
}

static int open_socket(int type)
{
    int fd = socket(AF_INET, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) fail("socket");
    return fd;
}

static struct sockaddr_in address(const char *text)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(PORT)};
    if (inet_pton(AF_INET, text, &a.sin_addr) != 1) fail(text);
    return a;
}

static void watch(int fd, uint32_t events, uint64_t tag)
{
    struct epoll_event e = {.events = events, .data.u64 = tag};
    if (epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &e)) fail("epoll_ctl");
}

/* Tags: a sender's is its flow's number; a receiver's its descriptor above RECEIVING; three are single. */
enum { RECEIVING = 1 << 20, LISTENER = 1 << 30, SINK, DEADLINE };

static int listen_at(const char *text, int type)
{
    struct sockaddr_in a = address(text);
    int fd = open_socket(type), size = 1 << 22;
    if (type == SOCK_DGRAM) setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof size);
    if (bind(fd, (struct sockaddr *)&a, sizeof a)) fail("bind");
    if (type == SOCK_STREAM && listen(fd, MOST_FLOWS)) fail("listen");
    return fd;
}

static void start_flow(int i, const char *to)
{
    struct sockaddr_in a = address(to);
    enter(flows[i].ns);
    flows[i].fd = open_socket(SOCK_STREAM);
    if (connect(flows[i].fd, (struct sockaddr *)&a, sizeof a) && errno != EINPROGRESS) fail("connect");
    watch(flows[i].fd, EPOLLOUT, (uint64_t)i);
}

static void fill(int fd)
{
    for (;;) {
        ssize_t n = send(fd, buffer, CHUNK, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0) {
            if (errno != EAGAIN) fail("send");
            return;
        }
    }
}

/* One packet a wake-up; which second it belongs to follows from the last look at the clock. */
static void drain_flood(int fd)
{
    if (recv(fd, buffer, CHUNK, MSG_DONTWAIT | MSG_TRUNC) < 0) return;
    flood_received++;
    if (last_look / SECOND < MOST_SECONDS) flood_by_second[last_look / SECOND]++;
}

/* Packets that wait in the leaf, by one question to the router's kernel; without the echo it answers listeners only. */
static uint32_t backlog(uint32_t *drops)
{
    struct {
        struct nlmsghdr head;
        struct tcmsg tc;
    } ask = {.head = {.nlmsg_len = NLMSG_LENGTH(sizeof(struct tcmsg)), .nlmsg_type = RTM_GETQDISC, .nlmsg_flags = NLM_F_REQUEST | NLM_F_ECHO},
             .tc = {.tcm_family = AF_UNSPEC, .tcm_ifindex = leaf_index, .tcm_handle = 0x100000}};
    static char answer[65536];
    if (send(route_fd, &ask, ask.head.nlmsg_len, 0) < 0) fail("netlink send");
    ssize_t n = recv(route_fd, answer, sizeof answer, 0);
    struct nlmsghdr *h = (struct nlmsghdr *)answer;
    if (n < 0 || !NLMSG_OK(h, (size_t)n) || h->nlmsg_type != RTM_NEWQDISC) fail("netlink answer");
    struct tcmsg *t = NLMSG_DATA(h);
    int left = (int)(h->nlmsg_len - NLMSG_LENGTH(sizeof *t));
    for (struct rtattr *a = (struct rtattr *)((char *)t + NLMSG_ALIGN(sizeof *t)); RTA_OK(a, left); a = RTA_NEXT(a, left)) {
        if (a->rta_type != TCA_STATS2) continue;
        int rest = (int)RTA_PAYLOAD(a);
        for (struct rtattr *s = RTA_DATA(a); RTA_OK(s, rest); s = RTA_NEXT(s, rest)) {
            if (s->rta_type == TCA_STATS_QUEUE) {
                struct gnet_stats_queue *q = RTA_DATA(s);
                *drops = q->drops;
                return q->qlen;
            }
        }
    }
    errno = ENODATA;
    fail("queue statistics");
    return 0;
}

/* Sums the counters of one protocol's lines in a file of /proc/net over the senders' namespaces. */
static void print_counters(const char *file, const char *proto)
{
    static char names[16384], values[16384];
    uint64_t sum[512] = {0};
    char saved[16384] = "";
    for (int i = 0; i < flow_count; i++) {
        int seen = 0;
        for (int j = 0; j < i && !seen; j++) seen = !strcmp(flows[i].ns, flows[j].ns);
        if (seen) continue;
        enter(flows[i].ns);
        FILE *f = fopen(file, "r");
        if (!f) fail(file);
        while (fgets(names, sizeof names, f) && fgets(values, sizeof values, f)) {
            if (strncmp(names, proto, strlen(proto))) continue;
            strcpy(saved, names);
            char *save, *v = strtok_r(values, " \n", &save);
            for (int k = 0; (v = strtok_r(NULL, " \n", &save)) && k < 512; k++) sum[k] += strtoull(v, NULL, 10);
        }
        fclose(f);
    }
    char *save, *name = strtok_r(saved, " \n", &save);
    for (int k = 0; (name = strtok_r(NULL, " \n", &save)) && k < 512; k++)
        if (sum[k]) printf("counter %s %llu\n", name, (unsigned long long)sum[k]);
}

static void print_state(const char *name, const char *router, const char *device)
{
    printf("state %s %.9f\n", name, (double)now() / 1e9);
    for (int i = 0; i < flow_count; i++) {
        struct tcp_info t = {0};
        socklen_t size = sizeof t;
        if (flows[i].fd >= 0 && getsockopt(flows[i].fd, IPPROTO_TCP, TCP_INFO, &t, &size)) fail("TCP_INFO");
        printf("flow %d %s acked %llu retrans %u data_out %u delivered_ce %u rtt_us %u cwnd %u\n", i, flows[i].ns,
               (unsigned long long)t.tcpi_bytes_acked, t.tcpi_total_retrans, t.tcpi_data_segs_out, t.tcpi_delivered_ce,
               t.tcpi_rtt, t.tcpi_snd_cwnd);
    }
    printf("flood sent %llu received %llu\n", (unsigned long long)flood_sent, (unsigned long long)flood_received);
    print_counters("/proc/self/net/netstat", "TcpExt:");
    print_counters("/proc/self/net/snmp", "Tcp:");
    enter(router);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        execlp("tc", "tc", "-s", "qdisc", "show", "dev", device, (char *)NULL);
        _exit(127);
    }
    int status;
    if (child < 0 || waitpid(child, &status, 0) < 0 || status) fail("tc");
    printf("end state\n");
}

/* Waiting by a timer's descriptor spares the look at the clock after each packet: calls from User-Mode Linux cost. */
static void sleep_until(uint64_t t)
{
    struct itimerspec when = {.it_value = {(time_t)((t + epoch) / SECOND), (long)((t + epoch) % SECOND)}};
    if (timerfd_settime(timer_fd, TFD_TIMER_ABSTIME, &when, NULL)) fail("timerfd_settime");
}

static void take(uint64_t tag, int listener, int sink)
{
    if (tag == LISTENER) {
        int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd >= 0) watch(fd, EPOLLIN, RECEIVING + (uint64_t)fd);
    } else if (tag == SINK) {
        drain_flood(sink);
    } else if (tag >= RECEIVING) {
        (void)!recv((int)(tag - RECEIVING), buffer, CHUNK, MSG_DONTWAIT | MSG_TRUNC);
    } else {
        fill(flows[tag].fd);
    }
}

/* When the flood sends: a packet each `gap` on average, or with equal gaps within a burst at the start of each period. */
static struct {
    int fd;
    double gap;
    uint64_t next, period, burst, begin;
} flood = {-1, 0, UINT64_MAX, 0, 0, 0};

static void start_flood(const char *ns, const char *to, double bps, size_t payload)
{
    struct sockaddr_in d = address(to);
    enter(ns);
    flood.fd = open_socket(SOCK_DGRAM);
    if (connect(flood.fd, (struct sockaddr *)&d, sizeof d)) fail("connect flood");
    flood.gap = (double)(payload + 28) * 8e9 / bps;
    flood.next = flood.begin = (uint64_t)((flood.period ? (double)flood.period : flood.gap) * uniform());
}

static void send_flood(size_t payload)
{
    if (send(flood.fd, buffer, payload, MSG_DONTWAIT) < 0 && errno != EAGAIN && errno != ENOBUFS) fail("flood");
    flood_sent++;
    if (!flood.period) {
        flood.next += (uint64_t)(flood.gap * (0.5 + uniform()));
        return;
    }
    flood.next += (uint64_t)flood.gap;
    if (flood.next >= flood.begin + flood.burst) flood.next = flood.begin += flood.period;
}

static void run(char **a, int n)
{
    uint64_t duration = (uint64_t)(atof(a[0]) * 1e9), warmup = (uint64_t)(atof(a[1]) * 1e9);
    random_state = strtoull(a[2], NULL, 10) * 0x2545f4914f6cdd1dull;
    const char *receiver = a[3], *to = a[4], *router = a[5], *device = a[6], *flood_ns = a[7];
    double flood_bps = atof(a[8]);
    size_t flood_payload = (size_t)atoi(a[9]) - 28;
    flood.period = (uint64_t)(atof(a[10]) * 1e9);
    flood.burst = (uint64_t)(atof(a[11]) * 1e9);
    flow_count = n - FIRST_FLOW;
    if (flow_count > MOST_FLOWS || flood_payload > CHUNK) fail("arguments");
    struct rlimit many = {65536, 65536};
    setrlimit(RLIMIT_NOFILE, &many);
    epoll_fd = epoll_create1(EPOLL_CLOEXEC);

    enter(router);
    leaf_index = (int)if_nametoindex(device);
    route_fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    enter(receiver);
    int listener = listen_at(to, SOCK_STREAM), sink = listen_at(to, SOCK_DGRAM);
    watch(listener, EPOLLIN, LISTENER);
    watch(sink, EPOLLIN, SINK);
    timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    watch(timer_fd, EPOLLIN, DEADLINE);
    if (flood_bps > 0) start_flood(flood_ns, to, flood_bps, flood_payload);
    for (int i = 0; i < flow_count; i++)
        flows[i] = (struct flow){a[FIRST_FLOW + i], (uint64_t)(uniform() * 1e9), -1};

    printf("begin\n");
    epoch = 0;
    epoch = now();
    uint64_t next_sample = warmup, samples = 0, packets = 0, most = 0;
    int warm = 0;
    uint32_t drops = 0;
    for (;;) {
        uint64_t t = now(), next = duration;
        if (!warm && t >= warmup) {
            warm = 1;
            print_state("warm", router, device);
        }
        if (t >= duration) break;
        if (!warm) next = warmup;
        for (int i = 0; i < flow_count; i++) {
            if (flows[i].fd >= 0) continue;
            if (flows[i].start <= t) start_flow(i, to);
            else if (flows[i].start < next) next = flows[i].start;
        }
        while (flood.next <= t) send_flood(flood_payload);
        if (flood.next < next) next = flood.next;
        if (warm && next_sample <= t) {
            uint64_t q = backlog(&drops);
            packets += q;
            if (q > most) most = q;
            samples++;
            next_sample += SAMPLE_NS;
        }
        if (warm && next_sample < next) next = next_sample;
        sleep_until(next);
        for (int due = 0; !due;) {
            struct epoll_event events[64];
            int ready = epoll_wait(epoll_fd, events, 64, -1);
            for (int k = 0; k < ready; k++) {
                uint64_t tag = events[k].data.u64;
                if (tag == DEADLINE) due = 1;
                else take(tag, listener, sink);
            }
        }
    }
    print_state("end", router, device);
    printf("queue mean %.6f max %llu samples %llu\n", samples ? (double)packets / (double)samples : 0.0,
           (unsigned long long)most, (unsigned long long)samples);
    printf("flood_by_second");
    for (uint64_t s = 0; s < duration / SECOND && s < MOST_SECONDS; s++)
        printf(" %llu", (unsigned long long)flood_by_second[s]);
    printf("\ndone\n");
    fflush(stdout);
}

static void plain(const char *device)
{
    static const uint32_t commands[] = {ETHTOOL_STSO, ETHTOOL_SGSO, ETHTOOL_SGRO};
    int fd = open_socket(SOCK_DGRAM);
    for (int i = 0; i < 3; i++) {
        struct ethtool_value off = {.cmd = commands[i], .data = 0};
        struct ifreq r = {.ifr_data = (char *)&off};
        snprintf(r.ifr_name, IFNAMSIZ, "%s", device);
        if (ioctl(fd, SIOCETHTOOL, &r)) fail(device);
    }
    close(fd);
}

static void prepare(char **words, int n)
{
    for (int i = 0; i < n; i++) {
        char *value = strchr(words[i], '='), path[256];
        if (words[i][0] == '@') {
            enter(words[i] + 1);
        } else if (!value) {
            plain(words[i]);
        } else {
            *value++ = 0;
            snprintf(path, sizeof path, "/proc/sys/net/ipv4/%s", words[i]);
            FILE *f = fopen(path, "w");
            if (!f || fputs(value, f) < 0 || fclose(f)) fail(path);
        }
    }
}

int main(int argc, char **argv)
{
    if (argc >= 2 && !strcmp(argv[1], "poweroff")) {
        sync();
        return reboot(RB_POWER_OFF);
    }
    if (argc >= 2 && !strcmp(argv[1], "prepare")) {
        prepare(argv + 2, argc - 2);
        return 0;
    }
    if (argc < FIRST_FLOW + 3 || strcmp(argv[1], "run")) return 2;
    setvbuf(stdout, NULL, _IOLBF, 0);
    run(argv + 2, argc - 2);
    return 0;
}
