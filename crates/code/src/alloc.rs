//! The memory the engine is given: counted, limited, and refused once time is over. Every `unsafe` block for it.
//!
//! The engine asks whether to stop only now and then, counted in steps of the program: a loop around one expensive
//! built-in would run on for minutes. Such built-ins need large pieces of memory, so the allocator asks too.
#![allow(unsafe_code)]

use crate::frame::Cause;
use rquickjs::allocator::Allocator;
use rustix::time::{ClockId, clock_gettime};
use std::{
    alloc::{self, Layout},
    cell::Cell,
    ptr,
    rc::Rc,
    time::Duration,
};

/// Pieces at least this large are refused when memory or time is over, which the program sees as an error. The engine
/// takes small objects from arenas of 4 KiB; refusing those can hit places where it does not know what to do.
const LARGE_BYTES: usize = 8192;
/// What small pieces may go beyond the limit, so that the engine can still throw and unwind while it is being stopped.
const OVERDRAFT_BYTES: usize = 8 << 20;
/// The engine aligns what it keeps to this, and so is what lies behind the header.
const ALIGN: usize = 16;
/// Before each piece stands its size.
const HEADER: usize = ALIGN;

/// What a run has used, and whether it has to stop. Shared by the allocator, the interrupt handler and `engine`.
#[derive(Debug)]
pub(crate) struct Gauge {
    memory_bytes: usize,
    cpu: Duration,
    begun: Duration,
    used: Cell<usize>,
    stopped: Cell<Option<Cause>>,
    refused: Cell<bool>,
}

impl Gauge {
    pub(crate) fn new(memory_bytes: usize, cpu: Duration) -> Rc<Self> {
        let (used, stopped, refused) = (Cell::new(0), Cell::new(None), Cell::new(false));
        Rc::new(Self { memory_bytes, cpu, begun: processor_time(), used, stopped, refused })
    }

    /// What made the run stop, if anything did. Once it is there, nothing of what the program does counts.
    pub(crate) fn stopped(&self) -> Option<Cause> {
        self.stopped.get()
    }

    /// Makes the run stop. The first cause is the one that is told.
    pub(crate) fn stop(&self, cause: Cause) {
        self.stopped.set(self.stopped.get().or(Some(cause)));
    }

    /// Whether the run has to stop; looks at the clock.
    pub(crate) fn must_stop(&self) -> bool {
        if self.stopped.get().is_none() && processor_time().saturating_sub(self.begun) > self.cpu {
            self.stop(Cause::Time);
        }
        self.stopped.get().is_some()
    }

    /// Whether memory was ever refused: an error thrown after that is best explained by it.
    pub(crate) fn refused(&self) -> bool {
        self.refused.get()
    }

    /// Whether `more` bytes may be had in the place of `less`.
    fn grants(&self, less: usize, more: usize) -> bool {
        let after = self.used.get() - less + more;
        let large = more >= LARGE_BYTES;
        if large && self.must_stop() {
            return false;
        }
        if after <= self.memory_bytes {
            return true;
        }
        if large || after > self.memory_bytes + OVERDRAFT_BYTES {
            self.refused.set(true);
            return false;
        }
        self.stop(Cause::Memory);
        true
    }
}

/// Gives the engine what the gauge allows.
pub(crate) struct Counted(pub(crate) Rc<Gauge>);

// SAFETY: every piece comes from the global allocator with `HEADER` bytes before it that hold its size, so it is as large
// as asked for, aligned to `ALIGN`, and can be given back with the same layout.
unsafe impl Allocator for Counted {
    fn alloc(&mut self, size: usize) -> *mut u8 {
        self.take(size, alloc::alloc)
    }

    fn calloc(&mut self, count: usize, size: usize) -> *mut u8 {
        count.checked_mul(size).map_or(ptr::null_mut(), |size| self.take(size, alloc::alloc_zeroed))
    }

    unsafe fn dealloc(&mut self, piece: *mut u8) {
        // SAFETY: the engine gives back only what it was given here, once.
        unsafe {
            let size = size_of_piece(piece);
            if let Some(layout) = layout(size) {
                alloc::dealloc(piece.sub(HEADER), layout);
                self.0.used.set(self.0.used.get() - size);
            }
        }
    }

