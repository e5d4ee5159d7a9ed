//! A stream that no piece of text or markup can fill the memory from.

use std::io::{self, BufRead, BufReader, Read};

/// Reads bytes, counts them, and leaves out what is too long.
///
/// A run of text (no `<` and no `>` in it) over the limit is cut: the reader of XML sees its start, and then what
/// follows it. This is no parser: it only sees angle brackets, and that is enough for a bound.
#[derive(Debug)]
pub(crate) struct Bounded<R> {
    inner: BufReader<R>,
    /// The longest run, in bytes, up to the size of the buffer.
    limit: usize,
    /// The bytes consumed so far, left-out ones included.
    position: u64,
    /// The bytes since the last angle bracket.
    run: usize,
    /// Whether the last angle bracket opened a tag.
    in_tag: bool,
    /// Where the present piece started, as the caller says.
    mark: u64,
    cut: bool,
    too_large: bool,
}

impl<R: Read> Bounded<R> {
    pub(crate) fn new(inner: R, limit: usize) -> Self {
        Self {
            inner: BufReader::with_capacity(1 << 16, inner),
            limit,
            position: 0,
            run: 0,
            in_tag: false,
            mark: 0,
            cut: false,
            too_large: false,
        }
    }

    /// Returns how many bytes of the stream were used.
    pub(crate) fn position(&self) -> u64 {
        self.position
    }

    /// Returns the limit of a piece, in bytes.
    pub(crate) fn limit(&self) -> usize {
        self.limit
    }

    /// Says that a piece is done and the next one starts.
    pub(crate) fn mark(&mut self) {
        self.mark = self.position;
    }

    /// Returns whether text was cut since the last call.
    pub(crate) fn take_cut(&mut self) -> bool {
        std::mem::take(&mut self.cut)
    }

    /// Returns whether one piece of markup was beyond the limit, after which nothing is read.
    pub(crate) fn is_too_large(&self) -> bool {
        self.too_large
    }

    /// Goes on to a position without looking at what is between.
    pub(crate) fn skip_to(&mut self, position: u64) -> io::Result<()> {
        while self.position < position {
            let length = self.inner.fill_buf()?.len();
            if length == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            let step = length.min(usize::try_from(position - self.position).unwrap_or(usize::MAX));
            self.inner.consume(step);
            self.position += step as u64;
        }
        self.run = 0;
        self.in_tag = false;
        self.mark();
        Ok(())
    }

    /// Leaves out the rest of a run that is too long.
    fn leave_out(&mut self) -> io::Result<()> {
        let end = if self.in_tag { b'>' } else { b'<' };
        self.cut = true;
        loop {
            let buffer = self.inner.fill_buf()?;
            let found = memchr::memchr(end, buffer);
            let step = found.unwrap_or(buffer.len());
            let done = found.is_some() || buffer.is_empty();
            self.inner.consume(step);
            self.position += step as u64;
            self.mark += step as u64;
            if done {
                self.run = 0;
                return Ok(());
            }
        }
    }
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let buffer = self.fill_buf()?;
        let length = buffer.len().min(into.len());
        into[..length].copy_from_slice(&buffer[..length]);
        self.consume(length);
        Ok(length)
    }
}

impl<R: Read> BufRead for Bounded<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.run > self.limit {
            self.leave_out()?;
        }
        // Only comments and CDATA sections come here: they may be full of angle brackets.
        if self.position - self.mark > 2 * self.limit as u64 {
            self.too_large = true;
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.inner.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        let consumed = &self.inner.buffer()[..amount.min(self.inner.buffer().len())];
        match memchr::memrchr2(b'<', b'>', consumed) {
            Some(last) => {
                self.run = consumed.len() - last - 1;
                self.in_tag = consumed[last] == b'<';
            }
            None => self.run += consumed.len(),
        }
        self.position += consumed.len() as u64;
        self.inner.consume(amount);
    }
}
