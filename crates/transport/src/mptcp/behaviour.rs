//! Behaviour of Multipath TCP implementations where RFC 8684 leaves a choice.

use tailrace_core::{Bytes, Duration, choices, parameters};

choices! {
    /// When nothing was acknowledged at the data level for too long, and what is done about it.
    pub enum DataTimer {
        /// Twice the largest timeout of a subflow, doubled each time; the oldest bytes are sent wherever the
        /// scheduler decides.
        Doubled = "doubled",
        /// When the retransmission timers of all subflows that are not silent have expired, never doubled; the oldest
        /// bytes go onto a subflow with nothing on its way, or wait for one.
        Subflows = "subflows",
    }
}

choices! {
    /// Size of a connection's send buffer that counts memory and was not set.
    pub enum SendBufferOf {
        /// The size of the largest send buffer of its subflows.
        Largest = "largest",
        /// The sum of the send buffers of its subflows.
        Sum = "sum",
    }
}

choices! {
    /// Amount of data that one choice of a scheduler that fills queues hands out.
    pub enum HandsOut {
        /// The rest of a burst, packet by packet, as long as the subflow's send buffer has room.
        Packets = "packets",
        /// Whole fragments as they lie in the send buffer; each time that bytes are handed out begins with a choice.
        Fragments = "fragments",
    }
}

choices! {
    /// On which subflow an ACK goes out for what has to be said of addresses.
    pub enum Speaker {
        /// The one with the shortest round-trip time.
        Fastest = "fastest",
        /// The first one, usually the oldest. No other packet carries an ADD_ADDR, and an ACK with one has no DSS, as in Linux.
        First = "first",
    }
}

choices! {
    /// Time for which the echo of an ADD_ADDR is waited for.
    pub enum EchoWait {
        /// The largest timeout of a subflow, doubled with each repetition, up to `add_addr_timeout`.
        Rto = "rto",
        /// `add_addr_timeout` each time.
        Timeout = "timeout",
    }
}

