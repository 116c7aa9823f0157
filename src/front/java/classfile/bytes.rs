//! Bytes in order, each step checked: what is missing is an error with its place, never a panic.

/// What is wrong with a class file, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("byte {offset}: {what}")]
pub struct Malformed {
    /// Counted from the beginning of the file.
    pub offset: usize,
    /// What is wrong there.
    pub what: String,
}

impl Malformed {
    /// That this is wrong there.
    pub fn at(offset: usize, what: impl Into<String>) -> Malformed {
        let what = what.into();
        Malformed { offset, what }
    }
}

/// What reading a part of a class file gives.
pub type Result<T> = std::result::Result<T, Malformed>;

/// A part of a file that is read from its beginning to its end. Places are counted from the beginning of the file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bytes<'a> {
    file: &'a [u8],
    at: usize,
    end: usize,
}

impl<'a> Bytes<'a> {
    /// A whole file.
    pub(super) fn new(file: &'a [u8]) -> Bytes<'a> {
        let end = file.len();
        Bytes { file, at: 0, end }
    }

    /// A part of a file; what does not lie in the file is not in the part.
    pub(super) fn part(file: &'a [u8], part: std::ops::Range<usize>) -> Bytes<'a> {
        let end = part.end.min(file.len());
        let at = part.start.min(end);
        Bytes { file, at, end }
    }

    /// Where the next byte stands.
    pub(super) fn offset(&self) -> usize {
        self.at
    }

    pub(super) fn is_empty(&self) -> bool {
        self.at >= self.end
    }

    /// How many bytes are left.
    pub(super) fn left(&self) -> usize {
        self.end.saturating_sub(self.at)
    }

    /// An error at the next byte.
    pub(super) fn malformed(&self, what: impl Into<String>) -> Malformed {
        Malformed::at(self.at, what)
    }

    /// The next bytes as a part of their own, which are then behind.
    pub(super) fn take(&mut self, length: usize) -> Result<Bytes<'a>> {
        if length > self.left() {
            let message = format!("{length} bytes should follow, and {} do", self.left());
            return Err(self.malformed(message));
        }
        let part = Bytes {
            end: self.at + length,
            ..*self
        };
        self.at = part.end;
        Ok(part)
    }

    /// All that is left.
    pub(super) fn rest(&self) -> &'a [u8] {
        self.file.get(self.at..self.end).unwrap_or_default()
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let part = self.take(N)?;
        let bytes = part.rest().first_chunk::<N>();
        bytes
            .copied()
            .ok_or_else(|| part.malformed("the file ends"))
    }

    pub(super) fn u1(&mut self) -> Result<u8> {
        self.array::<1>().map(|[byte]| byte)
    }

    pub(super) fn u2(&mut self) -> Result<u16> {
        self.array().map(u16::from_be_bytes)
    }

    pub(super) fn u4(&mut self) -> Result<u32> {
        self.array().map(u32::from_be_bytes)
    }

    pub(super) fn u8(&mut self) -> Result<u64> {
        self.array().map(u64::from_be_bytes)
    }

    pub(super) fn i1(&mut self) -> Result<i8> {
        self.array().map(i8::from_be_bytes)
    }

    pub(super) fn i2(&mut self) -> Result<i16> {
        self.array().map(i16::from_be_bytes)
    }

    pub(super) fn i4(&mut self) -> Result<i32> {
        self.array().map(i32::from_be_bytes)
    }

    /// A count of two bytes, then so many of what `one` reads.
    pub(super) fn list<T>(
        &mut self,
        one: impl FnMut(&mut Bytes<'a>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let count = self.u2()?;
        self.times(usize::from(count), one)
    }

    /// So many of what `one` reads.
    pub(super) fn times<T>(
        &mut self,
        count: usize,
        mut one: impl FnMut(&mut Bytes<'a>) -> Result<T>,
    ) -> Result<Vec<T>> {
        // The count may be a lie, so no more room is made than there are bytes.
        let mut found = Vec::with_capacity(count.min(self.left()));
        for _ in 0..count {
            found.push(one(self)?);
        }
        Ok(found)
    }
}
