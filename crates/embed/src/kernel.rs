//! What needs the machine itself: dot products with vector instructions, and memory that goes back to the system at
//! once. Every `unsafe` block of this crate stands here; what is computed with it is for `forward`.
//!
//! Products are sums of integers, so every machine gets the same ones, with or without vector instructions.
#![allow(unsafe_code)]

use std::{
    io,
    ops::Deref,
    ptr::{self, NonNull},
};

/// How many weights and inputs one step multiplies: what one 256-bit register holds as 16-bit integers.
pub(crate) const STEP: usize = 16;

/// How many rows of weights a tile has. With four inputs, sums and what is multiplied fit into sixteen registers.
pub(crate) const TILE_ROWS: usize = 2;

/// How many inputs a tile has.
pub(crate) const TILE_INPUTS: usize = 4;

/// Eight-bit weights of two rows, which are of the same length.
pub(crate) type WeightRows<'a> = [&'a [[u8; STEP]]; TILE_ROWS];

/// Inputs of four tokens, each as long as a row of weights.
pub(crate) type InputRows<'a> = [&'a [[i16; STEP]]; TILE_INPUTS];

/// The product of each row of weights with each input.
pub(crate) type Tile = [[i32; TILE_INPUTS]; TILE_ROWS];

/// Multiplies rows of weights with inputs. The weights are signed bytes.
#[inline]
pub(crate) fn tile(weights: WeightRows<'_>, inputs: InputRows<'_>) -> Tile {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the processor was asked and has AVX2.
        return unsafe { tile_avx2(weights, inputs) };
    }
    tile_plain(weights, inputs)
}

/// Runs `work` compiled for the widest vectors this processor has. It must be inlined: mark the closure and all it
/// calls `#[inline(always)]`.
#[inline]
pub(crate) fn widest<R>(work: impl FnOnce() -> R) -> R {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the processor was asked and has AVX2.
        return unsafe { with_avx2(work) };
    }
    work()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn with_avx2<R>(work: impl FnOnce() -> R) -> R {
    work()
}

/// The same products without vector instructions.
fn tile_plain(weights: WeightRows<'_>, inputs: InputRows<'_>) -> Tile {
    weights.map(|row| {
        inputs.map(|input| {
            let steps = row.iter().zip(input);
            steps
                .map(|(row, input)| {
                    let products =
                        row.iter().zip(input).map(|(w, i)| i32::from(w.cast_signed()) * i32::from(*i));
                    products.sum::<i32>()
                })
                .sum()
        })
    })
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn tile_avx2(weights: WeightRows<'_>, inputs: InputRows<'_>) -> Tile {
    use std::arch::x86_64::{
        _mm_loadu_si128, _mm256_add_epi32, _mm256_cvtepi8_epi16, _mm256_loadu_si256, _mm256_madd_epi16,
        _mm256_setzero_si256,
    };
    let ([first, second], [a, b, c, d]) = (weights, inputs);
    let mut sums = [[_mm256_setzero_si256(); TILE_INPUTS]; TILE_ROWS];
    let steps = first.len();
    let second = &second[..steps];
    let (a, b, c, d) = (&a[..steps], &b[..steps], &c[..steps], &d[..steps]);
    // Loops instead of closures: a closure that is called from elsewhere would be compiled without AVX2.
    for step in 0..steps {
        // SAFETY: sixteen bytes are 128 bits, sixteen 16-bit integers are 256, and a load need not be aligned.
        let (rows, inputs) = unsafe {
            let first = _mm_loadu_si128(ptr::from_ref(&first[step]).cast());
            let second = _mm_loadu_si128(ptr::from_ref(&second[step]).cast());
            let a = _mm256_loadu_si256(ptr::from_ref(&a[step]).cast());
            let b = _mm256_loadu_si256(ptr::from_ref(&b[step]).cast());
            let c = _mm256_loadu_si256(ptr::from_ref(&c[step]).cast());
            let d = _mm256_loadu_si256(ptr::from_ref(&d[step]).cast());
            ([_mm256_cvtepi8_epi16(first), _mm256_cvtepi8_epi16(second)], [a, b, c, d])
        };
        for row in 0..TILE_ROWS {
            for input in 0..TILE_INPUTS {
                let products = _mm256_madd_epi16(rows[row], inputs[input]);
                sums[row][input] = _mm256_add_epi32(sums[row][input], products);
            }
        }
    }
    let [first, second] = sums;
    [add_across(first), add_across(second)]
}

/// Adds up the eight integers of each register.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn add_across(registers: [std::arch::x86_64::__m256i; TILE_INPUTS]) -> [i32; TILE_INPUTS] {
    use std::arch::x86_64::{
        _mm_add_epi32, _mm_storeu_si128, _mm256_castsi256_si128, _mm256_extracti128_si256, _mm256_hadd_epi32,
    };
    let [a, b, c, d] = registers;
    let halves = _mm256_hadd_epi32(_mm256_hadd_epi32(a, b), _mm256_hadd_epi32(c, d));
    let sum = _mm_add_epi32(_mm256_castsi256_si128(halves), _mm256_extracti128_si256::<1>(halves));
    let mut sums = [0; TILE_INPUTS];
    // SAFETY: four 32-bit integers are 128 bits, and a store need not be aligned.
    unsafe { _mm_storeu_si128(ptr::from_mut(&mut sums).cast(), sum) };
    sums
}

