// SPDX-License-Identifier: Apache-2.0
package libge;

import java.lang.ref.Reference;
import java.nio.file.Path;
import java.util.Map;

/** A computation graph. */
public final class Graph implements AutoCloseable {
    private final Handle handle;

    /** What a model file is. */
    public enum Format {
        /** Told by the content. */
        AUTO(Raw.GE_FILE_AUTO),
        /** ONNX, binary protobuf. */
        ONNX(Raw.GE_FILE_ONNX);

        private final int code;

        Format(int code) {
            this.code = code;
        }
    }

    private Graph(long pointer) {
        handle = new Handle(this, pointer, Raw::ge_graph_destroy);
    }

    /** Reads a model from a file. */
    public static Graph open(Path path) {
        return open(null, path, Format.AUTO);
    }

    /**
     * Reads a model from a file.
     *
     * @param context may be null
     */
    public static Graph open(Context context, Path path, Format format) {
        byte[] name = Memory.utf8(path.toString());
        long c = Context.enter(context);
        try (Memory memory = Memory.open()) {
            Memory.Block out = memory.take(8);
            GeException.check(Raw.ge_graph_import_file(c, format.code, memory.bytes(name), name.length, 0, out.address()));
            return new Graph(out.getLong(0));
        } finally {
            Context.leave(context);
        }
    }

    /**
     * Reads a model from memory.
     *
     * @param context may be null
     */
    public static Graph read(Context context, byte[] data, Format format) {
        long c = Context.enter(context);
        try (Memory memory = Memory.open()) {
            Memory.Block out = memory.take(8);
            GeException.check(Raw.ge_graph_import(c, format.code, memory.bytes(data), data.length, 0, out.address()));
            return new Graph(out.getLong(0));
        } finally {
            Context.leave(context);
        }
    }

    /** The graph as text. */
    public String dump(Dump form) {
        long p = handle.enter();
        try {
            return Dump.read((buffer, size, out) -> Raw.ge_graph_dump(p, form.code, buffer, size, out));
        } finally {
            handle.leave();
            Reference.reachabilityFence(this);
        }
    }

    /** A model of the graph as it is now. */
    public Model compile(Map<String, ?> settings) {
        long p = handle.enter();
        try (Options options = new Options(settings); Memory memory = Memory.open()) {
            Memory.Block how = memory.take(Raw.COMPILE_OPTIONS_SIZE);
            Memory.Block out = memory.take(8);
            GeException.check(Raw.ge_compile_options_init(how.address(), Raw.COMPILE_OPTIONS_SIZE));
            how.putLong(Raw.COMPILE_OPTIONS_OPTIONS, options.pointer());
            GeException.check(Raw.ge_graph_compile(p, how.address(), out.address()));
            return new Model(out.getLong(0));
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
