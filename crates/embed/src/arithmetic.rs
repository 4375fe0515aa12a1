//! Arithmetic on rows of numbers, in a form that compilers turn into vector instructions and that gives the same
//! result whether they do or not: plain additions and multiplications in a fixed order. What the numbers mean is left
//! to `forward`.

/// Sums are made in so many lanes, which fit into vector registers of every size.
const LANES: usize = 16;

/// The greatest size of a quantized input. With weights up to 127 and rows up to 1536 long, sums stay below 2^31.
const MAX_QUANTIZED: f32 = 8191.0;

/// Adding it leaves the nearest integer in the lowest bits of a number: 1.5 · 2^23.
const ROUNDING: f32 = 12_582_912.0;

/// Turns a row into 16-bit integers. Gives what one of them is worth.
#[inline(always)]
pub(crate) fn quantize(row: &[f32], into: &mut [i16]) -> f32 {
    let greatest = across(row, 0.0, |greatest, x| if x.abs() > greatest { x.abs() } else { greatest });
    let greatest = greatest.iter().fold(f32::MIN_POSITIVE, |a, b| a.max(*b));
    let scale = MAX_QUANTIZED / greatest;
    for (into, x) in into.iter_mut().zip(row) {
        *into = ((x * scale + ROUNDING).to_bits() as u16).cast_signed();
    }
    greatest / MAX_QUANTIZED
}

/// Gives a row mean 0 and variance 1, then stretches and shifts it.
#[inline(always)]
pub(crate) fn normalize(row: &mut [f32], stretch: &[f32], shift: &[f32]) {
    /// As the model was trained.
    const EPSILON: f32 = 1e-12;
    let length = row.len() as f32;
    let mean = sum(across(row, 0.0, |sum, x| sum + x)) / length;
    let variance = sum(across(row, 0.0, |sum, x| sum + (x - mean) * (x - mean))) / length;
    let scale = 1.0 / (variance + EPSILON).sqrt();
    for ((x, stretch), shift) in row.iter_mut().zip(stretch).zip(shift) {
        *x = (*x - mean) * scale * stretch + shift;
    }
}

/// Turns scores into shares of one. The length must be a multiple of 16.
#[inline(always)]
pub(crate) fn softmax(scores: &mut [f32]) {
    let greatest = across(scores, f32::MIN, |greatest, x| if x > greatest { x } else { greatest });
    let greatest = greatest.iter().fold(f32::MIN, |a, b| a.max(*b));
    for score in scores.iter_mut() {
        *score = exp(*score - greatest);
    }
    let share = 1.0 / sum(across(scores, 0.0, |sum, x| sum + x));
    for score in scores.iter_mut() {
        *score *= share;
    }
}

/// Gaussian error linear units, in their exact form.
#[inline(always)]
pub(crate) fn gelu(row: &mut [f32]) {
    for x in row {
        *x = 0.5 * *x * (1.0 + erf(*x * std::f32::consts::FRAC_1_SQRT_2));
    }
}

/// Gives a row the length 1, unless it is all zeroes.
pub(crate) fn to_unit_length(row: &mut [f32]) {
    let length = sum(across(row, 0.0, |sum, x| sum + x * x)).sqrt();
    if length > 0.0 {
        row.iter_mut().for_each(|x| *x /= length);
    }
}

/// Folds a row lane by lane. A row that is no multiple of the lanes has its rest in the first ones.
#[inline(always)]
fn across(row: &[f32], start: f32, fold: impl Fn(f32, f32) -> f32) -> [f32; LANES] {
    let mut lanes = [start; LANES];
    let (chunks, rest) = row.as_chunks::<LANES>();
    for chunk in chunks {
        for lane in 0..LANES {
            lanes[lane] = fold(lanes[lane], chunk[lane]);
        }
    }
    for (lane, x) in lanes.iter_mut().zip(rest) {
        *lane = fold(*lane, *x);
    }
    lanes
}

