import java.util.Map;

/** One codec of the oracle, bare bytes on both sides. */
interface Codec {
    byte[] compress(Map<String, String> options, byte[] content) throws Exception;

    /** The content; {@code length} is what the caller says it is. */
    byte[] decompress(Map<String, String> options, byte[] unit, int length) throws Exception;
}
