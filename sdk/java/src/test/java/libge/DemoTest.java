// SPDX-License-Identifier: Apache-2.0
package libge;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** The scenario every SDK runs: load the demo model, run it, provoke an error, close. */
class DemoTest {
    private static final Path DIGITS = Path.of("../../examples/digits");

    /** Data and first dim of a .npy file of f32. */
    private record Npy(int count, float[] data) {
        static Npy read(String name) throws IOException {
            ByteBuffer file = ByteBuffer.wrap(Files.readAllBytes(DIGITS.resolve(name))).order(ByteOrder.LITTLE_ENDIAN);
            int start = 10 + file.getShort(8);
            String header = new String(file.array(), 10, start - 10, StandardCharsets.ISO_8859_1);
            assertTrue(header.contains("'<f4'"), header);
            int count = Integer.parseInt(header.replaceFirst("(?s).*'shape': \\((\\d+),.*", "$1"));
            float[] data = new float[(file.capacity() - start) / 4];
            file.position(start).slice().order(ByteOrder.LITTLE_ENDIAN).asFloatBuffer().get(data);
            return new Npy(count, data);
        }

        Tensor images() {
            return Tensor.of(data, count, 1, 8, 8);
        }
    }

    private static Model load() {
        return Model.load(DIGITS.resolve("digits.onnx"));
    }

    /** {@code ./dev test} collects what each language got, to compare byte for byte. */
    private static void parity(String name, byte[] bytes) throws IOException {
        String folder = System.getenv("GE_PARITY");
        if (folder != null) {
            Files.write(Path.of(folder, name), bytes);
        }
    }

    @Test
    void modelTellsItsInputsAndOutputs() {
        try (Model model = load()) {
            IO.Dim batch = new IO.Dim(-1, "batch");
            IO.Dim one = new IO.Dim(1, null);
            IO.Dim eight = new IO.Dim(8, null);
            assertEquals(List.of(new IO("image", DType.FLOAT32, List.of(batch, one, eight, eight), false)), model.inputs());
            assertEquals(List.of(new IO("probabilities", DType.FLOAT32, List.of(batch, new IO.Dim(10, null)), false)),
                    model.outputs());
        }
    }

    @Test
    void modelsWithoutSymbolsAndWithScalarsRun() {
        Path models = Path.of("../../tests/models");
        try (Model relu = Model.load(models.resolve("relu.onnx")); Model sum = Model.load(models.resolve("scalar.onnx"));
                Tensor three = Tensor.of(new float[] {3}); Tensor six = sum.run(three, three).get(0)) {
            assertEquals(List.of(new IO.Dim(4, null)), relu.inputs().get(0).dims());
            assertEquals(List.of(), sum.outputs().get(0).dims());
            assertArrayEquals(new float[] {6}, six.floats());
            assertEquals(0, six.dims().length);
        }
    }

    @Test
    void predictionsAreThoseRecordedAtTraining() throws IOException {
        try (Model model = load(); Tensor images = Npy.read("images.npy").images()) {
            Tensor output = model.run(images).get(0);
            float[] p = output.floats();
            List<Integer> guesses = new ArrayList<>();
            for (int i = 0; i < p.length; i += 10) {
                int best = 0;
                for (int j = 1; j < 10; j++) {
                    best = p[i + j] > p[i + best] ? j : best;
                }
                guesses.add(best);
            }
            String expected = Files.readString(DIGITS.resolve("expected.json"));
            assertTrue(expected.contains("\"predictions\": " + guesses), guesses.toString());
            parity("java.bin", output.bytes());
            output.close();
        }
    }

    @Test
    void probabilitiesAgreeWithTheReference() throws IOException {
        try (Model model = load(); Tensor images = Npy.read("reference_images.npy").images();
                Tensor output = model.run(images).get(0)) {
            assertArrayEquals(Npy.read("reference_probs.npy").data(), output.floats(), 1e-5f);
        }
    }

    @Test
    void anErrorShowsItsFullRecord() throws IOException {
        try (Model model = load(); Tensor wide = Tensor.of(new float[72], 1, 1, 8, 9)) {
            GeException e = assertThrows(GeException.Argument.class, () -> model.run(wide));
            assertEquals("GE_ERR_SHAPE", e.statusName());
            assertTrue(e.getMessage().contains("image"), e.getMessage());
            assertEquals("ge_model_run", e.function());
            assertFalse(e.found().isEmpty() || e.wanted().isEmpty(), e.record());
            parity("java.txt", e.record().getBytes(StandardCharsets.UTF_8));
        }
    }

