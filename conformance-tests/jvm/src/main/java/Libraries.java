import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdCompressCtx;
import com.github.luben.zstd.ZstdDecompressCtx;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.zip.Deflater;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import java.util.zip.Inflater;
import net.jpountz.lz4.LZ4Factory;
import org.xerial.snappy.Snappy;

/**
 * The libraries below Cassandra's compressors, by themselves.
 *
 * <p>Options: {@code level}; {@code format} for java.util.zip ({@code zlib}, {@code deflate-raw},
 * {@code gzip}); {@code dictionary} in hexadecimal and {@code checksum} for zstd-jni.
 */
final class Libraries {
    private Libraries() {}

    static Codec javaUtilZip() {
        return new JavaUtilZip();
    }

    static Codec lz4Native() {
        return new Lz4(LZ4Factory.nativeInstance());
    }

    /** The one in plain Java, a decoder and encoder of their own. */
    static Codec lz4Safe() {
        return new Lz4(LZ4Factory.safeInstance());
    }

    static Codec zstd() {
        Zstd.defaultCompressionLevel(); // Loads the library, or throws.
        return new ZstdJni();
    }

    static Codec snappy() throws IOException {
        Snappy.compress(new byte[0]); // Likewise.
        return new SnappyJava();
    }

    private record Lz4(LZ4Factory factory) implements Codec {
        @Override
        public byte[] compress(Map<String, String> options, byte[] content) {
            int level = level(options, 0);
            return (level > 0 ? factory.highCompressor(level) : factory.fastCompressor()).compress(content);
        }

        @Override
        public byte[] decompress(Map<String, String> options, byte[] unit, int length) {
            byte[] content = new byte[length];
            return Arrays.copyOf(content, factory.safeDecompressor().decompress(unit, content));
        }
    }

    private record ZstdJni() implements Codec {
        @Override
        public byte[] compress(Map<String, String> options, byte[] content) {
            try (var context = new ZstdCompressCtx()) {
                context.setLevel(level(options, Zstd.defaultCompressionLevel()));
                context.setChecksum(!"false".equals(options.get("checksum")));
                if (options.containsKey("dictionary")) {
                    context.loadDict(HexFormat.of().parseHex(options.get("dictionary")));
                }
                return context.compress(content);
            }
        }

        @Override
        public byte[] decompress(Map<String, String> options, byte[] unit, int length) {
            try (var context = new ZstdDecompressCtx()) {
                if (options.containsKey("dictionary")) {
                    context.loadDict(HexFormat.of().parseHex(options.get("dictionary")));
                }
                return context.decompress(unit, length);
            }
        }
    }

    private record SnappyJava() implements Codec {
        @Override
        public byte[] compress(Map<String, String> options, byte[] content) throws IOException {
            return Snappy.compress(content);
        }

        @Override
        public byte[] decompress(Map<String, String> options, byte[] unit, int length) throws IOException {
            return Snappy.uncompress(unit);
        }
    }

    private record JavaUtilZip() implements Codec {
        @Override
        public byte[] compress(Map<String, String> options, byte[] content) throws IOException {
            int level = level(options, Deflater.DEFAULT_COMPRESSION);
            String format = format(options);
            if (format.equals("gzip")) {
                var out = new ByteArrayOutputStream();
                try (var gzip = new GZIPOutputStream(out) {
                    {
                        def.setLevel(level);
                    }
                }) {
                    gzip.write(content);
                }
                return out.toByteArray();
            }
            var deflater = new Deflater(level, format.equals("deflate-raw"));
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

        @Override
        public byte[] decompress(Map<String, String> options, byte[] unit, int length) throws Exception {
            String format = format(options);
            if (format.equals("gzip")) {
                return gunzip(unit, length);
            }
            var inflater = new Inflater(format.equals("deflate-raw"));
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

        private static byte[] gunzip(byte[] unit, int length) throws IOException {
            class Member extends GZIPInputStream {
                Member() throws IOException {
                    super(new ByteArrayInputStream(unit), Math.max(unit.length, 1));
                }

                /** Bytes after the stream: the checksum and the length, and nothing else. */
                boolean isWhole() {
                    return inf.getRemaining() == 8;
                }
            }
            var member = new Member();
            byte[] content = member.readNBytes(length + 1);
            if (content.length > length || !member.isWhole()) {
                throw new IOException("not exactly one member");
            }
            return content;
        }

        private static String format(Map<String, String> options) {
            return options.getOrDefault("format", "zlib");
        }
    }

    private static int level(Map<String, String> options, int other) {
        return options.containsKey("level") ? Integer.parseInt(options.get("level")) : other;
    }
}