#[inline(always)]
fn sum(lanes: [f32; LANES]) -> f32 {
    lanes.iter().sum()
}

/// e^x for x ≤ 0, within two units of the last place: 2^n · p(rest).
#[inline(always)]
fn exp(x: f32) -> f32 {
    // Below, the result would not be a normal number; it is as good as nothing.
    let x = if x < -87.0 { -87.0 } else { x };
    let shifted = x * std::f32::consts::LOG2_E + ROUNDING;
    let n = shifted - ROUNDING;
    // ln 2 in two parts, so that the first product is exact.
    let rest = x - n * 0.693_359_4 - n * -2.121_944_4e-4;
    let series = 1.987_569_1e-4 * rest + 1.398_199_9e-3;
    let series = series * rest + 8.333_452e-3;
    let series = series * rest + 4.166_579_6e-2;
    let series = series * rest + 0.166_666_65;
    let series = series * rest + 0.5;
    let power = f32::from_bits((shifted.to_bits() << 23).wrapping_add(1.0_f32.to_bits()));
    (series * rest * rest + rest + 1.0) * power
}

/// The error function, within 2e-7 (Abramowitz and Stegun, 7.1.26).
#[inline(always)]
fn erf(x: f32) -> f32 {
    let size = x.abs();
    let t = 1.0 / (1.0 + 0.327_591_1 * size);
    let series = 1.061_405_4 * t - 1.453_152;
    let series = series * t + 1.421_413_7;
    let series = series * t - 0.284_496_74;
    let series = series * t + 0.254_829_6;
    (1.0 - series * t * exp(-size * size)).copysign(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponentials_are_close_to_the_true_ones() {
        for at in 0..8700 {
            let x = -(at as f32) / 100.0;
            let true_one = f64::from(x).exp();
            let error = (f64::from(exp(x)) - true_one).abs() / true_one;
            assert!(error < 3e-7, "exp({x}) is off by {error}");
        }
        assert!(exp(-1e30) < 1e-37);
    }

    #[test]
    fn the_error_function_is_close_to_the_true_one() {
        for (x, true_one) in [
            (0.0, 0.0),
            (0.1, 0.112_462_92),
            (0.5, 0.520_499_9),
            (1.0, 0.842_700_8),
            (2.0, 0.995_322_3),
            (9.0, 1.0),
        ] {
            assert!((erf(x) - true_one).abs() < 3e-7, "erf({x}) is {}", erf(x));
            assert!((erf(-x) + true_one).abs() < 3e-7, "erf(-{x}) is {}", erf(-x));
        }
    }

    #[test]
    fn quantizing_keeps_the_sign_and_rounds_to_the_nearest() {
        let mut into = [0; 5];
        let worth = quantize(&[8191.0, -8191.0, 0.4, -1.6, 0.0], &mut into);
        assert_eq!((into, worth), ([8191, -8191, 0, -2, 0], 1.0));
        quantize(&[0.0; 5], &mut into);
        assert_eq!(into, [0; 5]);
    }

    #[test]
    fn shares_add_up_to_one() {
        let mut scores = [3.0; 16];
        scores[0] = 4.0;
        scores[15] = -1e30;
        softmax(&mut scores);
        let e = std::f32::consts::E;
        assert!((scores[0] - e / (e + 14.0)).abs() < 1e-6, "{scores:?}");
        assert!(scores[15] < 1e-30);
    }

    #[test]
    fn normalized_rows_have_no_mean_and_unit_variance() {
        let mut row: Vec<f32> = (0..384).map(|at| at as f32).collect();
        normalize(&mut row, &[1.0; 384], &[0.5; 384]);
        let mean = row.iter().sum::<f32>() / 384.0;
        let variance = row.iter().map(|x| (x - mean) * (x - mean)).sum::<f32>() / 384.0;
        assert!((mean - 0.5).abs() < 1e-4 && (variance - 1.0).abs() < 1e-3, "{mean} {variance}");
    }
}