    @Test
    void aBrokenFileGivesAnErrorThatNamesThePlace() throws IOException {
        byte[] half = Arrays.copyOf(Files.readAllBytes(DIGITS.resolve("digits.onnx")), 1000);
        GeException e = assertThrows(GeException.Model.class, () -> Graph.read(null, half, Graph.Format.ONNX));
        assertFalse(e.details().isEmpty(), e.record());
    }

    @Test
    void closeTwiceIsFineAndUseAfterCloseIsAnError() {
        Model model = load();
        model.close();
        model.close();
        IllegalStateException e = assertThrows(IllegalStateException.class, () -> model.run());
        assertEquals("Model is closed", e.getMessage());
    }

    @Test
    void outputsOutliveTheirModelAndThreadsShareIt() throws Exception {
        Model model = load();
        try (Tensor images = Npy.read("images.npy").images(); Tensor alone = model.run(images).get(0)) {
            byte[] want = alone.bytes();
            AtomicReference<Throwable> failure = new AtomicReference<>();
            List<Thread> threads = new ArrayList<>();
            for (int t = 0; t < 4; t++) {
                threads.add(new Thread(() -> {
                    for (int i = 0; i < 5; i++) {
                        System.gc();
                        try (Tensor output = model.run(images).get(0)) {
                            assertArrayEquals(want, output.bytes());
                        } catch (Throwable e) {
                            failure.set(e);
                        }
                    }
                }));
            }
            threads.forEach(Thread::start);
            for (Thread thread : threads) {
                thread.join();
            }
            model.close();
            assertEquals(null, failure.get());
            assertArrayEquals(want, alone.bytes());
        }
    }

    @Test
    void aBindingReadsItsInputAnewAtEachRun() throws IOException {
        float[] data = Npy.read("images.npy").data();
        ByteBuffer buffer = ByteBuffer.allocateDirect(256).order(ByteOrder.nativeOrder());
        try (Model model = load(); Tensor input = Tensor.over(null, buffer, DType.FLOAT32, 1, 1, 8, 8);
                Binding binding = model.bind(input)) {
            for (int i = 0; i < 5; i++) {
                buffer.asFloatBuffer().put(data, 64 * i, 64);
                binding.run();
                try (Tensor bound = binding.output(0); Tensor once = model.run(input).get(0)) {
                    assertArrayEquals(once.bytes(), bound.bytes());
                }
            }
        }
    }

    @Test
    void aDirectBufferIsTakenWithoutACopy() {
        ByteBuffer buffer = ByteBuffer.allocateDirect(48).order(ByteOrder.nativeOrder());
        try (Context context = new Context(Map.of("ge.threads", 1))) {
            long before = context.info().copiedBytes();
            try (Tensor tensor = Tensor.over(context, buffer, DType.INT64, 2, 3)) {
                buffer.putLong(0, 42);
                assertEquals(42, tensor.view().getLong(0));
                assertArrayEquals(new long[] {2, 3}, tensor.dims());
                assertEquals(DType.INT64, tensor.dtype());
                assertEquals(before, context.info().copiedBytes());
            }
        }
        assertThrows(IllegalArgumentException.class, () -> Tensor.over(null, ByteBuffer.allocate(8), DType.INT64, 1));
    }

    @Test
    void wrongSizesAndSettingsAreErrors() {
        ByteBuffer four = ByteBuffer.allocateDirect(4).order(ByteOrder.nativeOrder());
        assertEquals("GE_ERR_SIZE", assertThrows(GeException.Argument.class,
                () -> Tensor.over(null, four, DType.UINT8, 3)).statusName());
        assertThrows(IllegalArgumentException.class, () -> Tensor.of(new float[4], 3));
        GeException e = assertThrows(GeException.class, () -> new Context(Map.of("ge.thread", 1)));
        assertEquals("GE_ERR_UNKNOWN_OPTION", e.statusName());
        assertInstanceOf(RuntimeException.class, e);
    }

    @Test
    void theGraphBeforeAndAfterCanBeDumped() {
        try (Graph graph = Graph.open(DIGITS.resolve("digits.onnx")); Model model = graph.compile(Map.of())) {
            assertTrue(graph.dump(Dump.READABLE).contains("Softmax"));
            assertTrue(model.dump(Dump.DOT).startsWith("digraph"));
        }
    }
}
