//! Equalities between sums, of which everything seen is an instance: `left + raised == 1000` (after Karr 1976, from samples as in
//! Sharma et al. 2013). What numbers have in common is so found without a guess at what it might be.

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

/// The equalities that all rows of numbers satisfy, from which all others follow; but for those of one number alone.
pub(super) fn equalities(rows: &[Vec<BigInt>]) -> Vec<Equality> {
    let Some((first, rest)) = rows.split_first() else {
        return Vec::new();
    };
    let differences = rest
        .iter()
        .map(|row| row.iter().zip(first).map(|(a, b)| a - b).collect());
    let steps = Echelon::of(differences);
    let all = steps.orthogonal(first.len()).into_iter();
    let few = all.filter(|factors| {
        let is_small = |factor: &BigInt| factor.abs() <= BigInt::from(LARGEST);
        let in_use = factors.iter().filter(|factor| !factor.is_zero());
        in_use.count() > 1 && factors.iter().all(is_small)
    });
    let told = few.map(|factors| Equality {
        sum: factors.iter().zip(first).map(|(f, n)| f * n).sum(),
        factors,
    });
    told.collect()
}

/// Rows, each with a column in which it alone is not zero.
struct Echelon {
    rows: Vec<(usize, Vec<BigInt>)>,
}

impl Echelon {
    /// The rows that these are sums of.
    fn of(rows: impl Iterator<Item = Vec<BigInt>>) -> Echelon {
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
        }
        echelon
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
        // A number that stays by itself is no sum.
        assert_eq!(found(&[&[1, 3], &[2, 3]]), []);
        assert_eq!(found(&[]), []);
    }

    #[test]
    fn fractions() {
        // 2a + 3b = 6, and c = a + 1.
        let rows: [&[i64]; 3] = [&[0, 2, 1], &[3, 0, 4], &[6, -2, 7]];
        assert_eq!(found(&rows), [(vec![2, 3, 0], 6), (vec![-1, 0, 1], 1)]);
    }
}
