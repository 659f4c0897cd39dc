//! Follows the entropy-coded data of a sequential scan without computing any pixel.
//!
//! The decoder replaces data missing before a marker by zeros, and skips surplus data; both are
//! signs of a gap. Here every block must be present, followed directly by the marker.

use super::Flaw;

/// The number of bytes that some writers leave between the last block and the next marker.
const PADDING: usize = 8;

/// A component of the frame.
#[derive(Debug, Clone, Copy)]
pub(super) struct Component {
    pub(super) id: u8,
    pub(super) across: u32,
    pub(super) down: u32,
}

/// A Huffman table (T.81, annex C).
struct Table {
    /// For each length, the first 16-bit word after the codes of that length.
    past: [u32; 17],
    /// For each length, the offset from a code to the index of its symbol.
    shift: [i32; 17],
    symbols: Vec<u8>,
}

/// The parameters needed to follow a scan.
#[derive(Default)]
pub(super) struct State {
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) components: Vec<Component>,
    direct: [Option<Table>; 4],
    alternating: [Option<Table>; 4],
    restart: u32,
}

/// The direct and alternating tables of a component and its blocks in each unit.
type Blocks<'a> = (&'a Table, &'a Table, u32);

impl State {
    /// Reads the tables of a DHT segment.
    pub(super) fn tables(&mut self, mut segment: &[u8]) -> Result<(), Flaw> {
        let broken = || Flaw::corrupt("a Huffman table is broken");
        while let Some((&place, rest)) = segment.split_first() {
            let (counts, rest) = rest.split_first_chunk::<16>().ok_or_else(broken)?;
            let total: usize = counts.iter().map(|&count| usize::from(count)).sum();
            let symbols = rest.get(..total).ok_or_else(broken)?;
            let slots = match place >> 4 {
                0 => &mut self.direct,
                1 => &mut self.alternating,
                _ => return Err(broken()),
            };
            let slot = slots.get_mut(usize::from(place & 15)).ok_or_else(broken)?;
            *slot = Some(Table::new(counts, symbols).ok_or_else(broken)?);
            segment = &rest[total..];
        }
        Ok(())
    }

    /// Reads a DRI segment.
    pub(super) fn interval(&mut self, segment: &[u8]) -> Result<(), Flaw> {
        let &[high, low] =
            segment.first_chunk::<2>().ok_or_else(|| Flaw::corrupt("its restart interval is broken"))?;
        self.restart = u32::from(u16::from_be_bytes([high, low]));
        Ok(())
    }

    /// Follows a scan's data and returns where they end.
    pub(super) fn follow(&self, header: &[u8], bytes: &[u8], from: usize) -> Result<usize, Flaw> {
        let (blocks, units) = self.plan(header)?;
        let mut bits = Bits { bytes, at: from, word: 0, count: 0 };
        for unit in 0..units {
            if self.restart > 0 && unit > 0 && unit % u64::from(self.restart) == 0 {
                bits.restart(unit / u64::from(self.restart))?;
            }
            for (direct, alternating, count) in &blocks {
                for _ in 0..*count {
                    bits.block(direct, alternating)?;
                }
            }
        }
        bits.finish()
    }

    /// The tables and numbers of blocks of each unit (T.81, A.2), and the number of units.
    fn plan<'a>(&'a self, header: &[u8]) -> Result<(Vec<Blocks<'a>>, u64), Flaw> {
        let broken = || Flaw::corrupt("a scan header is broken");
        let (&count, rest) = header.split_first().ok_or_else(broken)?;
        let listed = rest.get(..usize::from(count) * 2).ok_or_else(broken)?;
        let most = |side: fn(&Component) -> u32| self.components.iter().map(side).max();
        let across = most(|one| one.across).ok_or_else(broken)?;
        let down = most(|one| one.down).ok_or_else(broken)?;
        let mut blocks = Vec::new();
        let mut units =
            u64::from(self.width.div_ceil(8 * across)) * u64::from(self.height.div_ceil(8 * down));
        for &[id, places] in listed.as_chunks::<2>().0 {
            let component = self.components.iter().find(|one| one.id == id);
            let component = component.ok_or_else(broken)?;
            let slot = |tables: &'a [Option<Table>; 4], place: u8| {
                tables
                    .get(usize::from(place))
                    .and_then(Option::as_ref)
                    .ok_or_else(|| Flaw::corrupt("a scan uses a Huffman table that is missing"))
            };
            let direct = slot(&self.direct, places >> 4)?;
            let alternating = slot(&self.alternating, places & 15)?;
            let mut each = component.across * component.down;
            if count == 1 {
                // A component alone is not padded to whole units.
                each = 1;
                let columns = (self.width * component.across).div_ceil(across).div_ceil(8);
                let rows = (self.height * component.down).div_ceil(down).div_ceil(8);
                units = u64::from(columns) * u64::from(rows);
            }
            blocks.push((direct, alternating, each));
        }
        if blocks.is_empty() {
            return Err(broken());
        }
        Ok((blocks, units))
    }
}

