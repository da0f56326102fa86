/* SPDX-License-Identifier: Apache-2.0 */
/* Memory.java's side: addresses of direct buffers, buffers over addresses, tensors over Java buffers. */
#include <jni.h>
#include <pthread.h>
#include <string.h>

#include <ge_c_api.h>

static JavaVM *vm;
static pthread_key_t attached; /* set on threads that we attached, so that they detach when they end */

static void detach(void *unused) {
    (void)unused;
    (*vm)->DetachCurrentThread(vm);
}

JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM *loader, void *reserved) {
    (void)reserved;
    vm = loader;
    return pthread_key_create(&attached, detach) ? JNI_ERR : JNI_VERSION_10;
}

/* The environment of this thread; a thread of the library becomes a daemon once.  NULL when the VM is going down. */
static JNIEnv *environment(void) {
    JNIEnv *env = NULL;
    JavaVMAttachArgs args = {JNI_VERSION_10, (char *)"libge", NULL};
    jint state = (*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_10);
    if (state != JNI_EDETACHED) return state == JNI_OK ? env : NULL;
    if ((*vm)->AttachCurrentThreadAsDaemon(vm, (void **)&env, &args) != JNI_OK) return NULL;
    pthread_setspecific(attached, env);
    return env;
}

static void drop_reference(void *user_data) {
    JNIEnv *env = environment();
    if (env) (*env)->DeleteGlobalRef(env, (jobject)user_data);
}

JNIEXPORT jlong JNICALL Java_libge_Memory_address(JNIEnv *env, jclass self, jobject buffer) {
    (void)self;
    return (jlong)(intptr_t)(*env)->GetDirectBufferAddress(env, buffer);
}

JNIEXPORT jobject JNICALL Java_libge_Memory_over(JNIEnv *env, jclass self, jlong address, jlong size) {
    static char none; /* an empty tensor has no bytes; a buffer needs an address all the same */
    (void)self;
    return (*env)->NewDirectByteBuffer(env, address ? (void *)(intptr_t)address : (void *)&none, size);
}

JNIEXPORT jbyteArray JNICALL Java_libge_Memory_bytes(JNIEnv *env, jclass self, jlong address) {
    const char *text = address ? (const char *)(intptr_t)address : "";
    jsize size = (jsize)strlen(text);
    jbyteArray out = (*env)->NewByteArray(env, size);
    (void)self;
    if (out) (*env)->SetByteArrayRegion(env, out, 0, size, (const jbyte *)text);
    return out;
}

/* Fills the ge_memory at `memory` with a direct buffer, which is kept until the library is done with its bytes. */
JNIEXPORT jboolean JNICALL Java_libge_Memory_lend(JNIEnv *env, jclass self, jobject buffer, jlong size, jboolean read_only,
                                                  jlong memory) {
    ge_memory *m = (ge_memory *)(intptr_t)memory;
    ge_memory filled = GE_MEMORY_INIT;
    jobject kept = (*env)->NewGlobalRef(env, buffer);
    (void)self;
    if (!kept) return JNI_FALSE;
    filled.flags = read_only ? GE_MEMORY_READ_ONLY : 0;
    filled.data = (*env)->GetDirectBufferAddress(env, buffer);
    filled.data_size = (uint64_t)size;
    filled.user_data = kept;
    filled.destroy = drop_reference;
    *m = filled;
    return JNI_TRUE;
}
