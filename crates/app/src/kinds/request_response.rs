//! Questions and answers on one connection: what a user of a remote service waits for.

use crate::application::{AppContext, Application, ConnectionData, EndpointRole};
use crate::bounds::{COUNTS, SIZES};
use crate::registry::{AppKind, RequiredTransport, TransferCount};
use tailrace_core::{DurationDist, SizeDist};

tailrace_core::parameters! {
    /// Keys of `request_response`.
    pub struct RequestResponseConfig {
        /// The size of a request; a size or a distribution.
        request: SizeDist, required, within SIZES;
        /// The size of a response; a size or a distribution.
        response: SizeDist, required, within SIZES;
        /// The pause between a response and the next request; a duration or a distribution.
        think: DurationDist = DurationDist::default(), "own choice";
        /// After how many exchanges of a request and a response the flow ends. `"auto"`: it goes on until `stop`.
        count: Option<u32> = None, "own choice", within COUNTS;
    }
}

impl AppKind for RequestResponseConfig {
    const SUMMARY: &'static str =
        "The client asks, the server answers, the client pauses; all on one connection.";
    const TRANSPORT: RequiredTransport = RequiredTransport::Streams;
    const TWO_WAY: bool = true;
    type App = RequestResponse;

    fn build(&self) -> RequestResponse {
        RequestResponse { config: self.clone(), begun: 0 }
    }
    fn transfers(&self) -> TransferCount {
        TransferCount::of(self.count)
    }
    fn data_source(&self) -> EndpointRole {
        EndpointRole::Server
    }
    fn is_random(&self) -> bool {
        !(self.think.is_constant() && self.request.is_constant() && self.response.is_constant())
    }
}

/// The running application.
#[derive(Debug)]
pub struct RequestResponse {
    config: RequestResponseConfig,
    begun: u32,
}

impl Application for RequestResponse {
    fn on_wake(&mut self, cx: &mut AppContext<'_>) {
        let request = self.config.request.draw(cx.rng()).get();
        if self.begun == 0 {
            cx.open(ConnectionData::Message(request));
        } else {
            cx.request(request);
        }
        self.begun += 1;
    }

    fn on_message(&mut self, at: EndpointRole, cx: &mut AppContext<'_>) {
        if at == EndpointRole::Server {
            let response = self.config.response.draw(cx.rng());
            return cx.respond(response.get());
        }
        let pause = self.config.think.draw(cx.rng());
        cx.complete();
        if self.config.count.is_some_and(|n| self.begun >= n) {
            cx.close();
        } else {
            cx.wake_at(cx.now().saturating_add(pause));
        }
    }
}
