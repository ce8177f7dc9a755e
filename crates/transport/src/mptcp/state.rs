//! States of a connection and every transition between them (RFC 8684 §3.1, §3.5, §3.7).

use core::fmt;

/// State of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ConnectionState {
    /// The MP_CAPABLE handshake is under way.
    Opening,
    /// Both keys are known, but the peer has not shown yet that it got this end's MP_CAPABLE.
    Established,
    /// Fully established (RFC 8684 §3.1): the peer uses MPTCP, so further subflows may join.
    FullyEstablished,
    /// Plain TCP on the one subflow.
    Fallback,
    /// Over: both directions are done, or the connection was reset.
    Closed,
    /// Aborted by this end: every subflow carries MP_FASTCLOSE.
    FastClosed,
}

/// Events that move a connection from state to state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trigger {
    /// The keys of both ends are known.
    KeysExchanged,
    /// A DATA_ACK, or another option that only a peer with both keys sends.
    Confirmed,
    /// Options do not get through, or an infinite mapping was sent or received.
    FallBack,
    /// The last subflow is over after both directions were.
    Finished,
    /// All subflows are lost, the peer sent MP_FASTCLOSE, or a timer gave up.
    Reset,
    /// The application aborts.
    Abort,
}

impl ConnectionState {
    /// The state after `trigger`; `None` where it does not apply.
    pub(super) const fn next(self, trigger: Trigger) -> Option<Self> {
        use ConnectionState as S;
        use Trigger as T;
        Some(match (self, trigger) {
            (S::Closed | S::FastClosed, _) => return None,
            (S::Opening, T::KeysExchanged) => S::Established,
            (S::Established, T::Confirmed) => S::FullyEstablished,
            (S::Opening | S::Established | S::FullyEstablished, T::FallBack) => S::Fallback,
            (_, T::Finished | T::Reset) => S::Closed,
            (_, T::Abort) => S::FastClosed,
            _ => return None,
        })
    }

    /// Whether segments carry MPTCP options: both keys are known.
    #[inline]
    pub(super) const fn is_established(self) -> bool {
        matches!(self, Self::Established | Self::FullyEstablished)
    }

    /// Whether data may be sent.
    #[inline]
    pub(super) const fn carries_data(self) -> bool {
        matches!(self, Self::Established | Self::FullyEstablished | Self::Fallback)
    }

    /// Whether the connection is over.
    #[inline]
    pub(super) const fn is_closed(self) -> bool {
        matches!(self, Self::Closed | Self::FastClosed)
    }
}

impl fmt::Display for ConnectionState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Opening => "OPENING",
            Self::Established => "ESTABLISHED",
            Self::FullyEstablished => "FULLY-ESTABLISHED",
            Self::Fallback => "FALLBACK",
            Self::Closed => "CLOSED",
            Self::FastClosed => "FAST-CLOSED",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATES: [ConnectionState; 6] = [
        ConnectionState::Opening,
        ConnectionState::Established,
        ConnectionState::FullyEstablished,
        ConnectionState::Fallback,
        ConnectionState::Closed,
        ConnectionState::FastClosed,
    ];
    const TRIGGERS: [Trigger; 6] = [
        Trigger::KeysExchanged,
        Trigger::Confirmed,
        Trigger::FallBack,
        Trigger::Finished,
        Trigger::Reset,
        Trigger::Abort,
    ];

    #[test]
    fn connection_state_table_matches_rfc_8684() {
        let mut drawn = String::new();
        for from in STATES {
            for trigger in TRIGGERS {
                let to = from.next(trigger).map_or("-".into(), |to| to.to_string());
                drawn += &format!("{from} --{trigger:?}--> {to}\n");
            }
        }
        let expected = "\
OPENING --KeysExchanged--> ESTABLISHED
OPENING --Confirmed--> -
OPENING --FallBack--> FALLBACK
OPENING --Finished--> CLOSED
OPENING --Reset--> CLOSED
OPENING --Abort--> FAST-CLOSED
ESTABLISHED --KeysExchanged--> -
ESTABLISHED --Confirmed--> FULLY-ESTABLISHED
ESTABLISHED --FallBack--> FALLBACK
ESTABLISHED --Finished--> CLOSED
ESTABLISHED --Reset--> CLOSED
ESTABLISHED --Abort--> FAST-CLOSED
FULLY-ESTABLISHED --KeysExchanged--> -
FULLY-ESTABLISHED --Confirmed--> -
FULLY-ESTABLISHED --FallBack--> FALLBACK
FULLY-ESTABLISHED --Finished--> CLOSED
FULLY-ESTABLISHED --Reset--> CLOSED
FULLY-ESTABLISHED --Abort--> FAST-CLOSED
FALLBACK --KeysExchanged--> -
FALLBACK --Confirmed--> -
FALLBACK --FallBack--> -
FALLBACK --Finished--> CLOSED
FALLBACK --Reset--> CLOSED
FALLBACK --Abort--> FAST-CLOSED
CLOSED --KeysExchanged--> -
CLOSED --Confirmed--> -
CLOSED --FallBack--> -
CLOSED --Finished--> -
CLOSED --Reset--> -
CLOSED --Abort--> -
FAST-CLOSED --KeysExchanged--> -
FAST-CLOSED --Confirmed--> -
FAST-CLOSED --FallBack--> -
FAST-CLOSED --Finished--> -
FAST-CLOSED --Reset--> -
FAST-CLOSED --Abort--> -
";
        assert_eq!(drawn, expected);
    }
}
