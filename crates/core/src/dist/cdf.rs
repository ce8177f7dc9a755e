//! Sizes as they were measured: what share of them is no larger than each of some.

use crate::dist::error::DistributionError;
use crate::text::Quantity as _;
use crate::units::Bytes;
use core::fmt;
use std::borrow::Cow;

/// Bytes, and the share of sizes that are no larger.
pub(super) type Point = (u64, f64);

/// Points of a distribution function, ascending, and straight lines between them. What is at or below the first point has
/// exactly its size.
#[derive(Clone, Debug, PartialEq)]
pub struct Cdf {
    pub(super) points: Cow<'static, [Point]>,
}

/// Distributions by name, from public measurements, as the literature on datacentre transport uses them.
///
/// Both papers show curves; the points are those read off by the traffic generator of the SING lab at HKUST
/// (github.com/HKUST-SING/TrafficGenerator, conf/DCTCP_CDF.txt and conf/VL2_CDF.txt), of which the first stand in HPCC's
/// simulator, too (github.com/alibaba-edu/High-Precision-Congestion-Control, traffic_gen/WebSearch_distribution.txt).
pub const MEASURED: &[(&str, &[Point])] =
    &[("web_search", WEB_SEARCH), ("data_mining", DATA_MINING), ("imix", IMIX)];

/// Flows of a cluster that serves web search: Alizadeh et al., "Data Center TCP (DCTCP)", SIGCOMM 2010. Mean 1.71 MB.
const WEB_SEARCH: &[Point] = &[
    (0, 0.0),
    (10_000, 0.15),
    (20_000, 0.2),
    (30_000, 0.3),
    (50_000, 0.4),
    (80_000, 0.53),
    (200_000, 0.6),
    (1_000_000, 0.7),
    (2_000_000, 0.8),
    (5_000_000, 0.9),
    (10_000_000, 0.97),
    (30_000_000, 1.0),
];

/// Flows of a cluster that mines data: Greenberg et al., "VL2: a scalable and flexible data center network", SIGCOMM 2009.
/// Mean 12.7 MB, nearly all of it in few flows.
const DATA_MINING: &[Point] = &[
    (0, 0.0),
    (180, 0.1),
    (216, 0.2),
    (560, 0.3),
    (900, 0.4),
    (1_100, 0.5),
    (1_870, 0.6),
    (3_160, 0.7),
    (10_000, 0.8),
    (400_000, 0.9),
    (3_160_000, 0.95),
    (100_000_000, 0.98),
    (1_000_000_000, 1.0),
];

/// Payload of UDP packets of the simple Internet mix, in which 7 of 12 packets have 40 bytes, 4 have 576 and 1 has 1500, with
/// headers of 28 bytes (IPv4 and UDP). Such mixes are described by RFC 6985; the sizes and their proportions are those of
/// Spirent's "Test Methodology Journal: IMIX (Internet Mix)", 2006. Mean 312.33 B, with headers 340.33 B.
const IMIX: &[Point] =
    &[(12, 7.0 / 12.0), (548, 7.0 / 12.0), (548, 11.0 / 12.0), (1_472, 11.0 / 12.0), (1_472, 1.0)];

/// Most points: each flow looks among them.
pub(super) const MOST_POINTS: usize = 10_000;

impl Cdf {
    /// A distribution of [`MEASURED`].
    pub(crate) fn measured(name: &str) -> Option<Self> {
        let (_, points) = MEASURED.iter().find(|(known, _)| *known == name)?;
        Some(Self { points: Cow::Borrowed(points) })
    }

    /// Reads the points: each a size and a share, one a line or separated by `;`. As in the files of traffic generators a plain
    /// number is in bytes, and shares may end at 100.
    pub(crate) fn read(text: &str) -> Result<Self, DistributionError> {
        let rows = text.split([';', '\n']).map(str::trim).filter(|row| !row.is_empty());
        let mut points = rows.map(point).collect::<Result<Vec<Point>, _>>()?;
        let last = points.last().map_or(0.0, |p| p.1);
        if last == 100.0 {
            points.iter_mut().for_each(|p| p.1 /= 100.0);
        }
        check(&points)?;
        Ok(Self { points: Cow::Owned(points) })
    }

    /// The mean, bytes.
    pub(crate) fn mean(&self) -> f64 {
        let first = self.points[0];
        let between =
            self.points.windows(2).map(|w| (w[1].1 - w[0].1) * (w[0].0 as f64 + w[1].0 as f64) / 2.0);
        first.1 * first.0 as f64 + between.sum::<f64>()
    }

    /// The largest size, bytes.
    pub(crate) fn largest(&self) -> f64 {
        self.points.last().map_or(0.0, |point| point.0 as f64)
    }

    pub(crate) fn is_constant(&self) -> bool {
        self.points.iter().filter(|p| p.1 > 0.0).all(|p| p.0 == self.points[0].0)
    }

