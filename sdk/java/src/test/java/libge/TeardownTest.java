// SPDX-License-Identifier: Apache-2.0
package libge;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * A hundred virtual machines end in the middle of their work, each with the code it was asked for and nothing said. A failure names its
 * seed; {@code Teardown SEED} does it again.
 */
class TeardownTest {
    private static final int COUNT = Integer.parseInt(System.getenv().getOrDefault("GE_TEARDOWNS", "100"));

    /** Empty, or what is wrong. */
    private static String one(long seed) {
        List<String> command = List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xcheck:jni", "-Xmx64m",
                "-Xshare:auto", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path"),
                "libge.Teardown", Long.toString(seed));
        try {
            Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            int code = process.waitFor();
            return (code == 0 || code == Teardown.CODE) && said.isEmpty() ? "" : "seed " + seed + ": code " + code + "\n" + said + "\n";
        } catch (IOException | InterruptedException e) {
            return "seed " + seed + ": " + e + "\n";
        }
    }

    @Test
    void virtualMachinesEndInTheMiddleOfWork() {
        assertEquals("", LongStream.rangeClosed(1, COUNT).parallel().mapToObj(TeardownTest::one).collect(Collectors.joining()));
    }
}
