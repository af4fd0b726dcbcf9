import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import org.apache.cassandra.io.compress.BufferType;
import org.apache.cassandra.io.compress.ICompressor;

/** One of Cassandra's own compressor classes, created from options as a table's schema does. */
public final class CassandraClasses implements Codec {
    private final Class<?> type;
    private final Map<Map<String, String>, ICompressor> compressors = new HashMap<>();

    public CassandraClasses(String name) throws Exception {
        type = Class.forName(name);
        compressor(Map.of());
    }

    @Override
    public byte[] compress(Map<String, String> options, byte[] content) throws Exception {
        ICompressor compressor = compressor(options);
        ByteBuffer in = buffer(compressor, content.length);
        in.put(content).flip();
        ByteBuffer out = buffer(compressor, compressor.initialCompressedBufferLength(content.length));
        compressor.compress(in, out);
        if (in.hasRemaining()) {
            throw new IOException(in.remaining() + " bytes were not consumed");
        }
        return bytes(out);
    }

    @Override
    public byte[] decompress(Map<String, String> options, byte[] unit, int length) throws Exception {
        ICompressor compressor = compressor(options);
        ByteBuffer in = buffer(compressor, unit.length);
        in.put(unit).flip();
        ByteBuffer out = buffer(compressor, length);
        compressor.uncompress(in, out);
        return bytes(out);
    }

    private ICompressor compressor(Map<String, String> options) throws Exception {
        ICompressor made = compressors.get(options);
        if (made == null) {
            try {
                made = (ICompressor) type.getMethod("create", Map.class).invoke(null, options);
            } catch (InvocationTargetException refused) {
                throw refused.getCause() instanceof Exception cause ? cause : refused;
            }
            for (String option : options.keySet()) {
                // What Cassandra's schema does with an option that the class does not know.
                if (!made.supportedOptions().contains(option)) {
                    throw new IllegalArgumentException("unknown option " + option);
                }
            }
            compressors.put(Map.copyOf(options), made);
        }
        return made;
    }

    private static ByteBuffer buffer(ICompressor compressor, int length) {
        return compressor.preferredBufferType() == BufferType.OFF_HEAP
                ? ByteBuffer.allocateDirect(length)
                : ByteBuffer.allocate(length);
    }

    private static byte[] bytes(ByteBuffer out) {
        byte[] bytes = new byte[out.flip().remaining()];
        out.get(bytes);
        return bytes;
    }
}
