// SPDX-License-Identifier: Apache-2.0
package libge;

/** A form in which graphs and models are written as text. */
public enum Dump {
    /** GE's protobuf text, without weights. */
    GE_TEXT(Raw.GE_DUMP_GE_TEXT),
    /** One line per node. */
    READABLE(Raw.GE_DUMP_READABLE),
    /** A drawing for Graphviz. */
    DOT(Raw.GE_DUMP_DOT),
    /** Graph text that reads back. */
    IR(Raw.GE_DUMP_IR),
    /** Models: what each pass changed. */
    PASSES(Raw.GE_DUMP_PASSES),
    /** Models: the kernel of each node, and why others were refused. */
    KERNELS(Raw.GE_DUMP_KERNELS),
    /** Models: steps with kernels, operands and offsets. */
    PLAN(Raw.GE_DUMP_PLAN),
    /** Models: the figures of the compilation. */
    SUMMARY(Raw.GE_DUMP_SUMMARY);

    final int code;

    Dump(int code) {
        this.code = code;
    }

    /** A call that writes text into a buffer. */
    interface Writer {
        long write(long buffer, long size, long outSize);
    }

    /** Calls twice: for the size, then for the text. */
    static String read(Writer writer) {
        try (Memory memory = Memory.open()) {
            Memory.Block size = memory.take(8);
            GeException.check(writer.write(0, 0, size.address()));
            Memory.Block text = memory.take(size.getLong(0) + 1);
            GeException.check(writer.write(text.address(), size.getLong(0) + 1, size.address()));
            return Memory.text(text.address());
        }
    }
}
