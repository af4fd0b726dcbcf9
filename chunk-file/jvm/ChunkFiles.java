import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.apache.cassandra.config.DatabaseDescriptor;
import org.apache.cassandra.db.ClusteringComparator;
import org.apache.cassandra.db.marshal.AbstractType;
import org.apache.cassandra.db.marshal.BytesType;
import org.apache.cassandra.io.compress.CompressedSequentialWriter;
import org.apache.cassandra.io.compress.CompressionMetadata;
import org.apache.cassandra.io.sstable.metadata.MetadataCollector;
import org.apache.cassandra.io.util.File;
import org.apache.cassandra.io.util.FileHandle;
import org.apache.cassandra.io.util.RandomAccessReader;
import org.apache.cassandra.io.util.SequentialWriterOption;
import org.apache.cassandra.schema.CompressionParams;

/**
 * Reads and writes pairs with Cassandra's own classes, for another process.
 *
 * <p>A request is a line of fields with tabs between them, the answer a line that is {@code ok} or
 * an error. Before the first request a line says {@code ready}. End of input ends the process.
 *
 * <ul>
 *   <li>{@code read PAIR OUTPUT MMAP}: the content of a pair, to a file; {@code MMAP} is
 *       {@code true} or {@code false}.
 *   <li>{@code write PAIR INPUT SYNC OPTION=VALUE...}: a pair from a file, with options as in CQL;
 *       {@code SYNC} says whether the writer is synced before it is finished.
 * </ul>
 *
 * <p>{@code PAIR} is the path without {@code -Data.db}.
 */
public final class ChunkFiles {
    public static void main(String[] args) throws Exception {
        PrintStream answers = System.out;
        // What a library prints must not be taken for an answer.
        System.setOut(System.err);
        DatabaseDescriptor.clientInitialization(false);
        answers.println("ready");
        answers.flush();
        var requests = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = requests.readLine()) != null; ) {
            String answer = "ok";
            try {
                String[] fields = line.split("\t");
                if (fields[0].equals("read")) {
                    read(fields[1], Path.of(fields[2]), Boolean.parseBoolean(fields[3]));
                } else {
                    write(fields);
                }
            } catch (Throwable failure) {
                failure.printStackTrace();
                answer = String.valueOf(failure).replace('\n', ' ');
            }
            answers.println(answer);
            answers.flush();
        }
    }

    private static void read(String pair, Path output, boolean mmap) throws Exception {
        var data = new File(pair + "-Data.db");
        var metadata = CompressionMetadata.open(new File(pair + "-CompressionInfo.db"), data.length(), true);
        try (FileHandle handle = new FileHandle.Builder(data)
                        .withCompressionMetadata(metadata)
                        .withCrcCheckChance(() -> 1.0)
                        .mmapped(mmap)
                        .complete();
                RandomAccessReader reader = handle.createReader()) {
            byte[] content = new byte[Math.toIntExact(reader.length())];
            reader.readFully(content);
            if (!reader.isEOF()) {
                throw new IllegalStateException("more content than its length says");
            }
            Files.write(output, content);
        }
    }

    private static void write(String[] fields) throws Exception {
        Map<String, String> options = new HashMap<>();
        for (int i = 4; i < fields.length; i++) {
            String[] option = fields[i].split("=", 2);
            options.put(option[0], option[1]);
        }
        var collector = new MetadataCollector(new ClusteringComparator(new AbstractType<?>[] {BytesType.instance}));
        try (var writer = new CompressedSequentialWriter(
                new File(fields[1] + "-Data.db"),
                new File(fields[1] + "-CompressionInfo.db"),
                null,
                SequentialWriterOption.DEFAULT,
                CompressionParams.fromMap(options),
                collector)) {
            writer.write(Files.readAllBytes(Path.of(fields[2])));
            if (Boolean.parseBoolean(fields[3])) {
                writer.sync();
            }
            writer.finish();
        }
    }
}
