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

/// Appends the numbers of a blob in 8 bits, and returns their scale.
pub(crate) fn append_coarse(blob: &[u8], dimension: usize, numbers: &mut Vec<i8>) -> Option<f32> {
    let (scale, steps) = parts(blob, dimension)?;
    numbers.extend(steps.map(|step| (f32::from(step) / COARSER).round() as i8));
    Some(scale * COARSER)
}

/// A query in whole numbers, ready to be compared with many coarse vectors.
pub(crate) struct CoarseQuery {
    numbers: Vec<i16>,
    scale: f32,
}

impl CoarseQuery {
    pub(crate) fn new(query: &[f32]) -> Self {
        // So many steps that the sum of all products still fits 32 bits.
        let most = (i32::MAX as f32 / (128.0 * query.len().max(1) as f32)).min(f32::from(i16::MAX)).floor();
        let largest = query.iter().fold(0.0_f32, |largest, number| largest.max(number.abs()));
        let scale = if largest > 0.0 { largest / most } else { 1.0 };
        Self { numbers: query.iter().map(|number| (number / scale).round() as i16).collect(), scale }
    }

    /// Returns the product with a coarse vector of the same dimension.
    pub(crate) fn product(&self, numbers: &[i8], scale: f32) -> f32 {
        let sum: i32 = self
            .numbers
            .iter()
            .zip(numbers)
            .map(|(query, number)| i32::from(*query) * i32::from(i16::from(*number)))
            .sum();
        sum as f32 * self.scale * scale
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
        let mut coarse = Vec::new();
        let scale = append_coarse(&blob, 4, &mut coarse).unwrap();
        assert!((CoarseQuery::new(&left).product(&coarse, scale) - 0.96).abs() < 0.01);
    }

    #[test]
    fn extremes_do_not_overflow_and_foreign_blobs_are_refused() {
        let ones = vec![1.0; 4_096];
        let blob = to_blob(&ones);
        let mut coarse = Vec::new();
        let scale = append_coarse(&blob, 4_096, &mut coarse).unwrap();
        assert!((CoarseQuery::new(&ones).product(&coarse, scale) - 4_096.0).abs() < 20.0);
        assert_eq!(similarity(&[1.0], &to_blob(&[0.0])), Some(0.0));
        assert_eq!(similarity(&[1.0, 0.0], &to_blob(&[1.0])), None);
        assert_eq!(similarity(&[1.0], b"abc"), None);
        assert_eq!(similarity(&[1.0], &[0, 0, 0xc0, 0x7f, 1, 0]), None);
    }
}
