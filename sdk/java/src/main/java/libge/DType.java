// SPDX-License-Identifier: Apache-2.0
package libge;

/** A data type, with the numbers of the C header. */
public record DType(int code) {
    /** 32-bit floating point. */
    public static final DType FLOAT32 = new DType(Raw.GE_DTYPE_FLOAT32);
    /** 64-bit floating point. */
    public static final DType FLOAT64 = new DType(Raw.GE_DTYPE_FLOAT64);
    /** 16-bit floating point. */
    public static final DType FLOAT16 = new DType(Raw.GE_DTYPE_FLOAT16);
    /** The upper half of a 32-bit floating-point number. */
    public static final DType BFLOAT16 = new DType(Raw.GE_DTYPE_BFLOAT16);
    /** 8-bit integer. */
    public static final DType INT8 = new DType(Raw.GE_DTYPE_INT8);
    /** 8-bit unsigned integer. */
    public static final DType UINT8 = new DType(Raw.GE_DTYPE_UINT8);
    /** 16-bit integer. */
    public static final DType INT16 = new DType(Raw.GE_DTYPE_INT16);
    /** 32-bit integer. */
    public static final DType INT32 = new DType(Raw.GE_DTYPE_INT32);
    /** 64-bit integer. */
    public static final DType INT64 = new DType(Raw.GE_DTYPE_INT64);
    /** One byte, 0 or 1. */
    public static final DType BOOL = new DType(Raw.GE_DTYPE_BOOL);

    /** Its name in lower case, e.g. "float32". */
    @Override
    public String toString() {
        return Memory.text(Raw.ge_dtype_get_name(code));
    }
}
