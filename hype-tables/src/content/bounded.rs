//! Unpacking with a limit: a file of a few kilobytes can unpack to gigabytes.

use std::cell::Cell;
use std::io::{Error, ErrorKind, Read};
use std::rc::Rc;

/// The bytes that any file may unpack to.
const ALWAYS: u64 = 1 << 26;
/// How many times its size a file may unpack to. Tables compress to a fiftieth at most.
const MOST: u64 = 200;

/// A reader of what a decoder unpacks.
pub(super) struct Bounded<D> {
    decoder: D,
    packed: Rc<Cell<u64>>,
    unpacked: u64,
}

impl<D: Read> Bounded<D> {
    pub(super) fn new<R: Read>(input: R, decoder: impl FnOnce(Counted<R>) -> D) -> Self {
        let packed = Rc::new(Cell::new(0));
        let decoder = decoder(Counted { input, count: Rc::clone(&packed) });
        Self { decoder, packed, unpacked: 0 }
    }
}

impl<D: Read> Read for Bounded<D> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let count = self.decoder.read(out)?;
        self.unpacked += count as u64;
        if self.unpacked > ALWAYS && self.unpacked > MOST.saturating_mul(self.packed.get()) {
            let text = format!("it unpacks to more than {MOST} times its size, as no table does");
            return Err(Error::new(ErrorKind::InvalidData, text));
        }
        Ok(count)
    }
}

/// A reader that counts what is read.
pub(super) struct Counted<R> {
    input: R,
    count: Rc<Cell<u64>>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let count = self.input.read(out)?;
        self.count.set(self.count.get() + count as u64);
        Ok(count)
    }
}
