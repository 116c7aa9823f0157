//! Where edges meet their nodes, across.

use super::LayoutGraph;
use super::bands::{Bands, CORNER, PORT};

/// Someone who wants to meet a node: which end of which edge, and where it goes from there.
struct Guest {
    edge: usize,
    end: usize,
    next: f64,
}

/// Every edge's course across: band and place, at its source, between, and at its target.
pub(super) fn chains(graph: &LayoutGraph, bands: &Bands) -> Vec<Vec<(usize, f64)>> {
    let home = |node: usize| bands.nodes.get(node).copied().unwrap_or_default();
    let mut chains: Vec<Vec<(usize, f64)>> = Vec::with_capacity(graph.edges.len());
    // By node: the guests at its upper side, then at its lower.
    let mut sides: Vec<[Vec<Guest>; 2]> = graph
        .nodes
        .iter()
        .map(|_| [Vec::new(), Vec::new()])
        .collect();
    for (e, (edge, stops)) in graph.edges.iter().zip(&bands.stops).enumerate() {
        let mut chain = vec![home(edge.source)];
        chain.extend(stops);
        chain.push(home(edge.target));
        let ends = [
            (0, edge.source, chain.get(1)),
            (1, edge.target, chain.iter().rev().nth(1)),
        ];
        for (end, node, next) in ends {
            let &(band, next) = next.unwrap_or(&(0, 0.0));
            let side = usize::from(band > home(node).0);
            if let Some(guests) = sides.get_mut(node).and_then(|s| s.get_mut(side)) {
                guests.push(Guest { edge: e, end, next });
            }
        }
        chains.push(chain);
    }
    for (i, (node, sides)) in graph.nodes.iter().zip(&mut sides).enumerate() {
        let (_, centre) = home(i);
        let half = bands
            .sizes
            .get(i)
            .map_or(0.0, |s| s.width / 2.0 - CORNER)
            .max(0.0);
        let half = if node.dot { 0.0 } else { half };
        for guests in sides {
            guests.sort_by(|a, b| {
                a.next
                    .total_cmp(&b.next)
                    .then((a.edge, a.end).cmp(&(b.edge, b.end)))
            });
            let wanted: Vec<f64> = guests.iter().map(|g| g.next).collect();
            for (guest, place) in guests
                .iter()
                .zip(spread(&wanted, centre - half, centre + half))
            {
                let chain = chains.get_mut(guest.edge);
                let last = |chain: &Vec<_>| if guest.end == 0 { 0 } else { chain.len() - 1 };
                if let Some((_, port)) = chain.and_then(|c| {
                    let at = last(c);
                    c.get_mut(at)
                }) {
                    *port = place;
                }
            }
        }
    }
    chains
}

/// Places between `low` and `high`, in order, each as near as possible to where it is wanted.
fn spread(wanted: &[f64], low: f64, high: f64) -> Vec<f64> {
    let apart = match wanted.len() {
        0 | 1 => 0.0,
        n => PORT.min((high - low) / (n - 1) as f64),
    };
    let mut places = Vec::with_capacity(wanted.len());
    let mut free = low;
    for &want in wanted {
        let place = want.clamp(free.min(high), high);
        places.push(place);
        free = place + apart;
    }
    let mut free = high;
    for place in places.iter_mut().rev() {
        *place = place.min(free);
        free = *place - apart;
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_are_where_they_are_wanted_and_apart() {
        assert_eq!(spread(&[5.0, 50.0], 0.0, 100.0), [5.0, 50.0]);
        assert_eq!(spread(&[50.0, 50.0], 0.0, 100.0), [50.0, 50.0 + PORT]);
        assert_eq!(spread(&[200.0, 300.0], 0.0, 100.0), [100.0 - PORT, 100.0]);
        assert_eq!(spread(&[-9.0, -8.0, -7.0], 0.0, 10.0), [0.0, 5.0, 10.0]);
        assert_eq!(spread(&[1.0, 2.0], 7.0, 7.0), [7.0, 7.0]);
    }
}
