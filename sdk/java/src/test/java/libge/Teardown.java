// SPDX-License-Identifier: Apache-2.0
package libge;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Teardown SEED: one random life of a virtual machine. Objects are made, used by daemon threads, closed in some order or left, and the
 * process ends in the middle of it: with code 0 when main returns and {@link #CODE} by exit, halt or a thread's exit; with 99 and a
 * trace after an error that has no reason.
 */
final class Teardown {
    static final int CODE = 7;
    private static final Path DIGITS = Path.of("../../examples/digits/digits.onnx");

    private final Random random;
    private final Context context;
    private final Model model;
    private final Tensor image;
    private final Binding binding;

    private Teardown(long seed) {
        random = new Random(seed);
        context = random.nextInt(3) > 0 ? new Context(Map.of("ge.threads", 1 + random.nextInt(3))) : null;
        try (Graph graph = context == null ? Graph.open(DIGITS) : Graph.open(context, DIGITS, Graph.Format.AUTO)) {
            model = graph.compile(Map.of());
        }
        int count = new int[] {1, 8, 200}[random.nextInt(3)];
        float[] data = new float[64 * count];
        image = context == null ? Tensor.of(data, count, 1, 8, 8) : Tensor.of(context, data, count, 1, 8, 8);
        binding = model.bind(image);
    }

    private void step(Random chance) {
        try {
            switch (chance.nextInt(5)) {
                case 0 -> {
                    synchronized (binding) {
                        binding.run();
                    }
                }
                case 1 -> Graph.read(context, "no model".getBytes(StandardCharsets.UTF_8), Graph.Format.AUTO);
                case 2 -> model.run(image).get(0).close();
                default -> model.run(image);
            }
        } catch (GeException | IllegalStateException e) {
            // broken bytes; closed meanwhile
        } catch (Throwable e) {
            e.printStackTrace();
            Runtime.getRuntime().halt(99);
        }
    }

    private void run() throws InterruptedException {
        for (int n = random.nextInt(4); n > 0; n--) {
            Random own = new Random(random.nextLong());
            Thread thread = new Thread(() -> {
                while (true) {
                    step(own);
                }
            });
            thread.setDaemon(true);
            thread.start();
        }
        for (int n = random.nextInt(6); n > 0; n--) {
            step(random);
        }
        List<AutoCloseable> parts = new ArrayList<>(List.of(model, image, binding));
        if (context != null) {
            parts.add(context);
        }
        Collections.shuffle(parts, random);
        List<AutoCloseable> closed = parts.subList(0, random.nextInt(parts.size() + 1));
        if (random.nextInt(3) == 0) { // at the very end
            Runtime.getRuntime().addShutdownHook(new Thread(() -> closed.forEach(Teardown::close)));
        } else {
            closed.forEach(Teardown::close);
        }
        if (random.nextInt(2) == 0) {
            System.gc();
        }
        Thread.sleep(random.nextInt(3));
        switch (random.nextInt(4)) {
            case 0 -> System.exit(CODE);
            case 1 -> Runtime.getRuntime().halt(CODE);
            case 2 -> {
                new Thread(() -> System.exit(CODE)).start();
                Thread.sleep(20_000);
            }
            default -> { }
        }
    }

    private static void close(AutoCloseable part) {
        try {
            part.close();
        } catch (Exception e) {
            e.printStackTrace();
            Runtime.getRuntime().halt(99);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        new Teardown(Long.parseLong(args[0])).run();
    }
}
