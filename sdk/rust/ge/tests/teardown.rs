// SPDX-License-Identifier: Apache-2.0
//! A hundred processes end in the middle of their work: objects made, used by threads, dropped in random order or left behind, and
//! the process ended by return, exit or from another thread. Each must end with the code it was asked for and say nothing.
//! `GE_TEARDOWN_SEED=N` with this program does one of them again.
use std::fmt::Write;
use std::process::{Command, ExitCode, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ge::{Binding, Context, Graph, Model, Options, Tensor};

const CODE: u8 = 7;
const COUNT: u64 = 100;

/// splitmix64
struct Chance(u64);

impl Chance {
    fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
    fn below(&mut self, n: u64) -> u64 {
        self.draw() % n
    }
}

struct Life {
    context: Option<Context>,
    model: Arc<Model>,
    image: Arc<Tensor>,
    binding: Arc<Mutex<Binding>>,
}

fn make(chance: &mut Chance) -> ge::Result<Life> {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../examples/digits/digits.onnx");
    let context = if chance.below(3) > 0 {
        let mut options = Options::new()?;
        options.set_int("ge.threads", 1 + i64::try_from(chance.below(3)).unwrap_or(0))?;
        Some(Context::new(Some(&options))?)
    } else {
        None
    };
    let model = Graph::open_in(context.as_ref(), file, ge::FileFormat::Auto)?.compile(None)?;
    let count = if chance.below(2) == 0 { 1 } else { 200 };
    let image = Tensor::from_vec_in(
        context.as_ref(),
        &[count, 1, 8, 8],
        vec![0.5f32; 64 * usize::try_from(count).unwrap_or(1)],
    )?;
    let binding = model.bind(&[&image])?;
    Ok(Life { context, model: Arc::new(model), image: Arc::new(image), binding: Arc::new(Mutex::new(binding)) })
}

fn step(model: &Model, image: &Tensor, binding: &Mutex<Binding>, chance: &mut Chance) -> ge::Result<()> {
    match chance.below(4) {
        0 => binding.lock().map_or(Ok(()), |mut b| b.run()),
        1 => Graph::from_bytes(b"no model").map_or(Ok(()), |_| Ok(())),
        2 => model.bind(&[image])?.run(),
        _ => model.run(&[image]).map(drop),
    }
}

fn one(seed: u64) -> ge::Result<u8> {
    let mut chance = Chance(seed);
    let Life { context, model, image, binding } = make(&mut chance)?;
    for _ in 0..chance.below(4) {
        let (model, image, binding, mut own) = (model.clone(), image.clone(), binding.clone(), Chance(chance.draw()));
        std::thread::spawn(move || loop {
            if let Err(e) = step(&model, &image, &binding, &mut own) {
                eprintln!("{e}");
            }
        });
    }
    for _ in 0..chance.below(6) {
        step(&model, &image, &binding, &mut chance)?;
    }
    let mut parts: [Option<Box<dyn std::any::Any>>; 4] =
        [Some(Box::new(context)), Some(Box::new(model)), Some(Box::new(image)), Some(Box::new(binding))];
    for _ in 0..chance.below(8) {
        let at = chance.below(4);
        if let Some(part) = parts.get_mut(usize::try_from(at).unwrap_or(0)) {
            if chance.below(5) == 0 {
                std::mem::forget(part.take());
            } else {
                drop(part.take());
            }
        }
    }
    if chance.below(2) == 0 {
        std::thread::sleep(Duration::from_micros(chance.below(3000)));
    }
    match chance.below(4) {
        0 => std::process::exit(i32::from(CODE)),
        1 => {
            std::thread::spawn(|| std::process::exit(i32::from(CODE)));
            std::thread::sleep(Duration::from_secs(20));
            Ok(98)
        }
        2 => Ok(CODE),
        _ => Ok(0),
    }
}

/// Empty, or what is wrong.
fn child(seed: u64) -> String {
    let Ok(program) = std::env::current_exe() else { return "the program does not know where it is\n".into() };
    let done = Command::new(program).env("GE_TEARDOWN_SEED", seed.to_string()).stdin(Stdio::null()).output();
    let mut text = String::new();
    match done {
        Ok(o) if matches!(o.status.code(), Some(0 | 7)) && o.stdout.is_empty() && o.stderr.is_empty() => {}
        Ok(o) => {
            let _ = writeln!(text, "seed {seed}: {}\n{}", o.status, String::from_utf8_lossy(&o.stderr));
        }
        Err(e) => {
            let _ = writeln!(text, "seed {seed}: {e}");
        }
    }
    text
}

fn main() -> ExitCode {
    if let Some(seed) = std::env::var("GE_TEARDOWN_SEED").ok().and_then(|s| s.parse().ok()) {
        return match one(seed) {
            Ok(code) => ExitCode::from(code),
            Err(e) => {
                eprintln!("{e}");
                ExitCode::from(99)
            }
        };
    }
    let count = std::env::var("GE_TEARDOWNS").ok().and_then(|s| s.parse().ok()).unwrap_or(COUNT);
    let halves = [0, 1]
        .map(|half| std::thread::spawn(move || (1..=count).filter(|s| s % 2 == half).map(child).collect::<String>()));
    let wrong: String = halves.map(|h| h.join().unwrap_or_else(|_| "a runner panicked\n".into())).concat();
    println!("{count} teardowns\n{wrong}");
    ExitCode::from(u8::from(!wrong.is_empty()))
}