impl Table {
    fn new(counts: &[u8; 16], symbols: &[u8]) -> Option<Self> {
        let mut past = [0; 17];
        let mut shift = [0; 17];
        let mut code = 0_u32;
        let mut before = 0_i32;
        for length in 1..=16 {
            let count = u32::from(counts[length - 1]);
            shift[length] = before - code.cast_signed();
            code += count;
            before += count.cast_signed();
            if code > 1 << length {
                return None;
            }
            past[length] = code << (16 - length);
            code <<= 1;
        }
        Some(Self { past, shift, symbols: symbols.to_vec() })
    }
}

struct Bits<'a> {
    bytes: &'a [u8],
    at: usize,
    word: u64,
    count: u32,
}

impl Bits<'_> {
    /// The next byte of data; `None` at a marker or at the end.
    fn next(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.at)?;
        if byte == 0xff {
            if self.bytes.get(self.at + 1) != Some(&0) {
                return None;
            }
            self.at += 1;
        }
        self.at += 1;
        Some(byte)
    }

    fn fill(&mut self) {
        while self.count <= 48 {
            let Some(byte) = self.next() else {
                break;
            };
            self.word = self.word << 8 | u64::from(byte);
            self.count += 8;
        }
    }

    fn skip(&mut self, bits: u32) -> Result<(), Flaw> {
        if self.count < bits {
            self.fill();
        }
        self.count =
            self.count.checked_sub(bits).ok_or_else(|| Flaw::corrupt("a part of its data is missing"))?;
        Ok(())
    }

    fn symbol(&mut self, table: &Table) -> Result<u8, Flaw> {
        if self.count < 16 {
            self.fill();
        }
        // Ones follow after the end, as in T.81; they are not a code.
        let ahead = if self.count >= 16 {
            self.word >> (self.count - 16)
        } else {
            let lack = 16 - self.count;
            self.word << lack | ((1 << lack) - 1)
        } as u32
            & 0xffff;
        for length in 1..=16_u32 {
            if ahead < table.past[length as usize] {
                self.skip(length)?;
                let place = (ahead >> (16 - length)).cast_signed() + table.shift[length as usize];
                let symbol = usize::try_from(place).ok().and_then(|at| table.symbols.get(at));
                return symbol.copied().ok_or_else(|| Flaw::corrupt("its data contain an invalid code"));
            }
        }
        Err(Flaw::corrupt(if self.count < 16 {
            "a part of its data is missing"
        } else {
            "its data contain an invalid code"
        }))
    }

    fn block(&mut self, direct: &Table, alternating: &Table) -> Result<(), Flaw> {
        let size = self.symbol(direct)?;
        self.skip(u32::from(size & 15))?;
        let mut place = 1;
        while place < 64 {
            let symbol = self.symbol(alternating)?;
            let (run, size) = (u32::from(symbol >> 4), u32::from(symbol & 15));
            match (run, size) {
                (15, 0) => place += 16,
                (_, 0) => break,
                _ => {
                    place += run + 1;
                    self.skip(size)?;
                }
            }
        }
        if place > 64 {
            return Err(Flaw::corrupt("its data run over the end of a block"));
        }
        Ok(())
    }

    /// Skips the partial byte, and checks that little follows before a marker.
    fn finish(&mut self) -> Result<usize, Flaw> {
        let mut left = (self.count / 8) as usize;
        while left <= PADDING && self.next().is_some() {
            left += 1;
        }
        if left > PADDING {
            return Err(Flaw::corrupt("its data continue after its last block"));
        }
        self.count = 0;
        Ok(self.at)
    }

    /// Skips the restart marker that ends interval `number`, counted from one.
    fn restart(&mut self, number: u64) -> Result<(), Flaw> {
        self.finish()?;
        while self.bytes.get(self.at + 1) == Some(&0xff) {
            self.at += 1;
        }
        let wanted = 0xd0 + ((number - 1) % 8) as u8;
        if self.bytes.get(self.at + 1) != Some(&wanted) {
            return Err(Flaw::corrupt("a part of its data between restarts is missing"));
        }
        self.at += 2;
        Ok(())
    }
}
