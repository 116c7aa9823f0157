//! Equalities between sums, of which everything seen is an instance: `left + raised == 1000` (after Karr 1976, from samples as in
//! Sharma et al. 2013). What numbers have in common is so found without a guess at what it might be.

use std::collections::BTreeSet;

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, Zero};

/// Larger factors are chance.
const LARGEST: u32 = 100;

/// That the sum of numbers, each times a factor, is a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Equality {
    /// The factors, one a number.
    pub factors: Vec<BigInt>,
    /// What the sum is.
    pub sum: BigInt,
}

impl Equality {
    /// Whether it speaks of no other columns.
    fn is_within(&self, columns: &[usize]) -> bool {
        let mut factors = self.factors.iter().enumerate();
        factors.all(|(column, factor)| factor.is_zero() || columns.contains(&column))
    }
}

/// The equalities of two numbers that all rows satisfy, and those of three, where no two of these make one. Of more numbers at
/// once, as many rows as there mostly are satisfy too much by chance. Fewer rows than numbers and one more say nothing.
pub(super) fn equalities(rows: &[Vec<BigInt>]) -> Vec<Equality> {
    let changes = |column: &usize| rows.iter().any(|row| row[*column] != rows[0][*column]);
    let columns = rows.first().map_or(0, Vec::len);
    let columns: Vec<usize> = (0..columns).filter(changes).collect();
    let mut found: Vec<Equality> = Vec::new();
    for (at, a) in columns.iter().enumerate() {
        let pairs = columns[at + 1..].iter().map(|b| [*a, *b]);
        found.extend(pairs.filter_map(|pair| of_columns(rows, &pair)));
    }
    let pairs = found.len();
    for (first, a) in columns.iter().enumerate() {
        for (second, b) in columns.iter().enumerate().skip(first + 1) {
            for c in &columns[second + 1..] {
                let three = [*a, *b, *c];
                if !found[..pairs].iter().any(|pair| pair.is_within(&three)) {
                    found.extend(of_columns(rows, &three));
                }
            }
        }
    }
    found
}

/// The equality of these columns, and no fewer, that all rows satisfy.
fn of_columns(rows: &[Vec<BigInt>], columns: &[usize]) -> Option<Equality> {
    let first = rows.first()?;
    let difference = |row: &Vec<BigInt>| {
        let changes = columns.iter().map(|c| &row[*c] - &first[*c]);
        changes.collect()
    };
    let steps = Echelon::of(rows.iter().map(difference), columns.len())?;
    let all = steps.orthogonal(columns.len()).into_iter();
    let factors = all.last().filter(|factors| {
        let is_plain = |f: &BigInt| !f.is_zero() && f.abs() <= BigInt::from(LARGEST);
        factors.iter().all(is_plain)
    })?;
    let point = |row: &Vec<BigInt>| columns.iter().map(|c| row[*c].clone()).collect();
    let points: BTreeSet<Vec<BigInt>> = rows.iter().map(point).collect();
    if points.len() <= columns.len() {
        return None;
    }
    let mut equality = Equality {
        factors: vec![BigInt::zero(); first.len()],
        sum: BigInt::zero(),
    };
    for (column, factor) in columns.iter().zip(factors) {
        equality.sum += &factor * &first[*column];
        equality.factors[*column] = factor;
    }
    Some(equality)
}

/// Rows, each with a column in which it alone is not zero.
struct Echelon {
    rows: Vec<(usize, Vec<BigInt>)>,
}

impl Echelon {
    /// The rows that these are sums of; none where everything is.
    fn of(rows: impl Iterator<Item = Vec<BigInt>>, columns: usize) -> Option<Echelon> {
        let mut echelon = Echelon { rows: Vec::new() };
        for mut row in rows {
            for (column, known) in &echelon.rows {
                clear(&mut row, *column, known);
            }
            let Some(column) = row.iter().position(|n| !n.is_zero()) else {
                continue;
            };
            for (_, known) in &mut echelon.rows {
                clear(known, column, &row);
            }
            echelon.rows.push((column, row));
            if echelon.rows.len() == columns {
                return None;
            }
        }
        Some(echelon)
    }

