//! A receiver that takes data out of its socket slower than it comes: the receive buffer fills, its window closes, and the sender
//! waits for it to open (RFC 9293 §3.8.6). Printers, players that are paused, and the attack "slow read" do that.

use crate::application::{AppContext, Application, ConnectionData, EndpointRole};
use crate::bounds::{RATES, SIZES};
use crate::direction::Direction;
use crate::registry::{AppKind, KeyConflict, RequiredTransport, TransferCount};
use tailrace_core::{Bytes, Duration, Rate, SizeDist};

tailrace_core::parameters! {
    /// Keys of `slow_reader`.
    pub struct SlowReaderConfig {
        /// The rate at which the receiving application reads arrived data.
        rate: Rate, required, within RATES;
        /// The bytes that the application reads at a time. A larger chunk keeps the receive window closed for longer in
        /// between.
        chunk: Bytes = Bytes(4096), "own choice: a page", within SIZES;
        /// The size of the transfer; a size or a distribution. `"auto"`: as much as gets through until `stop`.
        size: Option<SizeDist> = None, "own choice", within SIZES;
        /// In which direction data flows: `up` from the client to the server, or `down` from the server to the
        /// client. The client (`from`) opens the connections.
        direction: Direction = Direction::Down, "own choice";
    }
}

/// Reads closer than this would keep the clock from advancing.
const LEAST_GAP: Duration = Duration::from_micros(1);

impl AppKind for SlowReaderConfig {
    const SUMMARY: &'static str =
        "A transfer whose receiving application reads slowly, so that the receive window closes.";
    const TRANSPORT: RequiredTransport = RequiredTransport::Streams;
    type App = SlowReader;

    fn build(&self) -> SlowReader {
        SlowReader { config: self.clone(), is_open: false }
    }
    fn validate(&self) -> Result<(), KeyConflict> {
        // Where no rate is stated, that is the error.
        if self.rate.as_bps() > 0 && self.rate.time_to_send(self.chunk) < LEAST_GAP {
            let why = format!(
                "it would be taken more often than every {LEAST_GAP}: more at a time, or a lower rate"
            );
            return Err(KeyConflict::OutOfRange("chunk", why));
        }
        Ok(())
    }
    fn sender(&self) -> EndpointRole {
        self.direction.sender()
    }
    fn reader(&self) -> Option<EndpointRole> {
        Some(self.direction.sender().other())
    }
    fn transfers(&self) -> TransferCount {
        if self.size.is_some() { TransferCount::Count(1) } else { TransferCount::None }
    }
    fn has_varied_transfers(&self) -> bool {
        self.size.as_ref().is_some_and(|size| !size.is_constant())
    }
    fn is_random(&self) -> bool {
        self.has_varied_transfers()
    }
}

/// The running application.
#[derive(Debug)]
pub struct SlowReader {
    config: SlowReaderConfig,
    is_open: bool,
}

impl Application for SlowReader {
    fn on_wake(&mut self, cx: &mut AppContext<'_>) {
        cx.wake_at(cx.now().saturating_add(self.config.rate.time_to_send(self.config.chunk)));
        let sender = self.config.sender();
        if std::mem::replace(&mut self.is_open, true) {
            return cx.read(sender.other(), self.config.chunk.get());
        }
        let data = match &self.config.size {
            Some(size) => ConnectionData::Last(size.draw(cx.rng()).get()),
            None => ConnectionData::Endless,
        };
        cx.open_from(sender, data);
    }

    fn on_message(&mut self, _at: EndpointRole, cx: &mut AppContext<'_>) {
        cx.complete();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::application::{AppAction, AppActions};
    use tailrace_core::{Instant, Rng};

    #[test]
    fn it_reads_a_chunk_as_often_as_makes_the_rate() {
        let config = SlowReaderConfig { rate: Rate::from_bps(32_768), ..Default::default() };
        let (mut app, mut rng) = (config.build(), Rng::new(1));
        let mut wakes = |ms| {
            let mut actions = AppActions::default();
            app.on_wake(&mut AppContext::new(Instant::from_millis(ms), &mut rng, &mut actions));
            (actions.wake(), actions.others().collect::<Vec<_>>())
        };
        let open = AppAction::Open(ConnectionData::Endless, EndpointRole::Server);
        assert_eq!(wakes(0), (Some(Instant::from_millis(1000)), vec![open]));
        let read = AppAction::Read(EndpointRole::Client, 4096);
        assert_eq!(wakes(1000), (Some(Instant::from_millis(2000)), vec![read]));
    }

    #[test]
    fn reads_without_end_at_once_are_refused() {
        let config = SlowReaderConfig { rate: Rate::from_mbit(1000), chunk: Bytes(1), ..Default::default() };
        assert!(matches!(config.validate(), Err(KeyConflict::OutOfRange("chunk", _))));
        assert_eq!(SlowReaderConfig::default().validate(), Ok(()), "a rate that is missing is another error");
    }
}