/// Memory of its own from the system, given back when dropped. An allocator would keep as much for later, and a
/// steward that rests must not hold what it does not need.
pub(crate) struct Pages {
    start: NonNull<u8>,
    length: usize,
}

// SAFETY: the memory belongs to this value alone and is only read once it was filled.
unsafe impl Send for Pages {}
// SAFETY: as above.
unsafe impl Sync for Pages {}

impl Pages {
    /// So many bytes, filled by `fill`.
    pub(crate) fn filled(length: usize, fill: impl FnOnce(&mut [u8]) -> io::Result<()>) -> io::Result<Self> {
        // SAFETY: a new anonymous mapping touches no memory that anybody has.
        let start = unsafe {
            libc::mmap(
                ptr::null_mut(),
                length,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let start = NonNull::new(start.cast()).ok_or(io::ErrorKind::OutOfMemory)?;
        let pages = Self { start, length };
        // SAFETY: the mapping is `length` zeroed bytes, and nobody else has it yet.
        fill(unsafe { std::slice::from_raw_parts_mut(pages.start.as_ptr(), length) })?;
        Ok(pages)
    }
}

impl Deref for Pages {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // SAFETY: the mapping is `length` bytes that live as long as this value and are not written any more.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.length) }
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: the mapping is this value's own, and no reference into it outlives the value.
        if unsafe { libc::munmap(self.start.as_ptr().cast(), self.length) } != 0 {
            tracing::warn!(error = %io::Error::last_os_error(), "memory of the weights stays");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that look random and are the same every time.
    fn noise(seed: u32) -> impl Iterator<Item = u32> {
        std::iter::successors(Some(seed), |last| {
            Some(last.wrapping_mul(1_664_525).wrapping_add(1_013_904_223))
        })
        .map(|it| it >> 8)
    }

    #[test]
    fn every_machine_gets_the_same_products() {
        for steps in [1, 2, 24, 96] {
            let weights: Vec<[u8; STEP]> = noise(1)
                .take(TILE_ROWS * steps)
                .map(|seed| std::array::from_fn(|at| (seed >> (at % 9)) as u8))
                .collect();
            let inputs: Vec<[i16; STEP]> = noise(2)
                .take(TILE_INPUTS * steps)
                .map(|seed| std::array::from_fn(|at| ((seed >> (at % 7)) % 16_383) as i16 - 8191))
                .collect();
            let weights: WeightRows<'_> = std::array::from_fn(|row| &weights[row * steps..][..steps]);
            let inputs: InputRows<'_> = std::array::from_fn(|row| &inputs[row * steps..][..steps]);
            assert_eq!(tile(weights, inputs), tile_plain(weights, inputs), "{steps} steps");
        }
    }

    #[test]
    fn the_greatest_products_do_not_overflow() {
        let weights = vec![[(-127_i8).cast_unsigned(); STEP]; 96];
        let inputs = vec![[8191_i16; STEP]; 96];
        let product = tile([&weights; TILE_ROWS], [&inputs; TILE_INPUTS]);
        assert_eq!(product, [[-127 * 8191 * 96 * 16; TILE_INPUTS]; TILE_ROWS]);
    }

    #[test]
    fn pages_hold_what_they_were_filled_with() {
        let pages = Pages::filled(10_000, |bytes| {
            bytes[9_999] = 7;
            Ok(())
        });
        let pages = pages.unwrap();
        assert_eq!((pages.len(), pages[0], pages[9_999]), (10_000, 0, 7));
        assert!(Pages::filled(8, |_| Err(io::ErrorKind::UnexpectedEof.into())).is_err());
    }
}
