// SPDX-License-Identifier: Apache-2.0
package libge;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Native memory for the arguments of calls: a stack per thread. Blocks taken within a {@code try} live until its end:
 *
 * <pre>{@code
 * try (Memory memory = Memory.open()) {
 *     Memory.Block out = memory.take(8);
 *     GeException.check(Raw.ge_x_create(memory.text("name"), ..., out.address()));
 *     return out.getLong(0);
 * }
 * }</pre>
 */
final class Memory implements AutoCloseable {
    static {
        NativeLibrary.load();
    }

    private static final int STACK_BYTES = 1 << 16;
    private static final ThreadLocal<Memory> OF_THREAD = ThreadLocal.withInitial(Memory::new);

    private final ByteBuffer stack = direct(STACK_BYTES);
    private final long base = address(stack);
    private int[] marks = new int[16];
    private int depth;
    private int top;
    private final List<ByteBuffer> large = new ArrayList<>(); // blocks that do not fit; dropped with the outermost try

    private Memory() {}

    static Memory open() {
        Memory memory = OF_THREAD.get();
        if (memory.depth == memory.marks.length) {
            memory.marks = java.util.Arrays.copyOf(memory.marks, 2 * memory.depth);
        }
        memory.marks[memory.depth++] = memory.top;
        return memory;
    }

    @Override
    public void close() {
        top = marks[--depth];
        if (depth == 0) {
            large.clear();
        }
    }

    /** A piece of native memory. */
    record Block(ByteBuffer buffer, int offset, long address) {
        int getInt(int at) {
            return buffer.getInt(offset + at);
        }

        long getLong(int at) {
            return buffer.getLong(offset + at);
        }

        Block putInt(int at, int value) {
            buffer.putInt(offset + at, value);
            return this;
        }

        Block putLong(int at, long value) {
            buffer.putLong(offset + at, value);
            return this;
        }
    }

    /** Zeroed memory, aligned to 8 bytes. */
    Block take(long size) {
        long rounded = (size + 7) & ~7L;
        if (rounded > STACK_BYTES - top) {
            ByteBuffer own = direct(Math.toIntExact(rounded));
            large.add(own);
            return new Block(own, 0, address(own));
        }
        Block block = new Block(stack, top, base + top);
        for (int i = 0; i < rounded; i += 8) {
            block.putLong(i, 0);
        }
        top += (int) rounded;
        return block;
    }

    /** A struct whose first field is its size, as the library wants structs that it fills. */
    Block struct(int size) {
        return take(size).putInt(0, size);
    }

    /** A copy of bytes. */
    long bytes(byte[] bytes) {
        Block block = take(Math.max(bytes.length, 1));
        block.buffer().put(block.offset(), bytes);
        return block.address();
    }

    /** A copy of numbers; 0 for none. */
    long longs(long[] numbers) {
        if (numbers.length == 0) {
            return 0;
        }
        Block block = take(8L * numbers.length);
        for (int i = 0; i < numbers.length; i++) {
            block.putLong(8 * i, numbers[i]);
        }
        return block.address();
    }

    static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Zero-terminated text of the library. */
    static String text(long address) {
        return new String(bytes(address), StandardCharsets.UTF_8);
    }

    private static ByteBuffer direct(int size) {
        return ByteBuffer.allocateDirect(size).order(ByteOrder.nativeOrder());
    }

    static native long address(ByteBuffer buffer);

    static native ByteBuffer over(long address, long size);

    private static native byte[] bytes(long address);

    static native boolean lend(ByteBuffer buffer, long size, boolean readOnly, long memory);
}
