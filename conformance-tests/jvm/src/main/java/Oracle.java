import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.StringJoiner;

/**
 * Compresses and decompresses for another process, over standard input and output.
 *
 * <p>A request, integers big-endian: the codec's name (modified UTF-8), the number of options and
 * each as key and value, a byte that is 0 to compress and 1 to decompress, the decompressed length,
 * the length of the payload, the payload. The answer: a byte that is 0 for success, a length, and
 * the result or a message. End of input ends the process.
 *
 * <p>The codec {@code ?} lists the others, whatever it is asked: a line each, with tabs between the
 * name, the version, and why it cannot be used if it cannot.
 *
 * <p>Codecs: those of {@link Libraries}, which write and read the bare format, and Cassandra's
 * compressors by their class names, which {@link CassandraClasses} needs its jar for.
 */
public final class Oracle {
    private static final String LIST = "?";

    private final Map<String, Codec> codecs = new LinkedHashMap<>();
    private final StringJoiner list = new StringJoiner("\n");

    public static void main(String[] args) throws IOException {
        var in = new DataInputStream(new BufferedInputStream(System.in, 1 << 16));
        var out = new DataOutputStream(new BufferedOutputStream(System.out, 1 << 16));
        // What a library prints must not be taken for an answer.
        System.setOut(System.err);
        var oracle = new Oracle();
        while (oracle.serve(in, out)) {
            out.flush();
        }
    }

    private Oracle() {
        add("java.util.zip", "java.util.zip.Deflater", Libraries::javaUtilZip);
        add("lz4-java", "net.jpountz.lz4.LZ4Factory", Libraries::lz4Native);
        add("lz4-java-safe", "net.jpountz.lz4.LZ4Factory", Libraries::lz4Safe);
        add("zstd-jni", "com.github.luben.zstd.Zstd", Libraries::zstd);
        add("snappy-java", "org.xerial.snappy.Snappy", Libraries::snappy);
        for (String name : new String[] {"LZ4", "Zstd", "Deflate", "Snappy", "Noop"}) {
            String type = "org.apache.cassandra.io.compress." + name + "Compressor";
            add(type, type, () -> cassandra(type));
        }
    }

    /** By name, so that the rest is of use where only the libraries are. */
    private static Codec cassandra(String type) throws Exception {
        Class<?> classes;
        try {
            classes = Class.forName("CassandraClasses");
        } catch (ClassNotFoundException absent) {
            throw new IllegalStateException("the oracle was built without Cassandra's jar");
        }
        return (Codec) classes.getConstructor(String.class).newInstance(type);
    }

    private interface Maker {
        Codec make() throws Exception;
    }

    private void add(String name, String type, Maker maker) {
        try {
            codecs.put(name, maker.make());
            list.add(name + "\t" + version(Class.forName(type)) + "\t");
        } catch (Exception | LinkageError missing) {
            list.add(name + "\t\t" + reason(missing));
        }
    }

    private static String reason(Throwable missing) {
        var cause = missing instanceof InvocationTargetException wrapped ? wrapped.getCause() : missing;
        return String.valueOf(cause).replaceAll("\\s+", " ");
    }

    /** That of the jar's name, or of the JVM for what comes with it. */
    private static String version(Class<?> type) {
        var source = type.getProtectionDomain().getCodeSource();
        if (source == null) {
            return "Java " + System.getProperty("java.version");
        }
        String jar = new File(source.getLocation().getPath()).getName();
        return jar.replaceFirst("\\.jar$", "").replaceFirst("^.*?-(?=\\d)", "");
    }

    /** One request; false at the end of input. */
    private boolean serve(DataInputStream in, DataOutputStream out) throws IOException {
        String name;
        try {
            name = in.readUTF();
        } catch (EOFException end) {
            return false;
        }
        var options = new LinkedHashMap<String, String>();
        for (int n = in.readInt(); n > 0; n--) {
            options.put(in.readUTF(), in.readUTF());
        }
        boolean compress = in.readByte() == 0;
        int contentLength = in.readInt();
        byte[] payload = new byte[in.readInt()];
        in.readFully(payload);

        byte[] answer;
        byte status = 0;
        try {
            answer = answer(name, options, compress, payload, contentLength);
        } catch (Throwable failure) {
            status = 1;
            answer = String.valueOf(failure).getBytes(StandardCharsets.UTF_8);
        }
        out.writeByte(status);
        out.writeInt(answer.length);
        out.write(answer);
        return true;
    }

    private byte[] answer(
            String name, Map<String, String> options, boolean compress, byte[] payload, int contentLength)
            throws Exception {
        if (name.equals(LIST)) {
            return list.toString().getBytes(StandardCharsets.UTF_8);
        }
        Codec codec = codecs.get(name);
        if (codec == null) {
            throw new IllegalArgumentException("no codec " + name);
        }
        return compress ? codec.compress(options, payload) : codec.decompress(options, payload, contentLength);
    }
}
