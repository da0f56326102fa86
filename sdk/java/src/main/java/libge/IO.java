// SPDX-License-Identifier: Apache-2.0
package libge;

import java.util.ArrayList;
import java.util.List;

/**
 * An input or output of a model.
 *
 * @param dims null when the rank is unknown
 * @param isOptional whether it has a default and may stay unbound
 */
public record IO(String name, DType dtype, List<Dim> dims, boolean isOptional) {
    /**
     * One dim: a size, or -1 for any.
     *
     * @param name the symbol of a dim of any size, or null
     */
    public record Dim(long size, String name) {}

    static List<IO> list(long model, int direction) {
        try (Memory memory = Memory.open()) {
            Memory.Block count = memory.take(8);
            int stride = Raw.IO_INFO_SIZE;
            GeException.check(Raw.ge_model_get_io_infos(model, direction, 0, 0, stride, count.address()));
            int n = Math.toIntExact(count.getLong(0));
            Memory.Block infos = memory.take(Math.max(1, (long) n * stride));
            for (int i = 0; i < n; i++) {
                infos.putInt(i * stride, stride);
            }
            GeException.check(Raw.ge_model_get_io_infos(model, direction, n == 0 ? 0 : infos.address(), n, stride,
                    count.address()));
            List<IO> list = new ArrayList<>();
            for (int i = 0; i < n; i++) {
                list.add(of(infos, i * stride));
            }
            return List.copyOf(list);
        }
    }

    private static IO of(Memory.Block infos, int at) {
        int rank = infos.getInt(at + Raw.IO_INFO_RANK);
        List<Dim> dims = null;
        if (rank >= 0) {
            dims = new ArrayList<>();
            var sizes = longs(infos.getLong(at + Raw.IO_INFO_DIMS), rank);
            var names = longs(infos.getLong(at + Raw.IO_INFO_DIM_NAMES), rank);
            for (int i = 0; i < rank; i++) {
                boolean isNamed = sizes.get(i) < 0 && names.hasRemaining() && names.get(i) != 0;
                dims.add(new Dim(sizes.get(i), isNamed ? Memory.text(names.get(i)) : null));
            }
            dims = List.copyOf(dims);
        }
        return new IO(Memory.text(infos.getLong(at + Raw.IO_INFO_NAME)), new DType(infos.getInt(at + Raw.IO_INFO_DTYPE)),
                dims, infos.getInt(at + Raw.IO_INFO_IS_OPTIONAL) != 0);
    }

    /** Numbers of the library; none for address 0. */
    static java.nio.LongBuffer longs(long address, int count) {
        return Memory.over(address, address == 0 ? 0 : 8L * count).order(java.nio.ByteOrder.nativeOrder()).asLongBuffer();
    }
}
