// SPDX-License-Identifier: Apache-2.0
package libge;

import java.lang.ref.Reference;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A compiled graph; any number of threads may run it at once.
 *
 * <pre>{@code
 * try (Model model = Model.load(Path.of("digits.onnx")); Tensor image = Tensor.of(pixels, 1, 1, 8, 8)) {
 *     List<Tensor> outputs = model.run(image);
 * }
 * }</pre>
 */
public final class Model implements AutoCloseable {
    private final List<IO> inputs;
    private final List<IO> outputs;
    private final Handle handle;

    /** Takes over a handle. */
    Model(long pointer) {
        handle = new Handle(this, pointer, Raw::ge_model_destroy);
        inputs = IO.list(pointer, Raw.GE_DIRECTION_IN);
        outputs = IO.list(pointer, Raw.GE_DIRECTION_OUT);
    }

    /** Reads a model from a file and compiles it. */
    public static Model load(Path path) {
        try (Graph graph = Graph.open(path)) {
            return graph.compile(Map.of());
        }
    }

    /** The inputs in order. */
    public List<IO> inputs() {
        return inputs;
    }

    /** The outputs in order. */
    public List<IO> outputs() {
        return outputs;
    }

    /** The optimised graph or a report as text. */
    public String dump(Dump form) {
        long p = handle.enter();
        try {
            return Dump.read((buffer, size, out) -> Raw.ge_model_dump(p, form.code, buffer, size, out));
        } finally {
            handle.leave();
            Reference.reachabilityFence(this);
        }
    }

    /** Runs once and gives one tensor per output, each to be closed; null stands for an optional input left out. */
    public List<Tensor> run(Tensor... tensors) {
        long p = handle.enter();
        long[] values = new long[tensors.length];
        try (Memory memory = Memory.open()) {
            for (int i = 0; i < values.length; i++) {
                values[i] = tensors[i] == null ? 0 : tensors[i].toValue();
            }
            Memory.Block out = memory.take(Math.max(1, 8L * outputs.size()));
            GeException.check(Raw.ge_model_run(p, 0, memory.longs(values), values.length, out.address(), outputs.size()));
            return adopt(out);
        } finally {
            for (long value : values) {
                GeException.check(Raw.ge_value_destroy(value));
            }
            handle.leave();
            Reference.reachabilityFence(this);
        }
    }

    private List<Tensor> adopt(Memory.Block values) {
        List<Tensor> tensors = new ArrayList<>();
        try {
            for (int i = 0; i < outputs.size(); i++) {
                tensors.add(Tensor.ofValue(values.getLong(8 * i)));
            }
            return tensors;
        } finally {
            for (int i = 0; i < outputs.size(); i++) {
                GeException.check(Raw.ge_value_destroy(values.getLong(8 * i)));
            }
        }
    }

    /** A binding with the first inputs bound, to run many times. */
    public Binding bind(Tensor... tensors) {
        long p = handle.enter();
        try (Memory memory = Memory.open()) {
            Memory.Block out = memory.take(8);
            GeException.check(Raw.ge_binding_create(p, out.address()));
            Binding binding = new Binding(out.getLong(0));
            try {
                for (int i = 0; i < tensors.length; i++) {
                    binding.setInput(i, tensors[i]);
                }
            } catch (RuntimeException e) {
                binding.close();
                throw e;
            }
            return binding;
        } finally {
            handle.leave();
            Reference.reachabilityFence(this);
        }
    }

    @Override
    public void close() {
        handle.close();
    }
}
