//! Codes of errors and warnings: short names that stay, by which tools can match them and warnings can be allowed.

use crate::text::severity::Severity;

macro_rules! codes {
    ($($severity:ident { $($variant:ident = $name:literal: $about:literal,)+ })+) => {
        /// What a diagnostic is about. A line of the table below registers one; `docs/diagnostics.md` lists them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Code {
            $($(#[doc = $about] $variant,)+)+
        }

        impl Code {
            /// All there are: errors, then warnings.
            pub const ALL: &'static [Self] = &[$($(Self::$variant,)+)+];

            /// As it is written.
            pub const fn name(self) -> &'static str {
                match self { $($(Self::$variant => $name,)+)+ }
            }

            /// How bad it is.
            pub const fn severity(self) -> Severity {
                match self { $($(Self::$variant => Severity::$severity,)+)+ }
            }

            /// What it is about, in a sentence.
            pub const fn about(self) -> &'static str {
                match self { $($(Self::$variant => $about,)+)+ }
            }
        }
    };
}

codes! {
    Error {
        InvalidToml = "invalid-toml": "The text is not TOML.",
        DuplicateKey = "duplicate-key": "A key, or the header of a table, is there twice.",
        BadNumber = "bad-number": "A number is too large for 64 bits, or not finite.",
        BadPath = "bad-path": "A path of `--set` or of a sweep does not lead to a value that can be set.",
        UnknownPath = "unknown-path": "A path of `--set` or of a sweep names an element that does not exist.",
        UnknownKey = "unknown-key": "A table has no such key.",
        MisplacedKey = "misplaced-key": "A key belongs elsewhere: to another transport, policy or kind.",
        MissingKey = "missing-key": "A key that must be there is not.",
        WrongType = "wrong-type": "A value is of another type than its key takes: a table, a list, text.",
        EmptyList = "empty-list": "A list has nothing in it where something is needed.",
        BadValue = "bad-value": "A value cannot be read as what its key takes, or makes no sense there.",
        OutOfBounds = "out-of-bounds": "A value lies beyond the bounds of its key.",
        UnreadableFile = "unreadable-file": "A file that the scenario names cannot be read.",
        BadName = "bad-name": "A name is empty or holds characters that names cannot have.",
        BadSelector = "bad-selector": "A selector of hosts, routers or links cannot be read.",
        UnknownKind = "unknown-kind": "There is no such kind: no queue discipline, transport, application or policy of that name.",
        UnknownForm = "unknown-form": "No queue discipline has a form of that name.",
        BadTcLine = "bad-tc-line": "A line in the words of tc cannot be read.",
        WrongTransport = "wrong-transport": "An application, a congestion control or a profile needs another transport.",
        TooManySubflows = "too-many-subflows": "A path manager would open more subflows than the connection may have.",
        ContradictingTimes = "contradicting-times": "Times contradict one another: an end before its start, steps that do not ascend.",
        ContradictingFaults = "contradicting-faults": "Faults that change the same of a link overlap, and neither lies within the other.",
        PacketTooLarge = "packet-too-large": "Payload and headers make more than an IP packet can be.",
        DuplicateName = "duplicate-name": "Two hosts or routers, media, links, flows or attacks, windows, faults or captures have the same name.",
        AmbiguousName = "ambiguous-name": "A name is that of a link and also of a host or router.",
        UnknownName = "unknown-name": "There is no host, router, link or medium of that name.",
        WrongMember = "wrong-member": "A selector picks members that there are not, or leaves open which one is meant.",
        WrongNode = "wrong-node": "A router stands where a host is needed, or a host where a router is.",
        SameEnds = "same-ends": "A link or a flow leads from a node to itself.",
        UnequalCounts = "unequal-counts": "Two sides, flows and their starts, or links and their addresses, cannot be paired.",
        DuplicateAddress = "duplicate-address": "Two interfaces have the same address.",
        EmptyScenario = "empty-scenario": "There are no hosts, links or flows: nothing would happen.",
        NotConnected = "not-connected": "A host has no link.",
        NoRoute = "no-route": "No links lead from one host to another, or to a gateway.",
        TooManyAddresses = "too-many-addresses": "A host has more addresses than its path manager tells apart.",
        NoSuchInterface = "no-such-interface": "A path manager names an interface that a host does not have.",
        UnfitLoad = "unfit-load": "A load is asked of a link that the flows do not cross, or that they do not share alike, or it comes to what cannot be.",
        UnfitPathManager = "unfit-path-manager": "A path manager's endpoints do not fit the links of its hosts.",
        TooLarge = "too-large": "The scenario needs more memory than may be used, or has more of something than can be counted.",
        UnknownCode = "unknown-code": "`allow` names a code that does not exist.",
        AllowedError = "allowed-error": "`allow` names the code of an error; only warnings can be allowed.",
        MoreErrors = "more-errors": "There are more errors than are shown.",
    }
    Warning {
        UnusedRole = "unused-role": "A router has a role that no queue behind it can have.",
        UnusedLimit = "unused-limit": "`queue_limit` says nothing to a discipline without `limit`.",
        UnusedMedium = "unused-medium": "No link shares a medium.",
        UncoupledKernel = "uncoupled-kernel": "A flow has a coupled congestion control, and a kernel at one of its ends, which has none.",
        UnusualRate = "unusual-rate": "A link's rate is so low or high that its unit may be a slip.",
        UnusualDelay = "unusual-delay": "A link's delay is so long that its unit may be a slip.",
        TinyLimit = "tiny-limit": "A queue holds less than two packets.",
        HugeLimit = "huge-limit": "A queue holds more than ten seconds of its link's rate.",
        OtherForm = "other-form": "Flows are Linux's, but a queue has another form of its discipline, which nobody chose.",
        AfterTheEnd = "after-the-end": "A flow starts when the run is over.",
        EqualRuns = "equal-runs": "Nothing is random, so several runs are the same.",
        UnusedQueue = "unused-queue": "No flow crosses a link whose queue is given.",
        QueueStaysEmpty = "queue-stays-empty": "A queue is given, but its link is not a bottleneck.",
        SmallWindows = "small-windows": "Windows of TCP cannot fill the slowest link of their path.",
        FewRoundTrips = "few-round-trips": "Statistics, or those of a window, cover less than twenty round trips.",
        AboveMtu = "above-mtu": "A link drops packets of a flow for their size.",
        SingleSubflow = "single-subflow": "Multipath TCP can never have a second subflow.",
        PhaseEffect = "phase-effect": "A strictly periodic flood can lock other flows out of a drop-tail queue.",
        RateTie = "rate-tie": "Strictly periodic sources offer a drop-tail link exactly its rate.",
        MissingCounterpart = "missing-counterpart": "A queue's role needs another one on the path of a flow.",
        OnlyLinkDown = "only-link-down": "A fault takes the only link of a host under flows of Multipath TCP.",
    }
}

impl Code {
    /// The code of that name.
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|code| code.name() == name)
    }

    /// Those that can be allowed.
    pub fn warnings() -> impl Iterator<Item = Self> {
        Self::ALL.iter().copied().filter(|code| code.severity() == Severity::Warning)
    }
}
