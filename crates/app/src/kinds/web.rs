//! Web pages as a browser fetches them over HTTP/1.1: the main object, then what it refers to over several connections at a time,
//! then somebody reads.
//!
//! Sizes, numbers and reading time are by default those of the traffic model of NGMN ("Radio Access Performance Evaluation
//! Methodology", 2008, annex A) and IEEE 802.16m, after 3GPP2: pages of the time around 2000, of some 60 kB; state larger ones for
//! those of today. Departures: sizes are not cut at 2 MB; numbers are drawn from Pareto's law between 2 and 55, mean 6.4, where the
//! model subtracts 2 from what it draws and has a mean of 5.64; there is no time for parsing. A connection is closed when nothing is
//! left to ask for, so each page opens its own.

use crate::application::{AppContext, Application, ConnectionData, EndpointRole};
use crate::bounds::{COUNTS, SIZES};
use crate::registry::{AppKind, RequiredTransport, TransferCount};
use tailrace_core::{Bytes, CountDist, Duration, DurationDist, Instant, SizeDist};

tailrace_core::parameters! {
    /// Keys of `web`.
    pub struct WebConfig {
        /// The size of a page's main object; a size or a distribution.
        main: SizeDist = SizeDist::Lognormal(Bytes(10_710), 1.37), "NGMN 2008, HTTP model", within SIZES;
        /// The size of each further object of a page; a size or a distribution.
        object: SizeDist = SizeDist::Lognormal(Bytes(7_758), 2.36), "NGMN 2008, HTTP model", within SIZES;
        /// The number of further objects of a page; a number or a distribution.
        objects: CountDist = CountDist::bounded_pareto(2, 55, 1.1), "NGMN 2008, HTTP model",
            in "0"..="100000": "a page with more would not be complete in any run";
        /// The size of a request; a size or a distribution.
        request: SizeDist = SizeDist::Constant(Bytes(328)), "ns-3 3.43, ThreeGppHttpVariables", within SIZES;
        /// The largest number of connections that the client has open at a time.
        connections: u32 = 6, "browsers, HTTP/1.1", in "1"..="256": "without a connection nothing is fetched | each connection begins with a window of its own, so more of them flood the path";
        /// The pause from the end of a page to the request of the next one; a duration or a distribution.
        think: DurationDist = DurationDist::Exponential(Duration::from_secs(30)), "NGMN 2008, HTTP model";
        /// After how many pages the flow ends. `"auto"`: it goes on until `stop`.
        count: Option<u32> = None, "own choice", within COUNTS;
    }
}

impl AppKind for WebConfig {
    const SUMMARY: &'static str = "Web pages: a main object, then others over several connections at a time, then a pause; the server sends.";
    const TRANSPORT: RequiredTransport = RequiredTransport::Streams;
    const TWO_WAY: bool = true;
    type App = Box<Web>;

    fn build(&self) -> Box<Web> {
        Box::new(Web { config: self.clone(), pages: 0, page: PageLoad::default() })
    }
    /// Each object of a page is a transfer.
    fn transfers(&self) -> TransferCount {
        TransferCount::Endless
    }
    fn has_pages(&self) -> bool {
        true
    }
    fn data_source(&self) -> EndpointRole {
        EndpointRole::Server
    }
    fn is_random(&self) -> bool {
        let sizes = [&self.main, &self.object, &self.request].into_iter().all(SizeDist::is_constant);
        !(sizes && self.objects.is_constant() && self.think.is_constant())
    }
}

/// The running application.
#[derive(Debug)]
pub struct Web {
    config: WebConfig,
    pages: u32,
    page: PageLoad,
}

/// The page that is being fetched.
#[derive(Debug, Default)]
struct PageLoad {
    began: Instant,
    /// The main object has been asked for and has not come.
    awaits_main: bool,
    /// Objects that have been asked for and have not come.
    asked: u32,
    /// Objects that have not been asked for.
    left: u32,
    /// Connections still to open for them.
    to_open: u32,
    /// Something of it will not come.
    is_broken: bool,
    /// All that will come has come.
    is_over: bool,
}

