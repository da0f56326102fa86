// SPDX-License-Identifier: Apache-2.0
package libge;

import java.util.Map;

/** Settings by key for the length of one call; values are strings, whole numbers, doubles or booleans. */
final class Options implements AutoCloseable {
    private final long pointer;

    Options(Map<String, ?> settings) {
        try (Memory memory = Memory.open()) {
            Memory.Block out = memory.take(8);
            GeException.check(Raw.ge_options_create(out.address()));
            pointer = out.getLong(0);
        }
        try {
            settings.forEach(this::set);
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    private void set(String key, Object value) {
        byte[] name = Memory.utf8(key);
        try (Memory memory = Memory.open()) {
            long k = memory.bytes(name);
            if (value instanceof Boolean b) {
                GeException.check(Raw.ge_options_set_int(pointer, k, name.length, b ? 1 : 0));
            } else if (value instanceof Integer || value instanceof Long) {
                GeException.check(Raw.ge_options_set_int(pointer, k, name.length, ((Number) value).longValue()));
            } else if (value instanceof Double d) {
                GeException.check(Raw.ge_options_set_float(pointer, k, name.length, d));
            } else if (value instanceof String s) {
                byte[] text = Memory.utf8(s);
                GeException.check(Raw.ge_options_set_text(pointer, k, name.length, memory.bytes(text), text.length));
            } else {
                throw new IllegalArgumentException(key + ": a String, Integer, Long, Double or Boolean is wanted");
            }
        }
    }

    long pointer() {
        return pointer;
    }

    @Override
    public void close() {
        GeException.check(Raw.ge_options_destroy(pointer));
    }
}
