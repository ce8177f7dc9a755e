//! Activity of flows and connections at the end of a run: what each was doing, or what it waited for.

/// Declares the activities: `Variant "word" = "meaning";`, first those of flows that do what they should, then those that explain a
/// silence.
macro_rules! activities {
    ( at_work { $( $well:ident $well_word:literal = $well_means:literal; )+ } silent { $( $ill:ident $ill_word:literal = $ill_means:literal; )+ } ) => {
        /// Activity at the end of a run. Where several connections wait, the last of the order counts.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub(crate) enum Activity { $( #[doc = $well_means] $well, )+ $( #[doc = $ill_means] $ill, )+ }

        impl Activity {
            /// Activities that explain a silence.
            pub(crate) const REASONS: &'static [Self] = &[ $( Self::$ill, )+ ];

            /// Word in the results.
            pub(crate) const fn word(self) -> &'static str {
                match self { $( Self::$well => $well_word, )+ $( Self::$ill => $ill_word, )+ }
            }

            /// Whether it explains a silence.
            pub(crate) const fn is_reason(self) -> bool {
                match self { $( Self::$well => false, )+ $( Self::$ill => true, )+ }
            }
        }

        /// Meaning of the column `activity` of flows.
        pub(crate) const OF_FLOWS: &str = concat!(
            "What the flow was doing at the end, or what it waited for:",
            $( " `", $well_word, "` (", $well_means, "),", )+ $( " `", $ill_word, "` (", $ill_means, "),", )+
            " see [silent flows](#silent-flows)."
        );
    };
}

activities! {
    at_work {
        NotStarted "not_started" = "it starts later";
        ApplicationWaits "application_waits" = "its application had nothing to send";
        TransfersOver "transfers_over" = "every transfer asked for is complete or has failed";
        Stopped "stopped" = "its `stop` has come";
        Delivering "delivering" = "data arrived in the last third of its time";
        InFlight "in_flight" = "data was on its way, and no timer has expired for it";
    }
    silent {
        ForeignStack "foreign_stack" = "the stack of a host that is not simulated does not say";
        Lost "lost" = "its datagrams were lost";
        PeerWindow "peer_window" = "the receive window of the other end is closed";
        Handshake "handshake" = "nobody answers the handshake";
        Retransmitting "retransmitting" = "no acknowledgment since a retransmission timeout";
        Closing "closing" = "all data has arrived, and its application waits in vain for the end of the connection";
        Broken "broken" = "its connection broke, as `broken` says";
        NoSubflow "no_subflow" = "its connection of Multipath TCP has no subflow";
        NoRoute "no_route" = "no route leads to the other host";
        LinkDown "link_down" = "a link of every path that it uses is down";
        Unexplained "unexplained" = "no reason is known, which is an error of the simulator";
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn activities_have_a_word_each_and_the_meanings_name_them() {
        for activity in Activity::REASONS {
            let named = format!("`{}` (", activity.word());
            assert!(activity.is_reason() && OF_FLOWS.contains(&named), "{named}");
        }
        assert!(!Activity::InFlight.is_reason() && OF_FLOWS.contains("`in_flight` ("));
        assert!(Activity::InFlight < Activity::Lost, "a reason stands above what is none");
    }
}