impl Web {
    fn begin(&mut self, cx: &mut AppContext<'_>) {
        self.pages = self.pages.saturating_add(1);
        self.page = PageLoad { began: cx.now(), awaits_main: true, asked: 1, ..PageLoad::default() };
        let request = self.config.request.draw(cx.rng());
        cx.open(ConnectionData::Message(request.get()));
    }

    /// A further connection, for the next object; one at a time.
    fn open_another(&mut self, cx: &mut AppContext<'_>) {
        self.page.to_open -= 1;
        let request = self.next_request(cx);
        cx.open(ConnectionData::Message(request));
        if self.page.wants_another() {
            cx.wake_at(cx.now());
        }
    }

    /// The page is over: somebody reads it, and then wants another.
    fn end(&mut self, cx: &mut AppContext<'_>) {
        if !self.page.is_broken {
            cx.page(cx.now() - self.page.began);
        }
        self.page = PageLoad::default();
        if self.config.count.is_none_or(|n| self.pages < n) {
            let pause = self.config.think.draw(cx.rng()).max(Duration::from_nanos(1));
            cx.wake_at(cx.now().saturating_add(pause));
        }
    }

    /// An object is asked for; the size of the request.
    fn next_request(&mut self, cx: &mut AppContext<'_>) -> u64 {
        self.page.left -= 1;
        self.page.asked += 1;
        self.config.request.draw(cx.rng()).get()
    }

    /// Sees to what is left, or to the end.
    fn go_on(&mut self, cx: &mut AppContext<'_>) {
        self.page.is_over = self.page.asked == 0 && self.page.left == 0;
        if self.page.is_over || self.page.wants_another() {
            cx.wake_at(cx.now());
        }
    }
}

impl PageLoad {
    fn wants_another(&self) -> bool {
        self.to_open > 0 && self.left > 0
    }
}

impl Application for Web {
    fn on_wake(&mut self, cx: &mut AppContext<'_>) {
        if self.page.is_over {
            self.end(cx);
        } else if self.page.wants_another() {
            self.open_another(cx);
        } else if self.page.asked == 0 {
            self.begin(cx);
        }
    }

    fn on_message(&mut self, at: EndpointRole, cx: &mut AppContext<'_>) {
        if at == EndpointRole::Server {
            let size = if self.page.awaits_main { &self.config.main } else { &self.config.object };
            let size = size.draw(cx.rng());
            return cx.respond(size.get());
        }
        if self.page.asked == 0 {
            return cx.close();
        }
        cx.complete();
        self.page.asked -= 1;
        if std::mem::take(&mut self.page.awaits_main) {
            self.page.left = self.config.objects.draw(cx.rng());
            self.page.to_open = self.config.connections.min(self.page.left).saturating_sub(1);
        }
        if self.page.left > 0 {
            let request = self.next_request(cx);
            cx.request(request);
        } else {
            cx.close();
        }
        self.go_on(cx);
    }

    /// Leaves out the object that was under way on a broken connection, as a browser leaves out a picture; another
    /// connection is opened for the remaining ones.
    fn is_over(&self) -> bool {
        self.config.count.is_some_and(|n| self.pages >= n) && self.page.asked == 0 && self.page.left == 0
    }

