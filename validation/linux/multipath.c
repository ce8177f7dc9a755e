/* One bulk transfer over Multipath TCP inside the reference kernel, and what it shows of it.
 *
 *   multipath run DURATION CLIENT SERVER ADDRESS RECEIVE_BUFFER SEND_BUFFER
 *   multipath poweroff
 *
 * A connection from the network namespace CLIENT to ADDRESS in SERVER. A buffer that is not 0 is set with SO_RCVBUF or
 * SO_SNDBUF. Prints, between "begin" and "done", five times a second "tick TIME received BYTES DEVICE BYTES ...": what the
 * receiving application has got, and what each device of the client whose name begins with c has sent; beside it "memory":
 * the buffer and what it holds, of the receiver and of the sender; at the end "silence SECONDS", the longest time in which
 * the receiving application got nothing after its first byte, and the counters of TCP and Multipath TCP that are not zero. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/reboot.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>
#ifndef SO_MEMINFO
#define SO_MEMINFO 55
#endif
#ifndef IPPROTO_MPTCP
#define IPPROTO_MPTCP 262
#endif

enum { PORT = 5001, CHUNK = 65536 };
static char buffer[CHUNK];
static int epoll_fd;

static void fail(const char *what)
{
    printf("error %s: %s\n", what, strerror(errno));
    fflush(stdout);
    reboot(RB_POWER_OFF);
    exit(1);
}

static void enter(const char *ns)
{
    char path[256];
    snprintf(path, sizeof path, "/run/netns/%s", ns);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || setns(fd, CLONE_NEWNET)) fail(path);
    close(fd);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void watch(int fd, uint32_t events)
{
    struct epoll_event e = {.events = events, .data.fd = fd};
    if (epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &e)) fail("epoll_ctl");
}

static int open_socket(void)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_MPTCP);
    if (fd < 0) fail("a socket of MPTCP");
    return fd;
}

static void print_devices(void)
{
    char line[512], name[32];
    unsigned long long sent;
    FILE *f = fopen("/proc/self/net/dev", "r");
    if (!f) fail("/proc/self/net/dev");
    while (fgets(line, sizeof line, f))
        if (sscanf(line, " %31[^:]: %*u %*u %*u %*u %*u %*u %*u %*u %llu", name, &sent) == 2 && name[0] == 'c')
            printf(" %s %llu", name, sent);
    fclose(f);
}

static void set_buffer(int fd, int option, int bytes)
{
    if (bytes && setsockopt(fd, SOL_SOCKET, option, &bytes, sizeof bytes)) fail("setsockopt");
}

static void print_memory(int receiver, int sender)
{
    uint32_t in[SK_MEMINFO_VARS] = {0}, out[SK_MEMINFO_VARS] = {0};
    socklen_t in_size = sizeof in, out_size = sizeof out;
    if (receiver >= 0) getsockopt(receiver, SOL_SOCKET, SO_MEMINFO, in, &in_size);
    getsockopt(sender, SOL_SOCKET, SO_MEMINFO, out, &out_size);
    printf(" memory %u %u %u %u\n", in[SK_MEMINFO_RCVBUF], in[SK_MEMINFO_RMEM_ALLOC], out[SK_MEMINFO_SNDBUF],
           out[SK_MEMINFO_WMEM_QUEUED]);
}

static void print_counters(const char *ns, const char *path)
{
    static char names[16384], values[16384];
    enter(ns);
    FILE *f = fopen(path, "r");
    if (!f) fail(path);
    while (fgets(names, sizeof names, f) && fgets(values, sizeof values, f)) {
        char *a, *b, *name = strtok_r(names, " \n", &a), *value = strtok_r(values, " \n", &b);
        while ((name = strtok_r(NULL, " \n", &a)) && (value = strtok_r(NULL, " \n", &b)))
            if (strcmp(value, "0")) printf("counter %s %s %s\n", ns, name, value);
    }
    fclose(f);
}

static void run(double duration, const char *client, const char *server, const char *to, const int buffers[2])
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(PORT)};
    if (inet_pton(AF_INET, to, &a.sin_addr) != 1) fail(to);
    epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    enter(server);
    int listener = open_socket();
    set_buffer(listener, SO_RCVBUF, buffers[0]);
    if (bind(listener, (struct sockaddr *)&a, sizeof a) || listen(listener, 64)) fail("listen");
    enter(client);
    int sender = open_socket(), receiver = -1, timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
    set_buffer(sender, SO_SNDBUF, buffers[1]);
    if (connect(sender, (struct sockaddr *)&a, sizeof a) && errno != EINPROGRESS) fail("connect");
    struct itimerspec often = {.it_interval = {0, 200000000}, .it_value = {0, 200000000}};
    if (timerfd_settime(timer, 0, &often, NULL)) fail("timerfd_settime");
    watch(sender, EPOLLOUT);
    watch(listener, EPOLLIN);
    watch(timer, EPOLLIN);
    uint64_t received = 0, expired;
    double start = now(), heard = 0, silence = 0;
    printf("begin\n");
    while (now() < start + duration) {
        struct epoll_event events[8];
        int ready = epoll_wait(epoll_fd, events, 8, -1);
        for (int i = 0; i < ready; i++) {
            int fd = events[i].data.fd;
            if (fd == timer && read(timer, &expired, sizeof expired) > 0) {
                printf("tick %.3f received %llu", now() - start, (unsigned long long)received);
                print_devices();
                print_memory(receiver, sender);
            } else if (fd == listener) {
                receiver = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
                if (receiver >= 0) watch(receiver, EPOLLIN);
            } else if (fd == receiver) {
                ssize_t n = recv(receiver, buffer, CHUNK, MSG_DONTWAIT);
                if (n == 0) fail("the connection has ended");
                if (n > 0) {
                    if (received && now() - heard > silence) silence = now() - heard;
                    heard = now();
                    received += (uint64_t)n;
                }
            } else if (fd == sender) {
                /* A bulk sender fills the buffer: it writes until there is no room, and waits then. */
                while (send(sender, buffer, CHUNK, MSG_NOSIGNAL | MSG_DONTWAIT) > 0);
                if (errno != EAGAIN) fail("send");
            }
        }
    }
    if (received && now() - heard > silence) silence = now() - heard;
    printf("silence %.3f\n", silence);
    print_counters(server, "/proc/self/net/netstat");
    print_counters(client, "/proc/self/net/netstat");
    print_counters(client, "/proc/self/net/snmp");
    printf("done\n");
    fflush(stdout);
}

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (argc == 2 && !strcmp(argv[1], "poweroff")) {
        sync();
        return reboot(RB_POWER_OFF);
    }
    if (argc != 8 || strcmp(argv[1], "run")) return 2;
    run(atof(argv[2]), argv[3], argv[4], argv[5], (int[]){atoi(argv[6]), atoi(argv[7])});
    return 0;
}
