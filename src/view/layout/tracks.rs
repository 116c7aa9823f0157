//! How edges get from one band to the next.
//!
//! An edge that has to go far across between two bands does so on a track, a line of its own parallel to the bands.
//! Tracks are ordered so that edges cross as little as possible, and the distance of two bands is what their tracks
//! need. So no two edges run along the same line.

use super::bands::Bands;

/// The distance of two tracks.
const TRACK: f64 = 9.0;
/// The least distance of two bands.
const LEAST: f64 = 30.0;
/// How far across an edge goes in a single curve, without a track: where others are in the way, and at most.
const STRAIGHT: f64 = 6.0;
const NEAR: f64 = 34.0;
/// Two lines closer than this look like one.
const TOUCHING: f64 = 5.0;

/// An edge's way from a band to the next one down.
#[derive(Clone, Copy, Debug)]
struct Hop {
    edge: usize,
    /// Which of the edge's hops, from its source.
    step: usize,
    /// Where it leaves the upper band, and where it enters the lower one.
    upper: f64,
    lower: f64,
}

/// The bands along, and the tracks between.
pub(super) struct Tracks {
    /// Where each band begins and ends.
    pub extents: Vec<(f64, f64)>,
    /// The place, along, of every edge's track in each of its hops; none where it needs none.
    pub places: Vec<Vec<Option<f64>>>,
}

impl Tracks {
    /// Puts band after band, with room for the tracks between.
    pub(super) fn of(bands: &Bands, chains: &[Vec<(usize, f64)>]) -> Tracks {
        let mut gaps: Vec<Vec<Hop>> = vec![Vec::new(); bands.thickness.len()];
        for (edge, chain) in chains.iter().enumerate() {
            for (step, pair) in chain.windows(2).enumerate() {
                let [(a, from), (b, to)] = *pair else {
                    continue;
                };
                let (upper, lower) = if a < b { (from, to) } else { (to, from) };
                if let Some(gap) = gaps.get_mut(a.min(b)) {
                    gap.push(Hop {
                        edge,
                        step,
                        upper,
                        lower,
                    });
                }
            }
        }
        let mut places: Vec<Vec<Option<f64>>> = chains
            .iter()
            .map(|chain| vec![None; chain.len().saturating_sub(1)])
            .collect();
        let mut extents = Vec::with_capacity(bands.thickness.len());
        let mut along = 0.0;
        for (thickness, gap) in bands.thickness.iter().zip(gaps) {
            extents.push((along, along + thickness));
            along += thickness;
            let tracks = assign(in_need(&gap));
            let count = tracks.iter().map(|(_, track)| track + 1).max().unwrap_or(0);
            let distance = LEAST.max((count + 1) as f64 * TRACK);
            for (hop, track) in tracks {
                if let Some(place) = places.get_mut(hop.edge).and_then(|p| p.get_mut(hop.step)) {
                    *place = Some(along + (track + 1) as f64 * distance / (count + 1) as f64);
                }
            }
            along += distance;
        }
        Tracks { extents, places }
    }
}

impl Hop {
    fn width(&self) -> f64 {
        (self.upper - self.lower).abs()
    }

    fn low(&self) -> f64 {
        self.upper.min(self.lower)
    }

    fn high(&self) -> f64 {
        self.upper.max(self.lower)
    }

    fn overlaps(&self, other: &Hop) -> bool {
        self.low() - TOUCHING < other.high() && other.low() - TOUCHING < self.high()
    }

    fn covers(&self, place: f64) -> bool {
        self.low() < place && place < self.high()
    }

    /// What it costs to have this hop's track above the other's: crossings, and, far worse, legs on the same line.
    fn cost_above(&self, other: &Hop) -> usize {
        let touching = (self.lower - other.upper).abs() < TOUCHING;
        usize::from(other.covers(self.lower))
            + usize::from(self.covers(other.upper))
            + if touching { 10 } else { 0 }
    }
}

/// The hops that need a track. The others are short, and nobody is in their way.
fn in_need(gap: &[Hop]) -> Vec<Hop> {
    let meets = |hop: &Hop| {
        let others = gap
            .iter()
            .filter(|other| (other.edge, other.step) != (hop.edge, hop.step));
        others
            .filter(|other| other.width() > STRAIGHT)
            .any(|other| other.overlaps(hop))
    };
    let needs = |hop: &&Hop| hop.width() > NEAR || hop.width() > STRAIGHT && meets(hop);
    gap.iter().filter(needs).copied().collect()
}

/// Gives every hop a track, counted from the upper band. Hops that do not meet may share one.
fn assign(hops: Vec<Hop>) -> Vec<(Hop, usize)> {
    let mut order: Vec<Hop> = Vec::with_capacity(hops.len());
    for hop in hops {
        // The cheapest place among those before it, from the top down.
        let mut cost: usize = order.iter().map(|o| hop.cost_above(o)).sum();
        let (mut best, mut least) = (0, cost);
        for (i, other) in order.iter().enumerate() {
            cost = cost + other.cost_above(&hop) - hop.cost_above(other);
            if cost < least {
                (best, least) = (i + 1, cost);
            }
        }
        order.insert(best, hop);
    }
    let mut tracks: Vec<(Hop, usize)> = Vec::with_capacity(order.len());
    for hop in order {
        let above = tracks
            .iter()
            .filter(|(other, _)| other.overlaps(&hop))
            .map(|(_, track)| track + 1);
        let track = above.max().unwrap_or(0);
        tracks.push((hop, track));
    }
    tracks
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hop(edge: usize, upper: f64, lower: f64) -> Hop {
        Hop {
            edge,
            step: 0,
            upper,
            lower,
        }
    }

    fn tracks(hops: Vec<Hop>) -> Vec<(usize, usize)> {
        let mut tracks: Vec<_> = assign(hops)
            .into_iter()
            .map(|(hop, track)| (hop.edge, track))
            .collect();
        tracks.sort_unstable();
        tracks
    }

    #[test]
    fn parallel_edges_are_nested_without_crossing() {
        // Both go right: the one that starts further right must turn first.
        assert_eq!(
            tracks(vec![hop(0, 0.0, 100.0), hop(1, 50.0, 150.0)]),
            [(0, 1), (1, 0)]
        );
        // Both go left: the other way round.
        assert_eq!(
            tracks(vec![hop(0, 100.0, 0.0), hop(1, 150.0, 50.0)]),
            [(0, 0), (1, 1)]
        );
    }

    #[test]
    fn a_short_hop_needs_a_track_only_where_another_is_near() {
        let needing = |gap: &[Hop]| in_need(gap).iter().map(|h| h.edge).collect::<Vec<_>>();
        assert_eq!(needing(&[hop(0, 0.0, 20.0), hop(1, 100.0, 200.0)]), [1]);
        assert_eq!(needing(&[hop(0, 0.0, 20.0), hop(1, 10.0, 200.0)]), [0, 1]);
    }

    #[test]
    fn edges_that_do_not_meet_share_a_track() {
        assert_eq!(
            tracks(vec![hop(0, 0.0, 100.0), hop(1, 200.0, 300.0)]),
            [(0, 0), (1, 0)]
        );
    }

    #[test]
    fn legs_never_lie_on_one_line() {
        // The first ends below where the second begins above: the second must turn before.
        assert_eq!(
            tracks(vec![hop(0, 0.0, 100.0), hop(1, 100.0, 200.0)]),
            [(0, 1), (1, 0)]
        );
    }
}
