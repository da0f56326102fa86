// SPDX-License-Identifier: Apache-2.0
package libge;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A call of the library failed; holds everything its record says. Subclasses tell the class of the failure. */
public class GeException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** One cause, nearest first in {@link #causes()}. */
    public record Cause(int status, String name, String message) implements java.io.Serializable {}

    /** The caller passed something wrong. */
    public static final class Argument extends GeException {
        private static final long serialVersionUID = 1L;

        Argument(Fields f) {
            super(f);
        }
    }

    /** A handle or id does not name a live object, or it is the wrong time for the call. */
    public static final class State extends GeException {
        private static final long serialVersionUID = 1L;

        State(Fields f) {
            super(f);
        }
    }

    /** Memory, files, threads, limits. */
    public static final class Resource extends GeException {
        private static final long serialVersionUID = 1L;

        Resource(Fields f) {
            super(f);
        }
    }

    /** Valid, but this build cannot do it. */
    public static final class Unsupported extends GeException {
        private static final long serialVersionUID = 1L;

        Unsupported(Fields f) {
            super(f);
        }
    }

    /** A model file or graph is not valid, or cannot be compiled. */
    public static final class Model extends GeException {
        private static final long serialVersionUID = 1L;

        Model(Fields f) {
            super(f);
        }
    }

    /** Ended early: cancelled, or past its deadline. */
    public static final class Cancelled extends GeException {
        private static final long serialVersionUID = 1L;

        Cancelled(Fields f) {
            super(f);
        }
    }

    /** What a record holds. */
    private record Fields(int status, String name, String message, String function, String argument, int argumentIndex,
            String node, String found, String wanted, Map<String, String> details, List<Cause> causes) {}

    private final int status;
    private final String name;
    private final String function;
    private final String argument;
    private final int argumentIndex;
    private final String node;
    private final String found;
    private final String wanted;
    private final LinkedHashMap<String, String> details;
    private final ArrayList<Cause> causes;

    private GeException(Fields f) {
        super(f.message.isEmpty() ? f.name : f.message);
        status = f.status;
        name = f.name;
        function = f.function;
        argument = f.argument;
        argumentIndex = f.argumentIndex;
        node = f.node;
        found = f.found;
        wanted = f.wanted;
        details = new LinkedHashMap<>(f.details);
        causes = new ArrayList<>(f.causes);
    }

    /** Number of the status. */
    public int status() {
        return status;
    }

    /** Name of the status, e.g. "GE_ERR_SHAPE". */
    public String statusName() {
        return name;
    }

    /** The C function that failed. */
    public String function() {
        return function;
    }

    /** Name of the wrong argument or field, or "". */
    public String argument() {
        return argument;
    }

    /** Position of the wrong argument from 0, or -1. */
    public int argumentIndex() {
        return argumentIndex;
    }

    /** Name of the node concerned, or "". */
    public String node() {
        return node;
    }

    /** The value found, or "". */
    public String found() {
        return found;
    }

    /** The value wanted, or "". */
    public String wanted() {
        return wanted;
    }

    /** Further facts, such as "offset". */
    public Map<String, String> details() {
        return java.util.Collections.unmodifiableMap(details);
    }

    /** Causes, nearest first. */
    public List<Cause> causes() {
        return java.util.Collections.unmodifiableList(causes);
    }

    /** The whole record as lines "key: value"; the same text in every SDK. */
    public String record() {
        StringBuilder b = new StringBuilder();
        b.append(String.format(java.util.Locale.ROOT,
                "status: 0x%08x\nname: %s\nmessage: %s\nfunction: %s\nargument: %s\nargument_index: %d\n"
                        + "node: %s\nfound: %s\nwanted: %s\n",
                status, name, getMessage(), function, argument, argumentIndex, node, found, wanted));
        details.forEach((key, value) -> b.append("detail ").append(key).append(": ").append(value).append('\n'));
        causes.forEach(c -> b.append("cause ").append(c.name).append(": ").append(c.message).append('\n'));
        return b.toString();
    }

    /** Throws when a call gave an error, which is released. */
    static void check(long error) {
        if (error != 0) {
            throw of(error);
        }
    }

    private static GeException of(long error) {
        Fields f;
        try {
            f = read(error);
        } finally {
            Raw.ge_error_release(error);
        }
        return switch (f.status >> 16) {
            case Raw.GE_CLASS_ARGUMENT -> new Argument(f);
            case Raw.GE_CLASS_HANDLE, Raw.GE_CLASS_STATE -> new State(f);
            case Raw.GE_CLASS_RESOURCE -> new Resource(f);
            case Raw.GE_CLASS_UNSUPPORTED -> new Unsupported(f);
            case Raw.GE_CLASS_MODEL, Raw.GE_CLASS_COMPILE -> new Model(f);
            case Raw.GE_CLASS_CANCELLED -> new Cancelled(f);
            default -> new GeException(f);
        };
    }

    private static Fields read(long error) {
        try (Memory memory = Memory.open()) {
            Memory.Block info = memory.struct(Raw.ERROR_INFO_SIZE);
            if (Raw.ge_error_get_info(error, info.address(), Raw.ERROR_INFO_SIZE) != 0) {
                info.putInt(Raw.ERROR_INFO_STATUS, Raw.GE_ERR_INTERNAL);
            }
            Map<String, String> details = new LinkedHashMap<>();
            Memory.Block slots = memory.take(16);
            for (int i = 0; i < info.getInt(Raw.ERROR_INFO_DETAILS_COUNT); i++) {
                if (Raw.ge_error_get_detail(error, i, slots.address(), slots.address() + 8) == 0) {
                    details.put(Memory.text(slots.getLong(0)), Memory.text(slots.getLong(8)));
                }
            }
            List<Cause> causes = new ArrayList<>();
            for (int i = 0; i < info.getInt(Raw.ERROR_INFO_CAUSES_COUNT); i++) {
                if (Raw.ge_error_get_cause(error, i, slots.address(), slots.address() + 8) == 0) {
                    int cause = slots.getInt(0);
                    causes.add(new Cause(cause, Memory.text(Raw.ge_status_name(cause)), Memory.text(slots.getLong(8))));
                }
            }
            int status = info.getInt(Raw.ERROR_INFO_STATUS);
            return new Fields(status, Memory.text(Raw.ge_status_name(status)),
                    Memory.text(info.getLong(Raw.ERROR_INFO_MESSAGE)),
                    Memory.text(info.getLong(Raw.ERROR_INFO_FUNCTION_NAME)),
                    Memory.text(info.getLong(Raw.ERROR_INFO_ARGUMENT)),
                    info.getInt(Raw.ERROR_INFO_ARGUMENT_INDEX),
                    Memory.text(info.getLong(Raw.ERROR_INFO_NODE)),
                    Memory.text(info.getLong(Raw.ERROR_INFO_FOUND)),
                    Memory.text(info.getLong(Raw.ERROR_INFO_WANTED)), details, causes);
        }
    }
}
