// SPDX-License-Identifier: Apache-2.0
//! The scenario every SDK runs: load the demo model, run it, provoke an error, close.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::path::PathBuf;

use ge::{Class, Context, DType, Dim, Dump, Error, Graph, Model, Options, Tensor};

fn digits(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../examples/digits").join(name)
}

/// Data and first dim of a .npy file of f32.
fn npy(name: &str) -> (i64, Vec<f32>) {
    let bytes = std::fs::read(digits(name)).unwrap();
    let header = 10 + u16::from_le_bytes([bytes[8], bytes[9]]) as usize;
    let text = String::from_utf8_lossy(&bytes[10..header]).into_owned();
    assert!(text.contains("'<f4'"), "{text}");
    let shape = text.split("'shape': (").nth(1).unwrap();
    let first = shape.split(',').next().unwrap().parse().unwrap();
    let data = bytes[header..].chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect();
    (first, data)
}

fn model() -> Model {
    Model::load(digits("digits.onnx")).unwrap()
}

fn images() -> Tensor {
    let (count, data) = npy("images.npy");
    Tensor::from_vec(&[count, 1, 8, 8], data).unwrap()
}

/// `./dev test` collects what each language got, to compare byte for byte.
fn parity(name: &str, bytes: &[u8]) {
    if let Some(folder) = std::env::var_os("GE_PARITY") {
        std::fs::write(PathBuf::from(folder).join(name), bytes).unwrap();
    }
}

#[test]
fn model_tells_its_inputs_and_outputs() {
    let model = model();
    let (inputs, outputs) = (model.inputs().unwrap(), model.outputs().unwrap());
    assert_eq!((inputs.len(), outputs.len()), (1, 1));
    assert_eq!(inputs[0].name, "image");
    assert_eq!(inputs[0].dtype, DType(ge_sys::GE_DTYPE_FLOAT32));
    let batch = Dim::Named("batch".into());
    assert_eq!(inputs[0].dims, Some(vec![batch.clone(), Dim::Known(1), Dim::Known(8), Dim::Known(8)]));
    assert_eq!(outputs[0].dims, Some(vec![batch, Dim::Known(10)]));
}

#[test]
fn models_without_symbols_and_with_scalars_run() {
    let file = |name: &str| digits("../../tests/models").join(name);
    let relu = Model::load(file("relu.onnx")).unwrap();
    assert_eq!(relu.inputs().unwrap()[0].dims, Some(vec![Dim::Known(4)]));
    let sum = Model::load(file("scalar.onnx")).unwrap();
    assert_eq!(sum.outputs().unwrap()[0].dims, Some(vec![]));
    let three = Tensor::from_slice(&[], &[3f32]).unwrap();
    let outputs = sum.run(&[&three, &three]).unwrap();
    assert_eq!(outputs[0].as_slice::<f32>().unwrap(), [6.0]);
    assert!(outputs[0].dims().unwrap().is_empty());
}

#[test]
fn predictions_are_those_recorded_at_training() {
    let outputs = model().run(&[&images()]).unwrap();
    let guesses: Vec<String> = outputs[0]
        .as_slice::<f32>()
        .unwrap()
        .chunks_exact(10)
        .map(|row| (0..10).fold(0, |best, i| if row[i] > row[best] { i } else { best }).to_string())
        .collect();
    let expected = std::fs::read_to_string(digits("expected.json")).unwrap();
    let wanted = expected.split("\"predictions\": [").nth(1).unwrap().split(']').next().unwrap();
    let wanted: Vec<&str> = wanted.split(',').map(str::trim).collect();
    assert_eq!(guesses, wanted);
    parity("rust.bin", outputs[0].bytes().unwrap());
}

#[test]
fn probabilities_agree_with_the_reference() {
    let (count, data) = npy("reference_images.npy");
    let outputs = model().run(&[&Tensor::from_slice(&[count, 1, 8, 8], &data).unwrap()]).unwrap();
    let (_, wanted) = npy("reference_probs.npy");
    let got = outputs[0].as_slice::<f32>().unwrap();
    assert_eq!(got.len(), wanted.len());
    assert!(got.iter().zip(&wanted).all(|(a, b)| (a - b).abs() <= 1e-5));
}