    fn on_closed(&mut self, failed: bool, cx: &mut AppContext<'_>) {
        if !failed || self.page.asked == 0 {
            return;
        }
        self.page.asked -= 1;
        self.page.awaits_main = false;
        self.page.is_broken = true;
        self.page.to_open = self.page.to_open.saturating_add(1);
        self.go_on(cx);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::application::{AppAction, AppActions};
    use tailrace_core::Rng;

    /// Three objects over at most two connections, a request 100 B, and 5 s to read.
    fn page_of_three() -> Box<Web> {
        let config = WebConfig {
            main: Bytes(10_000).into(),
            object: Bytes(2_000).into(),
            objects: CountDist::constant(3),
            request: Bytes(100).into(),
            connections: 2,
            think: DurationDist::Constant(Duration::from_secs(5)),
            count: Some(2),
        };
        config.build()
    }

    struct Told {
        web: Box<Web>,
        rng: Rng,
    }

    impl Told {
        /// Actions in response to an event at a time in milliseconds.
        fn at(
            &mut self,
            ms: u64,
            tell: impl Fn(&mut Web, &mut AppContext<'_>),
        ) -> (Option<u64>, Vec<AppAction>) {
            let mut actions = AppActions::default();
            tell(&mut self.web, &mut AppContext::new(Instant::from_millis(ms), &mut self.rng, &mut actions));
            (actions.wake().map(|at| at.as_nanos() / 1_000_000), actions.others().collect())
        }
        fn wakes(&mut self, ms: u64) -> (Option<u64>, Vec<AppAction>) {
            self.at(ms, |web, cx| web.on_wake(cx))
        }
        fn hears(&mut self, ms: u64, end: EndpointRole) -> (Option<u64>, Vec<AppAction>) {
            self.at(ms, |web, cx| web.on_message(end, cx))
        }
    }

    const OPEN: AppAction = AppAction::Open(ConnectionData::Message(100), EndpointRole::Client);
    const ASK: AppAction = AppAction::Request(100);

    #[test]
    fn a_page_is_its_main_object_then_the_others_over_so_many_connections_then_a_pause() {
        let mut told = Told { web: page_of_three(), rng: Rng::new(1) };
        assert_eq!(told.wakes(0), (None, vec![OPEN]));
        assert_eq!(told.hears(10, EndpointRole::Server), (None, vec![AppAction::Respond(10_000)]));
        // The first of the three goes over the connection that there is; another one is opened at once for the second.
        assert_eq!(told.hears(50, EndpointRole::Client), (Some(50), vec![AppAction::Complete, ASK]));
        assert_eq!(told.wakes(50), (None, vec![OPEN]));
        assert_eq!(told.hears(60, EndpointRole::Server), (None, vec![AppAction::Respond(2_000)]));
        assert_eq!(told.hears(80, EndpointRole::Client), (None, vec![AppAction::Complete, ASK]));
        assert_eq!(told.hears(90, EndpointRole::Client), (None, vec![AppAction::Complete, AppAction::Close]));
        assert_eq!(
            told.hears(120, EndpointRole::Client),
            (Some(120), vec![AppAction::Complete, AppAction::Close])
        );
        let took = AppAction::Page(Duration::from_millis(120));
        assert_eq!(told.wakes(120), (Some(5_120), vec![took]));
        assert_eq!(told.wakes(5_120), (None, vec![OPEN]), "the second and last page");
    }

    #[test]
    fn a_page_of_one_object_is_complete_with_it() {
        let mut told = Told { web: page_of_three(), rng: Rng::new(1) };
        told.web.config.objects = CountDist::constant(0);
        assert_eq!(told.wakes(0), (None, vec![OPEN]));
        assert_eq!(
            told.hears(40, EndpointRole::Client),
            (Some(40), vec![AppAction::Complete, AppAction::Close])
        );
        assert_eq!(told.wakes(40), (Some(5_040), vec![AppAction::Page(Duration::from_millis(40))]));
    }

    #[test]
    fn a_page_with_a_broken_connection_is_no_sample() {
        let mut told = Told { web: page_of_three(), rng: Rng::new(1) };
        told.wakes(0);
        told.hears(50, EndpointRole::Client);
        told.wakes(50);
        let breaks = |told: &mut Told, ms, failed| told.at(ms, |web, cx| web.on_closed(failed, cx));
        // Each connection has one of the three under way; another one is opened for the third.
        assert_eq!(breaks(&mut told, 60, true), (Some(60), vec![]));
        assert_eq!(breaks(&mut told, 60, false), (None, vec![]), "it is said again");
        assert_eq!(told.wakes(60), (None, vec![OPEN]));
        assert_eq!(told.hears(70, EndpointRole::Client), (None, vec![AppAction::Complete, AppAction::Close]));
        assert_eq!(breaks(&mut told, 80, true), (Some(80), vec![]));
        assert_eq!(told.wakes(80), (Some(5_080), vec![]));
    }
}
