// SPDX-License-Identifier: Apache-2.0
package libge;

import java.nio.file.Path;

/** BoundRun MODEL: prints the nanoseconds of a bound run through this SDK, best of 15 rounds; for {@code ./dev bench sdk}. */
final class BoundRun {
    private static final int RUNS = 20000;

    private BoundRun() {}

    public static void main(String[] args) {
        try (Model model = Model.load(Path.of(args[0])); Tensor input = Tensor.of(new float[4], 4);
                Binding binding = model.bind(input)) {
            double best = Double.MAX_VALUE;
            for (int round = 0; round < 15; round++) {
                long begin = System.nanoTime();
                for (int i = 0; i < RUNS; i++) {
                    binding.run();
                }
                best = Math.min(best, (System.nanoTime() - begin) / (double) RUNS);
            }
            System.out.printf("%.1f%n", best);
        }
    }
}
