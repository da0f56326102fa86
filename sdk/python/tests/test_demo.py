# SPDX-License-Identifier: Apache-2.0
"""The scenario every SDK runs: load the demo model, run it, provoke an error, close."""

import json

import ge
import numpy
import pytest


def test_model_tells_its_inputs_and_outputs(model):
    (image,), (probabilities,) = model.inputs, model.outputs
    assert (image.name, image.dtype, image.shape) == ("image", ge.DType.FLOAT32, ("batch", 1, 8, 8))
    assert (probabilities.name, probabilities.dtype) == ("probabilities", ge.DType.FLOAT32)
    assert probabilities.shape == ("batch", 10)


def test_models_without_symbols_and_with_scalars_run(digits):
    models = digits.parents[1] / "tests" / "models"
    with ge.load(models / "relu.onnx") as relu, ge.load(models / "scalar.onnx") as sum:
        assert relu.inputs[0].shape == (4,) and sum.outputs[0].shape == ()
        result, = sum(numpy.float32(3), b=numpy.array(4, numpy.float32))
        assert result.shape == () and float(numpy.asarray(result)) == 7


def test_predictions_are_those_recorded_at_training(model, images, digits, parity):
    probabilities, = model(images)
    expected = json.loads((digits / "expected.json").read_text())
    assert numpy.argmax(probabilities, axis=1).tolist() == expected["predictions"]
    if parity:
        (parity / "python.bin").write_bytes(probabilities.tobytes())


def test_probabilities_agree_with_the_reference(model, digits):
    probabilities, = model(image=numpy.load(digits / "reference_images.npy"))
    numpy.testing.assert_allclose(probabilities, numpy.load(digits / "reference_probs.npy"), rtol=0, atol=1e-5)


def test_an_error_shows_its_full_record(model, parity):
    with pytest.raises(ge.Error) as caught:
        model(numpy.zeros((1, 1, 8, 9), numpy.float32))
    error = caught.value
    assert isinstance(error, ValueError)
    assert error.name == "GE_ERR_SHAPE"
    assert "image" in error.message
    assert error.function == "ge_model_run"
    assert error.found and error.wanted
    assert str(error) == error.message
    if parity:
        (parity / "python.txt").write_text(error.record())


def test_a_broken_file_gives_an_error_that_names_the_place(digits):
    whole = (digits / "digits.onnx").read_bytes()
    with pytest.raises(ge.Error) as caught:
        ge.load(whole[:1000], format="onnx")
    assert caught.value.status >> 16 == 6
    assert caught.value.details


def test_a_model_is_not_read_from_nothing():
    with pytest.raises(TypeError, match="not None"):
        ge.load(None)


def test_close_twice_is_fine_and_use_after_close_is_an_error(digits, images):
    model = ge.load(digits / "digits.onnx")
    model.close()
    model.close()
    assert model.closed
    with pytest.raises(ValueError, match="Model is closed"):
        model(images)


def test_outputs_outlive_their_model(digits, images):
    with ge.load(digits / "digits.onnx") as model:
        probabilities, = model(images[:1])
    view = numpy.asarray(probabilities)
    probabilities.close()
    assert abs(float(view.sum()) - 1) < 1e-5


def test_a_binding_reads_its_input_anew_at_each_run(model, images):
    buffer = numpy.array(images[:1])
    with model.bind(buffer) as binding:
        for image in images[:5]:
            buffer[0] = image
            binding.run()
            once, = model(buffer)
            assert binding.outputs[0].tobytes() == once.tobytes()


def test_a_model_takes_plain_arrays_in_its_own_context(digits, images):
    with ge.Context({"ge.threads": 1}) as context, ge.load(digits / "digits.onnx", context=context) as model:
        with model.bind(images) as binding:
            binding.run()
            once, = model(images)
            assert binding.outputs[0].tobytes() == once.tobytes()
        with pytest.raises(ge.HandleError, match="OTHER_CONTEXT"):
            model(ge.tensor(images))


def test_the_graph_before_and_after_can_be_dumped(model, digits):
    with ge.Graph(digits / "digits.onnx") as graph:
        assert any(node["op_type"].startswith("Softmax") for node in graph.nodes)
        assert "Softmax" in graph.dump("readable")
    assert model.dump("dot").startswith("digraph")
    with pytest.raises(ValueError, match="no dump format"):
        model.dump("xml")
