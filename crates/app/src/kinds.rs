//! The table of applications: one line each.
//!
//! `"name" => file::Variant(Config)`. The line declares the module, so a new application is one file in `kinds/` and one line
//! here.

use crate::application::{AppContext, Application, Datagram, EndpointRole};
use crate::group_member::GroupMember;
use crate::playback_stats::PlaybackStats;
use crate::registry::{
    AppInfo, AppKind, KeyConflict, OfferedTraffic, RequiredTransport, TargetLoad, TransferCount,
    VoiceParameters, applications,
};
use tailrace_core::params::{Invalid, Parameters, check_bounds};
use tailrace_core::{Duration, Instant};

applications! {
    "bulk" => bulk::Bulk(BulkConfig),
    "transfer" => transfer::Transfer(TransferConfig),
    "request_response" => request_response::RequestResponse(RequestResponseConfig),
    "sequence" => sequence::Sequence(SequenceConfig),
    "arrivals" => arrivals::Arrivals(ArrivalsConfig),
    "flash_crowd" => flash_crowd::FlashCrowd(FlashCrowdConfig),
    "slow_reader" => slow_reader::SlowReader(SlowReaderConfig),
    "web" => web::Web(WebConfig),
    "video" => video::Video(VideoConfig),
    "cbr" => cbr::Cbr(CbrConfig),
    "poisson" => poisson::Poisson(PoissonConfig),
    "on_off" => on_off::OnOff(OnOffConfig),
    "schedule" => schedule::Schedule(ScheduleConfig),
    "pulse" => pulse::Pulse(PulseConfig),
    "voip" => voip::Voip(VoipConfig),
    "ping" => ping::Ping(PingConfig),
}