    /// The factors with which every row sums up to zero: one for each column that is no row's own.
    fn orthogonal(&self, columns: usize) -> Vec<Vec<BigInt>> {
        let is_own = |column: &usize| self.rows.iter().any(|(own, _)| own == column);
        let free = (0..columns).filter(|column| !is_own(column));
        let factors = free.map(|free| {
            let leading = self.rows.iter().map(|(column, row)| row[*column].clone());
            let scale = leading.fold(BigInt::one(), |all, n| all.lcm(&n));
            let mut factors = vec![BigInt::zero(); columns];
            for (column, row) in &self.rows {
                factors[*column] = -&row[free] * &scale / &row[*column];
            }
            factors[free] = scale;
            shorten(&mut factors);
            factors
        });
        factors.collect()
    }
}

/// Makes a column of a row zero, by another row in which it is not.
fn clear(row: &mut [BigInt], column: usize, by: &[BigInt]) {
    if row[column].is_zero() {
        return;
    }
    let (own, other) = (by[column].clone(), row[column].clone());
    for (n, b) in row.iter_mut().zip(by) {
        *n = &*n * &own - b * &other;
    }
    shorten(row);
}

/// Divides by what all have in common.
fn shorten(row: &mut [BigInt]) {
    let common = row.iter().fold(BigInt::zero(), |all, n| all.gcd(n));
    if common > BigInt::one() {
        row.iter_mut().for_each(|n| *n = &*n / &common);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(rows: &[&[i64]]) -> Vec<(Vec<i64>, i64)> {
        let number = |n: &BigInt| i64::try_from(n).expect("small");
        let rows: Vec<Vec<BigInt>> = (rows.iter())
            .map(|row| row.iter().map(|n| BigInt::from(*n)).collect())
            .collect();
        let all = equalities(&rows).into_iter();
        all.map(|e| (e.factors.iter().map(number).collect(), number(&e.sum)))
            .collect()
    }

    #[test]
    fn a_sum_that_stays() {
        let rows: [&[i64]; 3] = [&[1000, 0, 7], &[600, 400, 9], &[1, 999, 3]];
        assert_eq!(found(&rows), [(vec![1, 1, 0], 1000)]);
    }

    #[test]
    fn twice_as_much_and_one_more() {
        let rows: [&[i64]; 3] = [&[1, 3], &[2, 5], &[10, 21]];
        assert_eq!(found(&rows), [(vec![-2, 1], 1)]);
    }

    #[test]
    fn nothing_in_common() {
        let rows: [&[i64]; 3] = [&[1, 3], &[2, 5], &[10, 20]];
        assert_eq!(found(&rows), []);
        // Two points are always on a line; and a number that stays by itself is no sum.
        assert_eq!(found(&[&[1, 3], &[2, 5]]), []);
        assert_eq!(found(&[&[1, 3], &[2, 3]]), []);
        assert_eq!(found(&[]), []);
    }

    /// a + b + c = 10, and no two of them alone.
    #[test]
    fn three_numbers() {
        let rows: [&[i64]; 4] = [&[10, 0, 0, 1], &[3, 7, 0, 2], &[3, 3, 4, 4], &[0, 1, 9, 0]];
        assert_eq!(found(&rows), [(vec![1, 1, 1, 0], 10)]);
    }

    #[test]
    fn fractions() {
        // 2a + 3b = 6, and c = a + 1.
        let rows: [&[i64]; 3] = [&[0, 2, 1], &[3, 0, 4], &[6, -2, 7]];
        let all = [(vec![2, 3, 0], 6), (vec![-1, 0, 1], 1), (vec![0, 3, 2], 8)];
        assert_eq!(found(&rows), all);
    }
}
