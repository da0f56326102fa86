// SPDX-License-Identifier: Apache-2.0
package libge;

import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** A tensor: shape, data type, bytes. */
public final class Tensor implements AutoCloseable {
    private final Handle handle;

    /** Takes over a handle. */
    Tensor(long pointer) {
        handle = new Handle(this, pointer, Raw::ge_tensor_destroy);
    }

    /** A tensor with a copy of {@code data}, in the process default context. */
    public static Tensor of(float[] data, long... dims) {
        return of(null, data, dims);
    }

    /** A tensor with a copy of {@code data}; the context is that of the models it is for. */
    public static Tensor of(Context context, float[] data, long... dims) {
        Tensor tensor = create(context, DType.FLOAT32, dims, 4L * data.length);
        tensor.writable().asFloatBuffer().put(data);
        return tensor;
    }

    /** A tensor with a copy of {@code data}, in the process default context. */
    public static Tensor of(long[] data, long... dims) {
        return of(null, data, dims);
    }

    /** A tensor with a copy of {@code data}; the context is that of the models it is for. */
    public static Tensor of(Context context, long[] data, long... dims) {
        Tensor tensor = create(context, DType.INT64, dims, 8L * data.length);
        tensor.writable().asLongBuffer().put(data);
        return tensor;
    }

    /** A tensor with a copy of {@code data}, in the process default context. */
    public static Tensor of(int[] data, long... dims) {
        return of(null, data, dims);
    }

    /** A tensor with a copy of {@code data}; the context is that of the models it is for. */
    public static Tensor of(Context context, int[] data, long... dims) {
        Tensor tensor = create(context, DType.INT32, dims, 4L * data.length);
        tensor.writable().asIntBuffer().put(data);
        return tensor;
    }

    /**
     * A tensor over the bytes between position and limit of a direct buffer in native order, without a copy. The buffer
     * is kept until the last user of the tensor is done; write it only while no run uses it.
     *
     * @param context may be null
     */
    public static Tensor over(Context context, ByteBuffer buffer, DType dtype, long... dims) {
        if (!buffer.isDirect() || buffer.order() != ByteOrder.nativeOrder()) {
            throw new IllegalArgumentException("a direct buffer in native byte order is wanted");
        }
        ByteBuffer bytes = buffer.slice();
        long c = Context.enter(context);
        try (Memory memory = Memory.open()) {
            Memory.Block desc = desc(memory, dtype, dims);
            Memory.Block lent = memory.take(Raw.MEMORY_SIZE);
            Memory.Block out = memory.take(8);
            if (!Memory.lend(bytes, bytes.remaining(), bytes.isReadOnly(), lent.address())) {
                throw new OutOfMemoryError("no global reference left");
            }
            // The library gives the buffer back also when this fails.
            GeException.check(Raw.ge_tensor_create_over(c, desc.address(), lent.address(), out.address()));
            return new Tensor(out.getLong(0));
        } finally {
            Context.leave(context);
        }
    }

    private static Tensor create(Context context, DType dtype, long[] dims, long size) {
        long c = Context.enter(context);
        try (Memory memory = Memory.open()) {
            Memory.Block desc = desc(memory, dtype, dims);
            Memory.Block out = memory.take(8);
            GeException.check(Raw.ge_tensor_create(c, desc.address(), out.address()));
            Tensor tensor = new Tensor(out.getLong(0));
            long has = tensor.info(Raw.TENSOR_INFO_DATA_SIZE);
            if (has != size) {
                tensor.close();
                throw new IllegalArgumentException("the shape asks for " + has + " bytes, the data has " + size);
            }
            return tensor;
        } finally {
            Context.leave(context);
        }
    }

    private static Memory.Block desc(Memory memory, DType dtype, long[] dims) {
        Memory.Block desc = memory.take(Raw.TENSOR_DESC_SIZE);
        GeException.check(Raw.ge_tensor_desc_init(desc.address(), Raw.TENSOR_DESC_SIZE));
        return desc.putInt(Raw.TENSOR_DESC_DTYPE, dtype.code())
                .putInt(Raw.TENSOR_DESC_RANK, dims.length)
                .putLong(Raw.TENSOR_DESC_DIMS, memory.longs(dims));
    }

