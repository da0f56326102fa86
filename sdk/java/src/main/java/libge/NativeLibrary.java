// SPDX-License-Identifier: Apache-2.0
package libge;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds and loads the JNI shim, in this order: the file of {@code -Dge.library.path}, the file of the environment
 * variable GE_JNI_LIBRARY, {@code java.library.path}, the copy inside the jar (unpacked into a fresh private folder,
 * below {@code -Dge.tmpdir} or the usual one, and deleted at exit).
 */
final class NativeLibrary {
    private static final String FOLDER = "/META-INF/native/";
    private static boolean loaded;

    private NativeLibrary() {}

    static synchronized void load() {
        if (loaded) {
            return;
        }
        List<String> tried = new ArrayList<>();
        if (!tryFile("-Dge.library.path", System.getProperty("ge.library.path"), tried)
                && !tryFile("GE_JNI_LIBRARY", System.getenv("GE_JNI_LIBRARY"), tried)
                && !tryName(tried)
                && !tryResource(tried)) {
            throw new UnsatisfiedLinkError("libge cannot be loaded; tried:\n  " + String.join("\n  ", tried));
        }
        loaded = true;
        GeException.check(Raw.ge_check_header(Raw.GE_HEADER_ABI, Raw.GE_HEADER_MAJOR, 8));
    }

    private static boolean tryFile(String what, String file, List<String> tried) {
        if (file == null) {
            tried.add(what + ": not set");
            return false;
        }
        try {
            System.load(Path.of(file).toAbsolutePath().toString());
            return true;
        } catch (UnsatisfiedLinkError e) {
            tried.add(what + " " + file + ": " + e.getMessage());
            return false;
        }
    }

    private static boolean tryName(List<String> tried) {
        try {
            System.loadLibrary("ge_jni");
            return true;
        } catch (UnsatisfiedLinkError e) {
            tried.add("java.library.path: " + e.getMessage());
            return false;
        }
    }

    private static boolean tryResource(List<String> tried) {
        String arch = System.getProperty("os.arch").equals("amd64") ? "x86_64" : System.getProperty("os.arch");
        String folder = FOLDER + System.getProperty("os.name").toLowerCase(java.util.Locale.ROOT) + "-" + arch + "/";
        Path unpacked = null;
        try (InputStream index = NativeLibrary.class.getResourceAsStream(folder + "index")) {
            if (index == null) {
                tried.add("resource " + folder + ": not in this jar");
                return false;
            }
            String names = new String(index.readAllBytes(), java.nio.charset.StandardCharsets.US_ASCII);
            unpacked = privateFolder();
            for (String name : names.trim().split(" ")) {
                try (InputStream file = NativeLibrary.class.getResourceAsStream(folder + name)) {
                    Files.copy(file, unpacked.resolve(name));
                }
            }
            // The plugin is opened later, at the first compile, so the folder stays until exit.
            System.load(unpacked.resolve("libge_jni.so").toString());
            return true;
        } catch (IOException | UnsatisfiedLinkError e) {
            tried.add("resource " + folder + " unpacked to " + unpacked + ": " + e.getMessage());
            return false;
        } finally {
            deleteAtExit(unpacked);
        }
    }

    private static Path privateFolder() throws IOException {
        var onlyOwner = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
        String parent = System.getProperty("ge.tmpdir");
        return parent == null
                ? Files.createTempDirectory("ge", onlyOwner)
                : Files.createTempDirectory(Path.of(parent), "ge", onlyOwner);
    }

    private static void deleteAtExit(Path folder) {
        if (folder == null) {
            return;
        }
        folder.toFile().deleteOnExit(); // in reverse order: files first
        String[] names = folder.toFile().list();
        for (String name : names == null ? new String[0] : names) {
            folder.resolve(name).toFile().deleteOnExit();
        }
    }
}