    unsafe fn realloc(&mut self, piece: *mut u8, new_size: usize) -> *mut u8 {
        // SAFETY: as for `dealloc`; the size in the header is brought up to date.
        unsafe {
            if piece.is_null() {
                return self.alloc(new_size);
            }
            let size = size_of_piece(piece);
            let (Some(old), Some(new)) = (layout(size), layout(new_size)) else { return ptr::null_mut() };
            if !self.0.grants(size, new_size) {
                return ptr::null_mut();
            }
            let moved = alloc::realloc(piece.sub(HEADER), old, new.size());
            if moved.is_null() {
                return ptr::null_mut();
            }
            self.0.used.set(self.0.used.get() - size + new_size);
            moved.cast::<usize>().write(new_size);
            moved.add(HEADER)
        }
    }

    unsafe fn usable_size(piece: *mut u8) -> usize {
        // SAFETY: as for `dealloc`.
        unsafe { size_of_piece(piece) }
    }
}

impl Counted {
    fn take(&mut self, size: usize, how: unsafe fn(Layout) -> *mut u8) -> *mut u8 {
        let Some(layout) = layout(size) else { return ptr::null_mut() };
        if !self.0.grants(0, size) {
            return ptr::null_mut();
        }
        // SAFETY: the layout has at least `HEADER` bytes; the size is written into the first of them.
        unsafe {
            let start = how(layout);
            if start.is_null() {
                return ptr::null_mut();
            }
            self.0.used.set(self.0.used.get() + size);
            start.cast::<usize>().write(size);
            start.add(HEADER)
        }
    }
}

/// SAFETY: `piece` must have come from [`Counted`].
unsafe fn size_of_piece(piece: *mut u8) -> usize {
    // SAFETY: its header lies before it and holds its size.
    unsafe { piece.sub(HEADER).cast::<usize>().read() }
}

fn layout(size: usize) -> Option<Layout> {
    Layout::from_size_align(size.checked_add(HEADER)?, ALIGN).ok()
}

fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_secs(3600);

    #[test]
    fn after_its_time_a_program_gets_nothing_large() {
        let gauge = Gauge::new(1 << 20, Duration::ZERO);
        assert!(gauge.grants(0, LARGE_BYTES - 1), "small pieces are for unwinding");
        assert_eq!(gauge.stopped(), None);
        assert!(!gauge.grants(0, LARGE_BYTES));
        assert_eq!(gauge.stopped(), Some(Cause::Time));
        gauge.stop(Cause::Calls);
        assert_eq!(gauge.stopped(), Some(Cause::Time), "the first cause is told");
        assert!(!gauge.refused(), "it was not memory");
    }

    #[test]
    fn beyond_its_memory_a_program_gets_only_what_ends_it() {
        let gauge = Gauge::new(1 << 20, HOUR);
        assert!(gauge.grants(0, 1 << 20));
        assert!(!gauge.grants(0, (1 << 20) + 1));
        assert!(gauge.refused());
        assert_eq!(gauge.stopped(), None, "a program may catch that");
        gauge.used.set(1 << 20);
        assert!(gauge.grants(LARGE_BYTES, LARGE_BYTES), "what is given back counts");
        assert!(gauge.grants(0, 100));
        assert_eq!(gauge.stopped(), Some(Cause::Memory), "many small pieces it may not");
        gauge.used.set((1 << 20) + OVERDRAFT_BYTES);
        assert!(!gauge.grants(0, 1));
    }

    #[test]
    fn every_byte_is_counted_and_given_back() {
        let gauge = Gauge::new(1 << 20, HOUR);
        let mut counted = Counted(gauge.clone());
        let zeroed = counted.calloc(10, 10);
        // SAFETY: each piece is used within its size and given back once.
        unsafe {
            assert_eq!((Counted::usable_size(zeroed), gauge.used.get()), (100, 100));
            assert_eq!(std::slice::from_raw_parts(zeroed, 100), [0; 100]);
            zeroed.write_bytes(7, 100);
            let grown = counted.realloc(zeroed, 5000);
            assert_eq!((std::slice::from_raw_parts(grown, 100), gauge.used.get()), (&[7; 100][..], 5000));
            assert!(counted.realloc(grown, 2 << 20).is_null(), "and the old piece stays");
            assert_eq!(gauge.used.get(), 5000);
            let other = counted.alloc(16);
            assert_eq!((other.addr() % ALIGN, grown.addr() % ALIGN), (0, 0));
            counted.dealloc(other);
            counted.dealloc(grown);
        }
        assert_eq!(gauge.used.get(), 0);
        assert!(counted.calloc(usize::MAX, 2).is_null());
        assert!(counted.alloc(usize::MAX).is_null());
    }
}
