import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdCompressCtx;
import com.github.luben.zstd.ZstdDecompressCtx;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.zip.Deflater;
import java.util.zip.Inflater;
import net.jpountz.lz4.LZ4Factory;
import org.apache.cassandra.io.compress.BufferType;
import org.apache.cassandra.io.compress.ICompressor;
import org.xerial.snappy.Snappy;

/**
 * Compresses and decompresses for another process, over standard input and output.
 *
 * <p>A request, integers big-endian: the codec's name (modified UTF-8), the number of options and
 * each as key and value, a byte that is 0 to compress and 1 to decompress, the decompressed length,
 * the length of the payload, the payload. The answer: a byte that is 0 for success, a length, and
 * the result or a message. End of input ends the process.
 *
 * <p>Codecs: a class name of Cassandra's, or {@code java.util.zip}, {@code lz4-java},
 * {@code zstd-jni}, {@code snappy-java}; the last four write and read the bare format.
 */
public final class Oracle {
    private final Map<String, ICompressor> compressors = new LinkedHashMap<>();

    public static void main(String[] args) throws IOException {
        var in = new DataInputStream(new BufferedInputStream(System.in, 1 << 16));
        var out = new DataOutputStream(new BufferedOutputStream(System.out, 1 << 16));
        // What a library prints must not be taken for an answer.
        System.setOut(System.err);
        var oracle = new Oracle();
        while (true) {
            String codec;
            try {
                codec = in.readUTF();
            } catch (EOFException end) {
                return;
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
                answer = compress
                        ? oracle.compress(codec, options, payload)
                        : oracle.decompress(codec, options, payload, contentLength);
            } catch (Throwable failure) {
                status = 1;
                answer = String.valueOf(failure).getBytes(StandardCharsets.UTF_8);
            }
            out.writeByte(status);
            out.writeInt(answer.length);
            out.write(answer);
            out.flush();
        }
    }

    private byte[] compress(String codec, Map<String, String> options, byte[] content) throws Exception {
        switch (codec) {
            case "java.util.zip": {
                var deflater = new Deflater(level(options, Deflater.DEFAULT_COMPRESSION));
                try {
                    deflater.setInput(content);
                    deflater.finish();
                    byte[] unit = new byte[content.length + content.length / 8 + 128];
                    int n = deflater.deflate(unit);
                    if (!deflater.finished()) {
                        throw new IOException("not finished in one call");
                    }
                    return Arrays.copyOf(unit, n);
                } finally {
                    deflater.end();
                }
            }
            case "lz4-java": {
                int level = level(options, 0);
                var factory = LZ4Factory.fastestInstance();
                return (level > 0 ? factory.highCompressor(level) : factory.fastCompressor()).compress(content);
            }
            case "zstd-jni":
                try (var context = new ZstdCompressCtx()) {
                    context.setLevel(level(options, Zstd.defaultCompressionLevel()));
                    context.setChecksum(true);
                    if (options.containsKey("dictionary")) {
                        context.loadDict(hex(options.get("dictionary")));
                    }
                    return context.compress(content);
                }
            case "snappy-java":
                return Snappy.compress(content);
            default: {
                ICompressor compressor = compressor(codec, options);
                ByteBuffer in = buffer(compressor, content.length);
                in.put(content).flip();
                ByteBuffer out = buffer(compressor, compressor.initialCompressedBufferLength(content.length));
                compressor.compress(in, out);
                if (in.hasRemaining()) {
                    throw new IOException(in.remaining() + " bytes were not consumed");
                }
                return bytes(out);
            }
        }
    }

    private byte[] decompress(String codec, Map<String, String> options, byte[] unit, int length) throws Exception {
        switch (codec) {
            case "java.util.zip": {
                var inflater = new Inflater();
                try {
                    inflater.setInput(unit);
                    byte[] content = new byte[length];
                    int n = inflater.inflate(content);
                    // Reads the end of the stream when the content is already whole.
                    if (!inflater.finished() && inflater.inflate(new byte[1]) != 0) {
                        throw new IOException("more content than expected");
                    }
                    if (!inflater.finished() || inflater.getRemaining() != 0) {
                        throw new IOException("not exactly one stream");
                    }
                    return Arrays.copyOf(content, n);
                } finally {
                    inflater.end();
                }
            }
            case "lz4-java": {
                byte[] content = new byte[length];
                int n = LZ4Factory.fastestInstance().safeDecompressor().decompress(unit, content);
                return Arrays.copyOf(content, n);
            }
            case "zstd-jni":
                try (var context = new ZstdDecompressCtx()) {
                    if (options.containsKey("dictionary")) {
                        context.loadDict(hex(options.get("dictionary")));
                    }
                    return context.decompress(unit, length);
                }
            case "snappy-java":
                return Snappy.uncompress(unit);
            default: {
                ICompressor compressor = compressor(codec, options);
                ByteBuffer in = buffer(compressor, unit.length);
                in.put(unit).flip();
                ByteBuffer out = buffer(compressor, length);
                compressor.uncompress(in, out);
                return bytes(out);
            }
        }
    }

    private ICompressor compressor(String name, Map<String, String> options) throws Exception {
        String key = name + options;
        ICompressor made = compressors.get(key);
        if (made == null) {
            made = (ICompressor) Class.forName(name).getMethod("create", Map.class).invoke(null, options);
            for (String option : options.keySet()) {
                // What Cassandra's schema does with an option that the class does not know.
                if (!made.supportedOptions().contains(option)) {
                    throw new IllegalArgumentException("unknown option " + option);
                }
            }
            compressors.put(key, made);
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

    private static int level(Map<String, String> options, int other) {
        return options.containsKey("level") ? Integer.parseInt(options.get("level")) : other;
    }

    private static byte[] hex(String text) {
        return java.util.HexFormat.of().parseHex(text);
    }
}