#[test]
fn an_error_shows_its_full_record() {
    let wide = Tensor::from_vec(&[1, 1, 8, 9], vec![0f32; 72]).unwrap();
    let error = model().run(&[&wide]).unwrap_err();
    assert_eq!((error.name(), error.class()), ("GE_ERR_SHAPE", Class::Argument));
    assert!(error.message().contains("image"), "{error}");
    assert_eq!(error.function(), "ge_model_run");
    assert!(!error.found().is_empty() && !error.wanted().is_empty());
    parity("rust.txt", error.record().as_bytes());
}

#[test]
fn a_broken_file_gives_an_error_that_names_the_place() {
    let whole = std::fs::read(digits("digits.onnx")).unwrap();
    let error = Graph::from_bytes_in(None, &whole[..1000], ge::FileFormat::Onnx).err().unwrap();
    assert_eq!(error.class(), Class::Model);
    assert!(error.details().next().is_some());
}

#[test]
fn a_vector_is_taken_over_without_a_copy() {
    let context = Context::new(None).unwrap();
    let before = context.copied_bytes().unwrap();
    let tensor = Tensor::from_vec_in(Some(&context), &[2, 3], vec![1i64, 2, 3, 4, 5, 6]).unwrap();
    assert_eq!(tensor.as_slice::<i64>().unwrap(), [1, 2, 3, 4, 5, 6]);
    assert_eq!(tensor.dims().unwrap(), [2, 3]);
    assert_eq!(context.copied_bytes().unwrap(), before);
    assert_eq!(tensor.as_slice::<f32>().unwrap_err().name(), "GE_ERR_DTYPE");
}

#[test]
fn wrong_sizes_and_settings_are_errors() {
    assert_eq!(Tensor::from_vec(&[3], vec![0u8; 4]).err().unwrap().name(), "GE_ERR_SIZE");
    let mut options = Options::new().unwrap();
    assert_eq!(options.set_int("ge.thread", 1).err().unwrap().name(), "GE_ERR_UNKNOWN_OPTION");
    assert_eq!(options.set_int("ge.threads", 1).unwrap().get("ge.threads").unwrap(), "1");
}

#[test]
fn a_binding_runs_many_times_and_gives_the_bytes_of_a_single_run() {
    let (model, images) = (model(), images());
    let once = model.run(&[&images]).unwrap();
    let mut binding = model.bind(&[&images]).unwrap();
    for _ in 0..3 {
        binding.run().unwrap();
        assert_eq!(binding.output(0).unwrap().bytes().unwrap(), once[0].bytes().unwrap());
    }
}

#[test]
fn outputs_outlive_their_model_and_threads_share_it() {
    let (model, images) = (model(), images());
    let alone = model.run(&[&images]).unwrap();
    std::thread::scope(|s| {
        for _ in 0..4 {
            s.spawn(|| {
                let outputs = model.run(&[&images]).unwrap();
                assert_eq!(outputs[0].bytes().unwrap(), alone[0].bytes().unwrap());
            });
        }
    });
    drop(model);
    assert_eq!(alone[0].dims().unwrap(), [360, 10]);
}

#[test]
fn the_graph_before_and_after_can_be_dumped() {
    let graph = Graph::open(digits("digits.onnx")).unwrap();
    assert!(graph.dump(Dump::Readable).unwrap().contains("Softmax"));
    assert!(graph.compile(None).unwrap().dump(Dump::Dot).unwrap().starts_with("digraph"));
}

#[test]
fn handles_and_errors_cross_threads() {
    fn crosses<T: Send + Sync + 'static>() {}
    crosses::<Model>();
    crosses::<Graph>();
    crosses::<Tensor>();
    crosses::<Context>();
    crosses::<Error>();
    crosses::<ge::Binding>();
}
