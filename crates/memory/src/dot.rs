//! The one loop that matters at a hundred thousand passages: the inner product of two vectors of bytes.

// A function compiled for a newer processor may only be called where one was found, which the compiler cannot see.
#![allow(unsafe_code)]

/// The inner product of two vectors; what one has beyond the other's end counts nothing.
pub(crate) fn dot(one: &[i8], other: &[i8]) -> i32 {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has what the function was compiled for; it is otherwise ordinary code.
        return unsafe { dot_avx2(one, other) };
    }
    plain(one, other)
}

/// The same loop, in which the compiler may use instructions that take 32 bytes at once.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn dot_avx2(one: &[i8], other: &[i8]) -> i32 {
    plain(one, other)
}

#[inline(always)]
fn plain(one: &[i8], other: &[i8]) -> i32 {
    one.iter().zip(other).map(|(one, other)| i32::from(*one) * i32::from(*other)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fast_way_gives_what_the_plain_way_gives() {
        for length in [0, 1, 15, 16, 17, 31, 32, 33, 384, 3072] {
            let one: Vec<i8> = (0..length).map(|at| ((at * 37 + 11) % 255 - 127) as i8).collect();
            let other: Vec<i8> = (0..length).map(|at| ((at * 91 + 5) % 255 - 127) as i8).collect();
            assert_eq!(dot(&one, &other), plain(&one, &other), "{length}");
        }
        assert_eq!(dot(&[-127; 3072], &[127; 3072]), -127 * 127 * 3072, "no sum overflows");
        assert_eq!(dot(&[1, 2, 3], &[4, 5, 6]), 32);
    }
}
