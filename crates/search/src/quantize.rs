//! Vectors in small numbers: 16 bits in the file, 8 bits in memory.

/// How many steps of the 16 bits make one of the 8.
const COARSER: f32 = 258.0;

/// Writes a vector as a blob: a scale (f32), then each number in steps of it (i16), all little-endian.
pub(crate) fn to_blob(vector: &[f32]) -> Vec<u8> {
    let largest = vector.iter().fold(0.0_f32, |largest, number| largest.max(number.abs()));
    let scale = largest / f32::from(i16::MAX);
    let mut blob = Vec::with_capacity(4 + 2 * vector.len());
    blob.extend(scale.to_le_bytes());
    for number in vector {
        let steps = if scale > 0.0 { (number / scale).round() as i16 } else { 0 };
        blob.extend(steps.to_le_bytes());
    }
    blob
}

/// Reads the scale and the numbers of a blob; `None` when it is not of this dimension.
fn parts(blob: &[u8], dimension: usize) -> Option<(f32, impl Iterator<Item = i16> + '_)> {
    let (scale, numbers) = blob.split_first_chunk::<4>()?;
    let scale = f32::from_le_bytes(*scale);
    let (pairs, rest) = numbers.as_chunks::<2>();
    let fits = rest.is_empty() && pairs.len() == dimension && scale.is_finite() && scale >= 0.0;
    fits.then(|| (scale, pairs.iter().map(|pair| i16::from_le_bytes(*pair))))
}

/// Returns the product of a query and the vector of a blob.
pub(crate) fn similarity(query: &[f32], blob: &[u8]) -> Option<f32> {
    let (scale, numbers) = parts(blob, query.len())?;
    Some(numbers.zip(query).map(|(number, query)| f32::from(number) * query).sum::<f32>() * scale)
}

/// Returns the scale and the numbers of a blob in 8 bits.
pub(crate) fn coarse(blob: &[u8], dimension: usize) -> Option<(f32, impl Iterator<Item = i8> + '_)> {
    let (scale, steps) = parts(blob, dimension)?;
    Some((scale * COARSER, steps.map(|step| (f32::from(step) / COARSER).round() as i8)))
}

/// The largest number of a coarse query.
const LEVELS: f32 = 32.0;
/// So many products of a query's number and an 8-bit number fit 16 bits: 8 times 32 times 127 is 32,512.
const FITTING: usize = 8;

/// A query in whole numbers, ready to be compared with many coarse vectors.
pub(crate) struct CoarseQuery {
    /// The dimensions in which it is not 0.
    numbers: Vec<(usize, i16)>,
    /// What a product of whole numbers is multiplied by, beside the scale of the vector.
    pub(crate) scale: f32,
}

impl CoarseQuery {
    pub(crate) fn new(query: &[f32]) -> Self {
        let largest = query.iter().fold(0.0_f32, |largest, number| largest.max(number.abs()));
        let scale = if largest > 0.0 { largest / LEVELS } else { 1.0 };
        let numbers = query.iter().map(|number| (number / scale).round() as i16).enumerate();
        Self { numbers: numbers.filter(|(_, number)| *number != 0).collect(), scale }
    }

    /// Computes the products with the vectors of a block, where the numbers of all vectors stand together for each
    /// dimension.
    ///
    /// The loops are such that the compiler takes many rows at once: 16-bit sums of few dimensions, then 32-bit ones.
    pub(crate) fn products<const ROWS: usize>(&self, block: &[i8], products: &mut [i32; ROWS]) {
        products.fill(0);
        for group in self.numbers.chunks(FITTING) {
            let mut sums = [0_i16; ROWS];
            for (dimension, query) in group {
                let column = &block[dimension * ROWS..(dimension + 1) * ROWS];
                for (sum, number) in sums.iter_mut().zip(column) {
                    *sum = sum.wrapping_add(query.wrapping_mul(i16::from(*number)));
                }
            }
            for (product, sum) in products.iter_mut().zip(&sums) {
                *product += i32::from(*sum);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_survive_the_smaller_numbers() {
        let left = [0.6, -0.8, 0.0, 0.0];
        let right = [0.8, -0.6, 0.0, 0.0];
        let blob = to_blob(&right);
        assert!((similarity(&left, &blob).unwrap() - 0.96).abs() < 1e-4);
        assert!((coarse_product(&left, &right) - 0.96).abs() < 0.02);
    }

    fn coarse_product(left: &[f32], right: &[f32]) -> f32 {
        let blob = to_blob(right);
        let (scale, numbers) = coarse(&blob, right.len()).unwrap();
        let block: Vec<i8> = numbers.collect();
        let query = CoarseQuery::new(left);
        let mut products = [0; 1];
        query.products(&block, &mut products);
        products[0] as f32 * query.scale * scale
    }

    #[test]
    fn extremes_do_not_overflow_and_foreign_blobs_are_refused() {
        let ones = vec![1.0; 4_096];
        assert!((coarse_product(&ones, &ones) - 4_096.0).abs() < 20.0);
        assert_eq!(similarity(&[1.0], &to_blob(&[0.0])), Some(0.0));
        assert_eq!(similarity(&[1.0, 0.0], &to_blob(&[1.0])), None);
        assert_eq!(similarity(&[1.0], b"abc"), None);
        assert_eq!(similarity(&[1.0], &[0, 0, 0xc0, 0x7f, 1, 0]), None);
    }
}