    /// The size that a share `u` of all, below 1, is no larger than.
    pub(crate) fn at(&self, u: f64) -> f64 {
        let above = self.points.partition_point(|p| p.1 <= u);
        let (size, share) = self.points[above.min(self.points.len() - 1)];
        let Some((low, low_share)) = above.checked_sub(1).map(|i| self.points[i]) else { return size as f64 };
        low as f64 + (size as f64 - low as f64) * (u - low_share) / (share - low_share)
    }
}

fn point(row: &str) -> Result<Point, DistributionError> {
    let (size, share) =
        row.rsplit_once(char::is_whitespace).ok_or_else(|| format!("{row:?} is not a size and a share"))?;
    let share: f64 = share.parse().map_err(|_| format!("the share {share:?} is not a number"))?;
    let plain =
        size.trim().parse::<f64>().map_or_else(|_| size.trim().to_string(), |_| format!("{} B", size.trim()));
    Ok((Bytes::parse(&plain)?.get(), share))
}

fn check(points: &[Point]) -> Result<(), DistributionError> {
    if points.len() > MOST_POINTS {
        return Err(DistributionError::Outside(format!(
            "{} points are more than {MOST_POINTS}",
            points.len()
        )));
    }
    let falls = points.windows(2).find(|w| w[1].0 < w[0].0 || w[1].1 < w[0].1);
    if let Some(w) = falls {
        let why = format!(
            "sizes and shares ascend, but {} B {} stands before {} B {}",
            w[0].0, w[0].1, w[1].0, w[1].1
        );
        return Err(why.into());
    }
    match (points.first(), points.last()) {
        (Some(first), Some(last)) if first.1 >= 0.0 && last.1 == 1.0 => Ok(()),
        (Some(_), Some(last)) => {
            Err(format!("shares go from 0 to 1 (or to 100), found {} last", last.1).into())
        }
        _ => Err("needs points, as in \"cdf(1 kB 0.5; 10 kB 0.9; 1 MB 1)\"".to_string().into()),
    }
}

/// Its name, or its points.
impl fmt::Display for Cdf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((name, _)) = MEASURED.iter().find(|(_, points)| *points == &*self.points) {
            return f.write_str(name);
        }
        let points: Vec<String> =
            self.points.iter().map(|(size, share)| format!("{} {share}", Bytes(*size))).collect();
        write!(f, "cdf({})", points.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Cdf {
        Cdf::read(text).unwrap()
    }

    #[test]
    fn the_inverse_goes_straight_from_point_to_point() {
        let cdf = read("1 kB 0.5; 10 kB 0.9; 1 MB 1");
        assert_eq!([0.0, 0.3, 0.4999].map(|u| cdf.at(u)), [1000.0; 3], "a half have exactly the first size");
        assert!((cdf.at(0.7) - 5500.0).abs() < 1e-6 && (cdf.at(0.9) - 10_000.0).abs() < 1e-6);
        // 0.5 * 1 kB + 0.4 * 5.5 kB + 0.1 * 505 kB.
        assert!((cdf.mean() - 53_200.0).abs() < 1e-6);
    }

    #[test]
    fn a_size_that_is_often_had_is_a_step() {
        let cdf = read("0 B 0; 100 B 0.5; 100 B 0.9; 200 B 1");
        assert_eq!([0.25, 0.5, 0.7].map(|u| cdf.at(u)), [50.0, 100.0, 100.0]);
        assert!(read("7 B 1").is_constant() && !cdf.is_constant());
    }

    #[test]
    fn files_of_traffic_generators_read_as_they_are() {
        let file = "0 0\n10000 15\n20000 20\n30000 30\n50000 40\n80000 53\n200000 60\n1000000 70\n2000000 80\n\
                    5000000 90\n10000000 97\n30000000 100\n";
        let cdf = read(file);
        assert_eq!(cdf.to_string(), "web_search", "HPCC's file is the distribution of that name");
        assert_eq!(read("0 0\n1e3 0.5\n2000 1").to_string(), "cdf(0 B 0; 1 kB 0.5; 2 kB 1)");
    }

    #[test]
    fn the_measured_ones_have_the_means_that_papers_state() {
        let mean = |name| Cdf::measured(name).unwrap().mean();
        assert_eq!(mean("web_search").round(), 1_711_250.0);
        assert!((mean("data_mining") / 12.7e6 - 1.0).abs() < 0.01, "{}", mean("data_mining"));
        // (7 * 40 + 4 * 576 + 1500) / 12 bytes with headers.
        assert!((mean("imix") + 28.0 - 4084.0 / 12.0).abs() < 1e-9, "{}", mean("imix"));
    }

    #[test]
    fn what_is_no_distribution_is_refused() {
        let error = |text| String::from(Cdf::read(text).unwrap_err());
        assert!(error("").contains("needs points"));
        assert!(error("1 kB").contains("kB"));
        assert!(error("1 kB 0.5; 2 kB 0.9").contains("found 0.9 last"));
        assert!(error("1 kB 0.5; 2 kB 0.4; 3 kB 1").contains("ascend"));
        assert!(error("2 kB 0.5; 1 kB 1").contains("ascend"));
        assert!(error("1 kB -0.5; 2 kB 1").contains("from 0 to 1"));
        assert!(error("1 kB nan; 2 kB 1").contains("0 to 1"));
    }
}