parameters! {
    /// Behaviour of a Multipath TCP implementation. A profile is a value of it; single parameters can be overridden.
    pub struct MptcpBehaviour = RFC {
        /// Whether data-level acknowledgments take 8 bytes on the wire instead of 4.
        wide_data_ack: bool = false, "RFC 8684 §3.3.1";
        /// Whether data-level acknowledgments take 8 bytes once the other end's data sequence numbers do.
        answer_wide_dsn: bool = false, "RFC 8684 §3.3.1; Linux use_64bit_ack";
        /// Whether data sequence numbers take 8 bytes on the wire instead of 4.
        wide_dsn: bool = false, "RFC 8684 §3.3.1";
        /// Whether buffers are counted as memory, as in a kernel, instead of bytes of data. What waits at the
        /// receiver then reduces the window by the memory of its packets. A buffer that you set is doubled and half
        /// of it advertised; one that you do not set grows with what goes through it. The send buffer counts memory
        /// only if the scheduler fills queues.
        counts_memory: bool = false, "bytes; Linux __mptcp_space, mptcp_rcv_space_adjust, mptcp_propagate_sndbuf";
        /// With `counts_memory`: how large the send buffer of the connection is. Bytes beyond the windows of the
        /// subflows wait in the subflows' queues, and arrive out of order if one of them falls silent.
        send_buffer_of: SendBufferOf = SendBufferOf::Largest, "Linux 6.1 mptcp_propagate_sndbuf; linux_6_12: sum, __mptcp_sync_sndbuf";
        /// With a scheduler that fills queues: how much one of its choices is good for.
        hands_out: HandsOut = HandsOut::Fragments, "Linux 6.12 __subflow_push_pending; linux_6_1: packets, mptcp_subflow_get_send";
        /// With `counts_memory`: the largest first window that a receiver advertises; it grows with the segments that
        /// arrive. `"auto"` is the window of the whole buffer; if that is large, all waiting data goes to the first
        /// subflow.
        first_window: Option<Bytes> = Some(Bytes(65_535)), "Linux 6.1 tcp_select_initial_window; linux_6_12: auto", in "1 kB"..="1000000 GB": "a window that takes no segment never grows | no buffer is larger";
        /// With `counts_memory`: which share of a receiver's memory is advertised as window. If it is too large,
        /// waiting packets overflow the memory. `"auto"` is half of it, and a buffer that grows has whole segments.
        window_share: Option<f64> = None, "Linux 6.1 tcp_adv_win_scale; linux_6_12: 167/256, scaling_ratio as it was measured", in 0.01..=1.0: "so small a share leaves no window | it is a share of a whole";
        /// With `counts_memory`: whether an ACK of data that the application can read leaves only once it has, if nothing hurries that ACK and
        /// the window before reading is smaller than the last one.
        acks_after_reading: bool = false, "Linux 6.1: sk_rcvlowat of a subflow is 1; linux_6_12: 0, mptcp_sockopt_sync_locked, __tcp_ack_snd_check";
        /// With `counts_memory`: whether the end that a connection comes to counts the round trips by which its receive buffer grows from the
        /// application's first read on, instead of from the connection's beginning.
        sizes_from_first_read: bool = false, "Linux 6.12 mptcp_stamp; linux_6_1: on, mptcp_rcv_space_init with a tcp_mstamp of zero";
        /// Whether the window of a subflow stays as it was if an ACK that is no news to that subflow shows a smaller one.
        /// With the data that the same ACK acknowledges, the sender then goes beyond the window that its peer
        /// advertised, and the peer may discard what arrives there.
        keeps_larger_window: bool = false, "not in RFC 8684; Linux tcp_may_update_window, ack_update_msk";
        /// Number of SYNs that ask for Multipath TCP (MP_CAPABLE) before the connection falls back to plain TCP.
        capable_syns: u64 = 3, "Linux syn_retrans_before_tcp_fallback: 2 retransmissions; mptcp_0_94: mptcp_syn_retries 3", in 1..=1000: "at least one SYN asks for Multipath TCP; with none, use transport kind = \"tcp\" | nobody repeats a SYN as often";
        /// Number of retransmissions of the SYN of a further subflow (MP_JOIN), and at the other end of its SYN-ACK, before that
        /// subflow is given up.
        join_syn_retries: u64 = 3, "multipath-tcp/mptcp, mptcp_syn_retries; linux: tcp_syn_retries 6", in 0..=1000: "it is not negative | each one takes computing time";
        /// Whether data that a subflow holds when its timer expires is also given to other subflows.
        reinject_on_timeout: bool = true, "multipath-tcp/mptcp; RFC 8684 §3.3.6";
        /// Whether a subflow whose timer has expired gets no new data until something arrives on it.
        avoid_failed: bool = true, "multipath-tcp/mptcp (pf)";
        /// When data is sent again because nothing was acknowledged at the data level for too long, and on which
        /// subflow.
        data_timer: DataTimer = DataTimer::Doubled, "multipath-tcp/mptcp, mptcp_set_rto; linux: mptcp_set_timeout, __mptcp_retrans";
        /// With `data_timer = "subflows"`: how long the fragments are in which the send queue keeps the stream. When the
        /// timer expires, the rest of the oldest fragment is sent again, in whole segments. Where queues are filled and
        /// count as memory, fragments are as the application has written them instead.
        data_rtx_bytes: Bytes = Bytes(1), "one segment; linux: a page fragment of 32 KiB without its head, 32728 B", in "1 B"..="1 GB": "at least a byte is sent | so much is sent at once";
        /// The shortest timeout of the data level.
        min_data_rto: Duration = Duration::from_millis(200), "Linux TCP_RTO_MIN", in "100 us"..="1000 h": "each timeout takes computing time | no run waits that long";
        /// After more timeouts of the data level than this without a sign of life, a subflow counts as stale if
        /// another one is better off: it is not used until something arrives on it. 0 is never.
        stale_loss_cnt: u64 = 0, "off; Linux stale_loss_cnt: 4";
        /// Whether all data that is not acknowledged at the data level is sent again because a subflow is stale or lost. If false,
        /// only the data that this subflow held.
        reinject_all: bool = false, "Linux, __mptcp_retransmit_pending_data";
        /// Whether the subflows of an address that is gone are closed in order, and those on which the other end sends a FIN: each still sends
        /// what it holds, then its own FIN, and takes up capacity with that if the address returns, though others have sent the same
        /// data by then. If false, they are reset.
        closes_in_order: bool = false, "RFC 8684 §3.4.2 leaves it open; Linux __mptcp_close_ssk";
        /// With `closes_in_order`: whether data is still taken that comes on the connection's first subflow after its address is gone. If
        /// false, it is acknowledged there and thrown away; what no other subflow brings is missing until the other end has found that out.
        takes_after_close: bool = true, "linux_6_12: false, mptcp_data_ready";
        /// On which usable subflow an ACK with news of addresses is sent, if no other packet can carry it. If several
        /// paths fail at once, REMOVE_ADDR may be lost on one of them.
        speaker: Speaker = Speaker::Fastest, "not in RFC 8684; linux: first, mptcp_pm_nl_addr_send_ack";
        /// Number of repetitions of an ADD_ADDR that is not echoed. `"auto"` repeats it until it is echoed.
        add_addr_retries: Option<u64> = None, "RFC 8684 §3.4.1; Linux ADD_ADDR_RETRANS_MAX: 3; mptcp_0_94: 0";
        /// Time for which that echo is waited for. A short wait repeats an ADD_ADDR that is only delayed in a queue.
        add_addr_wait: EchoWait = EchoWait::Rto, "RFC 8684 §3.4.1 leaves it open; Linux 6.1 and 6.12: timeout, mptcp_pm_add_timer";
        /// The longest wait.
        add_addr_timeout: Duration = Duration::from_secs(120), "Linux add_addr_timeout", in "1 ms"..="1000 h": "each repetition takes computing time | no run waits that long";
        /// Whether a received ADD_ADDR is echoed.
        add_addr_echo: bool = true, "RFC 8684 §3.4.1; not in RFC 6824, which mptcp_0_94 speaks";
        /// Whether an address that comes back after it was withdrawn gets a new id.
        new_address_ids: bool = false, "off; multipath-tcp/mptcp, mptcp_fullmesh.c: the next free slot";
        /// For how long a connection that has lost all its subflows waits for a new one.
        close_timeout: Duration = Duration::from_secs(60), "Linux close_timeout", in "0 s"..="1000 h": "closed sockets are kept for so long";
    }
}
