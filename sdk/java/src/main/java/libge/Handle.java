// SPDX-License-Identifier: Apache-2.0
package libge;

import java.lang.ref.Cleaner;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongUnaryOperator;

/**
 * Owns one handle of the library. It goes when it is closed and no call uses it any more. Methods of the owner read
 *
 * <pre>{@code
 * long p = handle.enter();
 * try {
 *     ...
 * } finally {
 *     handle.leave();
 *     Reference.reachabilityFence(this);
 * }
 * }</pre>
 */
final class Handle {
    private static final Cleaner CLEANER = Cleaner.create();
    private static final long CLOSED = 1L << 62;

    /** Does not refer to the owner, so that the cleaner can run. */
    private static final class State implements Runnable {
        final AtomicLong calls = new AtomicLong(); // in flight, plus CLOSED
        final long pointer;
        final LongUnaryOperator destroy;

        State(long pointer, LongUnaryOperator destroy) {
            this.pointer = pointer;
            this.destroy = destroy;
        }

        @Override
        public void run() {
            if (calls.getAndUpdate(n -> n | CLOSED) == 0) {
                end();
            }
        }

        void end() {
            long error = destroy.applyAsLong(pointer);
            if (error != 0) {
                Raw.ge_error_release(error); // a live handle's destroy does not fail; nobody could act on it here
            }
        }
    }

    private final State state;
    private final Cleaner.Cleanable cleanable;
    private final String kind;

    /** Takes over {@code pointer} for {@code owner}; to be called last in its constructor. */
    Handle(Object owner, long pointer, LongUnaryOperator destroy) {
        kind = owner.getClass().getSimpleName();
        state = new State(pointer, destroy);
        cleanable = CLEANER.register(owner, state);
    }

    long enter() {
        long n;
        do {
            n = state.calls.get();
            if ((n & CLOSED) != 0) {
                throw new IllegalStateException(kind + " is closed");
            }
        } while (!state.calls.compareAndSet(n, n + 1));
        return state.pointer;
    }

    void leave() {
        if (state.calls.decrementAndGet() == CLOSED) {
            state.end();
        }
    }

    void close() {
        cleanable.clean(); // runs State.run once, however often it is asked
    }
}
