//! Codes of errors and warnings: short names that stay, by which tools can match them and warnings can be allowed.

use crate::text::severity::Severity;

macro_rules! codes {
    ($($severity:ident { $($variant:ident = $name:literal: $about:literal,)+ })+) => {
        /// Code of a diagnostic. A line of the table below registers one; `docs/reference/diagnostics.md` lists them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Code {
            $($(#[doc = $about] $variant,)+)+
        }

        impl Code {
            /// All there are: errors, then warnings.
            pub const ALL: &'static [Self] = &[$($(Self::$variant,)+)+];

            /// Name, as in scenario files and messages.
            pub const fn name(self) -> &'static str {
                match self { $($(Self::$variant => $name,)+)+ }
            }

            /// Severity: error or warning.
            pub const fn severity(self) -> Severity {
                match self { $($(Self::$variant => Severity::$severity,)+)+ }
            }

            /// Meaning, in a sentence.
            pub const fn about(self) -> &'static str {
                match self { $($(Self::$variant => $about,)+)+ }
            }
        }
    };
}

codes! {
    Error {
        InvalidToml = "invalid-toml": "The text is not TOML.",
        DuplicateKey = "duplicate-key": "A key, or the header of a table, is written twice.",
        BadNumber = "bad-number": "A number is too large for 64 bits, or not finite.",
        BadPath = "bad-path": "A path of `--set` or of a sweep does not lead to a value that can be set.",
        UnknownPath = "unknown-path": "A path of `--set` or of a sweep names an element that does not exist.",
        UnknownKey = "unknown-key": "A table has no such key.",
        MisplacedKey = "misplaced-key": "A key stands in the wrong place: it belongs to another transport, kind or table.",
        MissingKey = "missing-key": "A key is missing that must be there.",
        WrongType = "wrong-type": "A value has the wrong type for its key, such as text where a list is needed.",
        EmptyList = "empty-list": "A list is empty that needs at least one entry.",
        BadValue = "bad-value": "A value does not fit its key: it cannot be read, or makes no sense there.",
        OutOfBounds = "out-of-bounds": "A value is smaller or larger than its key allows.",
        UnreadableFile = "unreadable-file": "A file that the scenario names cannot be read.",
        BadName = "bad-name": "A name is empty or has characters that are not allowed in names.",
        BadSelector = "bad-selector": "An expression that selects hosts, routers or links, such as `src[*]`, cannot be read.",
        UnknownKind = "unknown-kind": "There is no queue discipline, transport, application or other kind of that name.",
        UnknownForm = "unknown-form": "No queue discipline has a `form` of that name.",
        BadTcLine = "bad-tc-line": "A tc line cannot be read.",
        WrongTransport = "wrong-transport": "An application, a congestion control or a profile needs another transport protocol.",
        TooManySubflows = "too-many-subflows": "A path manager would open more subflows than the connection may have.",
        ContradictingTimes = "contradicting-times": "Times contradict one another, such as an end before its start.",
        ContradictingFaults = "contradicting-faults": "Two faults change the same property of a link at the same time, and neither lies within the other.",
        PacketTooLarge = "packet-too-large": "Payload and headers together are more than an IP packet can have.",
        DuplicateName = "duplicate-name": "Two hosts or routers, media, links, flows or attacks, windows, faults or captures have the same name.",
        AmbiguousName = "ambiguous-name": "A name belongs to a link and also to a host or router, so it is not clear which one is meant.",
        UnknownName = "unknown-name": "There is no host, router, link or medium of that name.",
        WrongMember = "wrong-member": "An expression such as `src[4]` selects a host, router or link that does not exist, or leaves open which one is meant.",
        WrongNode = "wrong-node": "A router stands where a host is needed, or a host where a router is.",
        SameEnds = "same-ends": "A link or a flow leads from a node to itself.",
        UnequalCounts = "unequal-counts": "Two lists do not match: senders and receivers, flows and their starts, or links and their addresses.",
        DuplicateAddress = "duplicate-address": "Two interfaces have the same address.",
        EmptyScenario = "empty-scenario": "The scenario has no hosts, links or flows, so nothing would happen.",
        NotConnected = "not-connected": "A host has no link.",
        NoRoute = "no-route": "There is no path of links from one host to another, or to a gateway.",
        TooManyAddresses = "too-many-addresses": "A host has more addresses than its path manager tells apart.",
        NoSuchInterface = "no-such-interface": "A path manager names an interface that a host does not have.",
        UnfitLoad = "unfit-load": "A `load` cannot be computed: the flows do not cross the link, do not share it equally, or the load is impossible.",
        UnfitPathManager = "unfit-path-manager": "The endpoints of a path manager do not fit the links of its hosts.",
        TooLarge = "too-large": "The scenario needs more memory than it may use, or has more of something than can be counted.",
        UnknownCode = "unknown-code": "`allow` names a code that does not exist.",
        AllowedError = "allowed-error": "`allow` names the code of an error; only warnings can be allowed.",
        MoreErrors = "more-errors": "There are more errors than are shown.",
    }
    Warning {
        UnusedRole = "unused-role": "A router has a `role` that no queue on its links can have.",
        UnusedLimit = "unused-limit": "`queue_limit` has no effect on a discipline without `limit`.",
        UnusedMedium = "unused-medium": "No link uses a medium.",
        UncoupledKernel = "uncoupled-kernel": "A flow has a coupled congestion control, but a Linux kernel at one of its ends, which has none.",
        LongRun = "long-run": "A run takes more than an hour, as far as its traffic can be told beforehand.",
        TcWord = "tc-word": "A word of a tc line is read, but may not mean what its writer thinks.",
        NewerToml = "newer-toml": "The file is TOML 1.1, which readers of TOML 1.0 refuse.",
        OwnClass = "own-class": "A class of one's own has an `__init__`, which is never called, or no method that the engine calls.",
        IgnoredKey = "ignored-key": "Both ends of a flow have Linux kernels, which do not obey a key of its `transport`.",
        OneSidedKey = "one-sided-key": "`tailrace twin` compares two configurations: only the simulated side, or only the kernels, obey a key.",
        UnusualRate = "unusual-rate": "A link's rate is so low or high that its unit may be wrong.",
        UnusualDelay = "unusual-delay": "A link's delay is so long that its unit may be wrong.",
        TinyLimit = "tiny-limit": "A queue holds less than two packets.",
        HugeLimit = "huge-limit": "A queue holds more than its link can send in ten seconds.",
        OtherForm = "other-form": "Flows behave as Linux, but a queue has another form of its discipline, which was not chosen explicitly.",
        AfterTheEnd = "after-the-end": "A flow starts after the end of the run.",
        EqualRuns = "equal-runs": "Nothing is random, so several runs are the same.",
        UnusedQueue = "unused-queue": "No flow crosses a link whose queue is given.",
        QueueStaysEmpty = "queue-stays-empty": "A queue is given for a link that is never full, so the queue stays empty.",
        SmallWindows = "small-windows": "The windows of TCP are too small to fill the slowest link of their path.",
        FewRoundTrips = "few-round-trips": "The statistics of the run, or of a window, cover less than twenty round trips.",
        AboveMtu = "above-mtu": "A link drops packets of a flow because they are larger than its MTU, or a kernel sends them in fragments.",
        SingleSubflow = "single-subflow": "A flow over Multipath TCP can never have a second subflow.",
        PhaseEffect = "phase-effect": "A strictly periodic flood can keep other flows out of a drop-tail queue.",
        RateTie = "rate-tie": "Strictly periodic sources offer a drop-tail link exactly its rate.",
        MissingCounterpart = "missing-counterpart": "A queue's `role` needs another queue on the path of a flow, which is missing.",
        LongLossBursts = "long-loss-bursts": "The bad state of a link's loss process outlasts the retransmission timeout of a flow.",
        OnlyLinkDown = "only-link-down": "A fault takes down every link of a host that a flow over Multipath TCP uses, and nothing joins again once they return.",
    }
}

impl Code {
    /// The code of that name.
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|code| code.name() == name)
    }

    /// Codes of warnings, which can be allowed.
    pub fn warnings() -> impl Iterator<Item = Self> {
        Self::ALL.iter().copied().filter(|code| code.severity() == Severity::Warning)
    }
}
