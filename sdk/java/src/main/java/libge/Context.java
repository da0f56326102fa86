// SPDX-License-Identifier: Apache-2.0
package libge;

import java.lang.ref.Reference;
import java.util.Map;

/** Limits, registries and counters that objects share. Most programs need none and use the process default. */
public final class Context implements AutoCloseable {
    private final Handle handle;

    /** Counters of a context; copiedBytes unchanged over a call means that it copied nothing. */
    public record Info(int threads, long copiedBytes, long allocatedBytes, long peakBytes, long objects) {}

    /** A context with settings such as "ge.threads". */
    public Context(Map<String, ?> settings) {
        try (Options options = new Options(settings); Memory memory = Memory.open()) {
            Memory.Block out = memory.take(8);
            GeException.check(Raw.ge_context_create(options.pointer(), out.address()));
            handle = new Handle(this, out.getLong(0), Raw::ge_context_destroy);
        }
    }

    /** Reads the counters. */
    public Info info() {
        long p = handle.enter();
        try (Memory memory = Memory.open()) {
            Memory.Block info = memory.struct(Raw.CONTEXT_INFO_SIZE);
            GeException.check(Raw.ge_context_get_info(p, info.address(), Raw.CONTEXT_INFO_SIZE));
            return new Info(info.getInt(Raw.CONTEXT_INFO_THREADS), info.getLong(Raw.CONTEXT_INFO_COPIED_BYTES),
                    info.getLong(Raw.CONTEXT_INFO_ALLOCATED_BYTES), info.getLong(Raw.CONTEXT_INFO_PEAK_BYTES),
                    info.getLong(Raw.CONTEXT_INFO_OBJECTS_COUNT));
        } finally {
            handle.leave();
            Reference.reachabilityFence(this);
        }
    }

    /** The handle of a context, 0 for null; {@link #leave} ends its use. */
    static long enter(Context context) {
        return context == null ? 0 : context.handle.enter();
    }

    static void leave(Context context) {
        if (context != null) {
            context.handle.leave();
        }
        Reference.reachabilityFence(context);
    }

    @Override
    public void close() {
        handle.close();
    }
}
