//! States of a subflow within its connection and every transition between them. Its TCP has a state of its own.

use core::fmt;

/// State of a subflow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SubflowState {
    /// MP_CAPABLE or MP_JOIN is under way.
    Handshaking,
    /// Part of the connection: it may carry data.
    Active,
    /// Released by the connection before its handshake was complete; its TCP still sends its FIN.
    DetachedHandshaking,
    /// Released by the connection; its TCP still sends what it has, then its FIN (Linux `__mptcp_close_ssk`).
    Detached,
    /// Over: another subflow may take its place.
    Over,
    /// Over before it began: its first segment had no route.
    Unrouted,
}

/// Events that move a subflow from state to state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SubflowTrigger {
    /// The handshake is complete: HMACs are verified, or it began the connection.
    Joined,
    /// The connection releases it.
    Detach,
    /// Its TCP is closed or reset.
    Closed,
    /// There is no route for its SYN.
    NoRoute,
}

impl SubflowState {
    /// The state after `trigger`; `None` where it does not apply.
    pub(crate) const fn next(self, trigger: SubflowTrigger) -> Option<Self> {
        use SubflowState as S;
        use SubflowTrigger as T;
        Some(match (self, trigger) {
            (S::Over | S::Unrouted, _) => return None,
            (S::Handshaking, T::Joined) => S::Active,
            (S::DetachedHandshaking, T::Joined) => S::Detached,
            (S::Handshaking, T::Detach) => S::DetachedHandshaking,
            (S::Active, T::Detach) => S::Detached,
            (_, T::Closed) => S::Over,
            (S::Handshaking, T::NoRoute) => S::Unrouted,
            _ => return None,
        })
    }

    /// Whether its handshake is complete, so that its segments carry a DSS.
    #[inline]
    pub(crate) const fn has_joined(self) -> bool {
        matches!(self, Self::Active | Self::Detached | Self::Over)
    }

    /// Whether it is part of the connection.
    #[inline]
    pub(crate) const fn is_attached(self) -> bool {
        matches!(self, Self::Handshaking | Self::Active)
    }

    /// Whether the connection has released it while its TCP lives.
    #[inline]
    pub(crate) const fn is_detached(self) -> bool {
        matches!(self, Self::DetachedHandshaking | Self::Detached)
    }

    /// Whether its place may be taken.
    #[inline]
    pub(crate) const fn is_over(self) -> bool {
        matches!(self, Self::Over | Self::Unrouted)
    }
}

impl fmt::Display for SubflowState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Handshaking => "HANDSHAKING",
            Self::Active => "ACTIVE",
            Self::DetachedHandshaking => "DETACHED-HANDSHAKING",
            Self::Detached => "DETACHED",
            Self::Over => "OVER",
            Self::Unrouted => "UNROUTED",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subflow_state_table() {
        use SubflowState as S;
        use SubflowTrigger as T;
        let mut drawn = String::new();
        for from in [S::Handshaking, S::Active, S::DetachedHandshaking, S::Detached, S::Over, S::Unrouted] {
            for trigger in [T::Joined, T::Detach, T::Closed, T::NoRoute] {
                let to = from.next(trigger).map_or("-".into(), |to| to.to_string());
                drawn += &format!("{from} --{trigger:?}--> {to}\n");
            }
        }
        let expected = "\
HANDSHAKING --Joined--> ACTIVE
HANDSHAKING --Detach--> DETACHED-HANDSHAKING
HANDSHAKING --Closed--> OVER
HANDSHAKING --NoRoute--> UNROUTED
ACTIVE --Joined--> -
ACTIVE --Detach--> DETACHED
ACTIVE --Closed--> OVER
ACTIVE --NoRoute--> -
DETACHED-HANDSHAKING --Joined--> DETACHED
DETACHED-HANDSHAKING --Detach--> -
DETACHED-HANDSHAKING --Closed--> OVER
DETACHED-HANDSHAKING --NoRoute--> -
DETACHED --Joined--> -
DETACHED --Detach--> -
DETACHED --Closed--> OVER
DETACHED --NoRoute--> -
OVER --Joined--> -
OVER --Detach--> -
OVER --Closed--> -
OVER --NoRoute--> -
UNROUTED --Joined--> -
UNROUTED --Detach--> -
UNROUTED --Closed--> -
UNROUTED --NoRoute--> -
";
        assert_eq!(drawn, expected);
    }
}
