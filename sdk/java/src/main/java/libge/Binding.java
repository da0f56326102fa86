// SPDX-License-Identifier: Apache-2.0
package libge;

import java.lang.ref.Reference;

/** Inputs bound once, to run many times; one thread at a time. */
public final class Binding implements AutoCloseable {
    private final Handle handle;

    /** Takes over a handle. */
    Binding(long pointer) {
        handle = new Handle(this, pointer, Raw::ge_binding_destroy);
    }

    /** Binds a tensor to an input; each run reads its bytes anew. */
    public void setInput(int index, Tensor tensor) {
        long p = handle.enter();
        try {
            long value = tensor.toValue();
            try {
                GeException.check(Raw.ge_binding_set_input(p, index, value));
            } finally {
                GeException.check(Raw.ge_value_destroy(value));
            }
        } finally {
            handle.leave();
            Reference.reachabilityFence(this);
        }
    }

    /** Runs once. */
    public void run() {
        long p = handle.enter();
        try {
            GeException.check(Raw.ge_binding_run(p, 0));
        } finally {
            handle.leave();
            Reference.reachabilityFence(this);
        }
    }

    /** The result of the last run; the next run writes into the same memory. */
    public Tensor output(int index) {
        long p = handle.enter();
        try (Memory memory = Memory.open()) {
            Memory.Block out = memory.take(8);
            GeException.check(Raw.ge_binding_get_output(p, index, out.address()));
            return Tensor.ofValue(out.getLong(0));
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
