//! The few shapes a picture is made of.

use std::fmt;

/// A place. Where a layout is under way, `x` is across the layers and `y` along them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// To the right.
    pub x: f64,
    /// Down.
    pub y: f64,
}

/// An extent.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Size {
    /// To the right.
    pub width: f64,
    /// Down.
    pub height: f64,
}

/// A box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rect {
    /// Its middle.
    pub centre: Point,
    /// Its extent.
    pub size: Size,
}

/// A line of straight and curved pieces.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    /// Where it begins.
    pub start: Point,
    /// Its pieces.
    pub segments: Vec<Segment>,
}

/// A piece of a [`Path`], from where the one before it ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Segment {
    /// Straight to a point.
    Line(Point),
    /// A cubic Bézier curve: its two control points and its end.
    Curve(Point, Point, Point),
}

/// The radius of a corner.
const ROUND: f64 = 9.0;
/// How far a Bézier curve's control points are on the way to the corner, for a quarter of a circle.
const QUARTER: f64 = 0.5523;

/// A point.
pub(super) fn point(x: f64, y: f64) -> Point {
    Point { x, y }
}

impl Point {
    pub(super) fn transposed(self) -> Point {
        point(self.y, self.x)
    }
}

impl Size {
    pub(super) fn transposed(self) -> Size {
        Size {
            width: self.height,
            height: self.width,
        }
    }
}

impl Rect {
    /// The left edge.
    pub fn left(&self) -> f64 {
        self.centre.x - self.size.width / 2.0
    }

    /// The right edge.
    pub fn right(&self) -> f64 {
        self.centre.x + self.size.width / 2.0
    }

    /// The upper edge.
    pub fn top(&self) -> f64 {
        self.centre.y - self.size.height / 2.0
    }

    /// The lower edge.
    pub fn bottom(&self) -> f64 {
        self.centre.y + self.size.height / 2.0
    }

    pub(super) fn transposed(self) -> Rect {
        Rect {
            centre: self.centre.transposed(),
            size: self.size.transposed(),
        }
    }
}

impl Path {
    pub(super) fn from(start: Point) -> Path {
        Path {
            start,
            segments: Vec::new(),
        }
    }

    /// Goes straight to a point; nowhere where it is there already. Going on along the layers is one piece.
    pub(super) fn line_to(&mut self, end: Point) {
        if self.end() == end {
            return;
        }
        let before = match self.segments.as_slice() {
            [] | [Segment::Line(_)] => self.start,
            [
                ..,
                Segment::Line(before) | Segment::Curve(_, _, before),
                Segment::Line(_),
            ] => *before,
            [.., Segment::Curve(..)] => self.end(),
        };
        if let Some(Segment::Line(last)) = self.segments.last_mut()
            && before.x == last.x
            && last.x == end.x
        {
            *last = end;
        } else {
            self.segments.push(Segment::Line(end));
        }
    }

    /// Goes to a point in a curve that leaves and arrives along the layers.
    pub(super) fn bend_to(&mut self, end: Point) {
        let from = self.end();
        if from.x == end.x {
            self.line_to(end);
        } else {
            let middle = f64::midpoint(from.y, end.y);
            self.segments.push(Segment::Curve(
                point(from.x, middle),
                point(end.x, middle),
                end,
            ));
        }
    }

    /// Goes to a point along the layers, then across at `track`, then along again, with round corners.
    pub(super) fn turn_to(&mut self, track: f64, end: Point) {
        let from = self.end();
        let radius = [
            ROUND,
            (end.x - from.x).abs() / 2.0,
            (track - from.y).abs(),
            (end.y - track).abs(),
        ];
        let radius = radius.into_iter().fold(f64::INFINITY, f64::min);
        let across = radius.copysign(end.x - from.x);
        let along = radius.copysign(end.y - from.y);
        self.line_to(point(from.x, track - along));
        self.round(point(from.x, track), point(from.x + across, track));
        self.line_to(point(end.x - across, track));
        self.round(point(end.x, track), point(end.x, track + along));
        self.line_to(end);
    }

    /// A quarter of a circle around a corner.
    fn round(&mut self, corner: Point, end: Point) {
        let towards = |p: Point| {
            point(
                p.x + (corner.x - p.x) * QUARTER,
                p.y + (corner.y - p.y) * QUARTER,
            )
        };
        let from = self.end();
        self.segments
            .push(Segment::Curve(towards(from), towards(end), end));
    }

    /// How long it is, curves taken as straight.
    pub(super) fn length(&self) -> f64 {
        let mut from = self.start;
        let mut length = 0.0;
        for segment in &self.segments {
            let (Segment::Line(end) | Segment::Curve(_, _, end)) = *segment;
            length += (end.x - from.x).hypot(end.y - from.y);
            from = end;
        }
        length
    }

    /// Where it ends.
    pub fn end(&self) -> Point {
        match self.segments.last() {
            None => self.start,
            Some(Segment::Line(end) | Segment::Curve(_, _, end)) => *end,
        }
    }

    pub(super) fn transposed(self) -> Path {
        let transpose = |segment| match segment {
            Segment::Line(end) => Segment::Line(end.transposed()),
            Segment::Curve(a, b, end) => {
                Segment::Curve(a.transposed(), b.transposed(), end.transposed())
            }
        };
        Path {
            start: self.start.transposed(),
            segments: self.segments.into_iter().map(transpose).collect(),
        }
    }
}

/// A coordinate as it is written: to a tenth, without a useless `.0`.
pub fn number(value: f64) -> String {
    let tenths = (value * 10.0).round();
    // Adding zero turns a negative zero into a plain one.
    let value = tenths / 10.0 + 0.0;
    format!("{value}")
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{}", number(self.x), number(self.y))
    }
}

/// The path data of SVG.
impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "M{}", self.start)?;
        for segment in &self.segments {
            match segment {
                Segment::Line(end) => write!(f, " L{end}")?,
                Segment::Curve(a, b, end) => write!(f, " C{a} {b} {end}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn going_on_is_one_piece() {
        let mut path = Path::from(point(1.0, 0.0));
        for y in [5.0, 5.0, 10.0] {
            path.line_to(point(1.0, y));
        }
        path.bend_to(point(1.0, 12.0));
        assert_eq!(path.to_string(), "M1,0 L1,12");
        path.bend_to(point(9.0, 20.0));
        path.line_to(point(9.0, 25.0));
        path.line_to(point(9.0, 30.0));
        assert_eq!(path.to_string(), "M1,0 L1,12 C1,16 9,16 9,20 L9,30");
    }

    #[test]
    fn a_turn_has_round_corners_as_large_as_there_is_room() {
        let mut path = Path::from(point(0.0, 0.0));
        path.turn_to(20.0, point(100.0, 40.0));
        let text = path.to_string();
        assert!(
            text.starts_with("M0,0 L0,11 C0,16 4,20 9,20 L91,20 C"),
            "{text}"
        );
        assert!(text.ends_with(" 100,29 L100,40"), "{text}");
        let mut narrow = Path::from(point(0.0, 0.0));
        narrow.turn_to(20.0, point(-8.0, 40.0));
        assert!(narrow.to_string().starts_with("M0,0 L0,16 C"), "{narrow}");
    }

    #[test]
    fn numbers_are_short() {
        let numbers = [1.0, 1.25, -0.01, 100.04, 2.96];
        assert_eq!(numbers.map(number), ["1", "1.3", "0", "100", "3"]);
    }
}