    /** The data type. */
    public DType dtype() {
        long p = handle.enter();
        try (Memory memory = Memory.open()) {
            return new DType(read(memory, p).getInt(Raw.TENSOR_DESC_DTYPE));
        } finally {
            handle.leave();
            Reference.reachabilityFence(this);
        }
    }

    /** The shape. */
    public long[] dims() {
        long p = handle.enter();
        try (Memory memory = Memory.open()) {
            Memory.Block desc = read(memory, p);
            long[] dims = new long[desc.getInt(Raw.TENSOR_DESC_RANK)];
            IO.longs(desc.getLong(Raw.TENSOR_DESC_DIMS), dims.length).get(dims);
            return dims;
        } finally {
            handle.leave();
            Reference.reachabilityFence(this);
        }
    }

    private static Memory.Block read(Memory memory, long p) {
        Memory.Block desc = memory.struct(Raw.TENSOR_DESC_SIZE);
        GeException.check(Raw.ge_tensor_get_desc(p, desc.address(), Raw.TENSOR_DESC_SIZE));
        return desc;
    }

    private long info(int field) {
        long p = handle.enter();
        try (Memory memory = Memory.open()) {
            Memory.Block info = memory.struct(Raw.TENSOR_INFO_SIZE);
            GeException.check(Raw.ge_tensor_get_info(p, info.address(), Raw.TENSOR_INFO_SIZE));
            return info.getLong(field);
        } finally {
            handle.leave();
            Reference.reachabilityFence(this);
        }
    }

    private ByteBuffer writable() {
        long p = handle.enter();
        try (Memory memory = Memory.open()) {
            Memory.Block out = memory.take(16);
            GeException.check(Raw.ge_tensor_get_mutable_data(p, out.address(), out.address() + 8));
            return Memory.over(out.getLong(0), out.getLong(8)).order(ByteOrder.nativeOrder());
        } finally {
            handle.leave();
            Reference.reachabilityFence(this);
        }
    }

    /** The bytes themselves, row-major and read-only: valid until the tensor is closed, so keep it reachable meanwhile. */
    public ByteBuffer view() {
        long p = handle.enter();
        try (Memory memory = Memory.open()) {
            Memory.Block out = memory.take(16);
            GeException.check(Raw.ge_tensor_get_data(p, out.address(), out.address() + 8));
            return Memory.over(out.getLong(0), out.getLong(8)).asReadOnlyBuffer().order(ByteOrder.nativeOrder());
        } finally {
            handle.leave();
            Reference.reachabilityFence(this);
        }
    }

    /** A copy of the elements of a float32 tensor. */
    public float[] floats() {
        if (!dtype().equals(DType.FLOAT32)) {
            throw new IllegalStateException("the tensor holds " + dtype() + ", not float32");
        }
        try {
            var view = view().asFloatBuffer();
            float[] data = new float[view.remaining()];
            view.get(data);
            return data;
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /** A copy of the bytes. */
    public byte[] bytes() {
        try {
            ByteBuffer view = view();
            byte[] data = new byte[view.remaining()];
            view.get(data);
            return data;
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /** A value handle over the tensor; the caller destroys it. */
    long toValue() {
        long p = handle.enter();
        try (Memory memory = Memory.open()) {
            Memory.Block out = memory.take(8);
            GeException.check(Raw.ge_value_create_from_tensor(p, out.address()));
            return out.getLong(0);
        } finally {
            handle.leave();
            Reference.reachabilityFence(this);
        }
    }

    /** The tensor of a value. */
    static Tensor ofValue(long value) {
        try (Memory memory = Memory.open()) {
            Memory.Block out = memory.take(8);
            GeException.check(Raw.ge_tensor_create_from_value(value, out.address()));
            return new Tensor(out.getLong(0));
        }
    }

    @Override
    public void close() {
        handle.close();
    }
}
