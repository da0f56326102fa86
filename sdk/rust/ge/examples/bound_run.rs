// SPDX-License-Identifier: Apache-2.0
//! bound_run MODEL: nanoseconds of a bound run through this crate, best of 15 rounds; for `./dev bench sdk`.
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("usage: bound_run MODEL")?;
    let model = ge::Model::load(path)?;
    let input = ge::Tensor::from_vec(&[4], vec![1f32; 4])?;
    let mut binding = model.bind(&[&input])?;
    binding.run()?;
    let mut best = f64::MAX;
    for _ in 0..15 {
        let begin = Instant::now();
        for _ in 0..20000 {
            binding.run()?;
        }
        best = best.min(begin.elapsed().as_nanos() as f64 / 20000.0);
    }
    println!("{best:.1}");
    Ok(())
}
