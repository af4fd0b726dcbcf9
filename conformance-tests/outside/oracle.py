"""Compresses and decompresses for another process, over standard input and output.

A request, integers big-endian: the codec's name (2-byte length, UTF-8), the number of options and
each as key and value, a byte that is 0 to compress and 1 to decompress, the decompressed length,
the length of the payload, the payload. The answer: a byte that is 0 for success, a length, and the
result or a message. End of input ends the process.

The codec "?" lists the others: a line each, with tabs between the name, the version, and why it
cannot be used if it cannot.
"""

import importlib.metadata
import struct
import sys
import zlib


class Refused(Exception):
    pass


class Zlib:
    """Python's zlib: all three Deflate formats, by the option "format"; "window" is its log."""

    version = "zlib " + zlib.ZLIB_RUNTIME_VERSION

    @staticmethod
    def wbits(options):
        window = int(options.get("window", 15))
        return {"zlib": window, "deflate-raw": -window, "gzip": 16 + window}[options["format"]]

    def compress(self, options, content):
        encoder = zlib.compressobj(int(options.get("level", -1)), zlib.DEFLATED, self.wbits(options))
        return encoder.compress(content) + encoder.flush()

    def decompress(self, options, unit, length):
        decoder = zlib.decompressobj(self.wbits(options))
        # One byte more than is due shows content that is too long; 0 would mean no limit.
        content = decoder.decompress(unit, length + 1)
        if not decoder.eof:
            content += decoder.decompress(decoder.unconsumed_tail, 1)
        if not decoder.eof or decoder.unused_data or len(content) > length:
            raise Refused("not exactly one stream")
        return content


class Lz4Block:
    """lz4.block: level 0 and below is its acceleration, above is the high-compression level."""

    stored_size = False

    def __init__(self):
        import lz4.block

        self.block = lz4.block
        self.version = "%s, LZ4 %s" % (lz4.__version__, lz4.library_version_string())

    def compress(self, options, content):
        level = int(options.get("level", 0))
        if level > 0:
            mode = {"mode": "high_compression", "compression": level}
        else:
            mode = {"mode": "fast", "acceleration": 1 - level}
        return self.block.compress(content, store_size=self.stored_size, **mode)

    def decompress(self, options, unit, length):
        return self.block.decompress(unit, uncompressed_size=length)


class Lz4Sized(Lz4Block):
    stored_size = True

    def decompress(self, options, unit, length):
        return self.block.decompress(unit)


class Zstandard:
    def __init__(self):
        import zstandard

        self.zstandard = zstandard
        library = ".".join(map(str, zstandard.ZSTD_VERSION))
        self.version = "%s, Zstandard %s" % (zstandard.__version__, library)

    def dictionary(self, options):
        if "dictionary" not in options:
            return None
        return self.zstandard.ZstdCompressionDict(bytes.fromhex(options["dictionary"]))

    def compress(self, options, content):
        encoder = self.zstandard.ZstdCompressor(
            level=int(options.get("level", 3)),
            dict_data=self.dictionary(options),
            write_checksum=options.get("checksum") != "false",
        )
        return encoder.compress(content)

    def decompress(self, options, unit, length):
        decompressor = self.zstandard.ZstdDecompressor(dict_data=self.dictionary(options))
        decoder = decompressor.decompressobj()
        content = decoder.decompress(unit)
        if not decoder.eof or decoder.unused_data or len(content) > length:
            raise Refused("not exactly one frame")
        return content


class Snappy:
    def __init__(self):
        import snappy

        self.snappy = snappy
        self.version = importlib.metadata.version("python-snappy")

    def compress(self, options, content):
        return bytes(self.snappy.compress(content))

    def decompress(self, options, unit, length):
        return bytes(self.snappy.uncompress(unit))


class Codecs:
    MAKERS = {
        "zlib": Zlib,
        "lz4.block": Lz4Block,
        "lz4.block sized": Lz4Sized,
        "zstandard": Zstandard,
        "snappy": Snappy,
    }

    def __init__(self):
        self.made = {}
        self.lines = []
        for name, maker in self.MAKERS.items():
            version = why = ""
            try:
                self.made[name] = maker()
                version = self.made[name].version
            except Exception as missing:
                why = " ".join(repr(missing).split())
            self.lines.append("%s\t%s\t%s" % (name, version, why))

    def answer(self, name, options, compress, payload, length):
        if name == "?":
            return "\n".join(self.lines).encode()
        if compress:
            return self.made[name].compress(options, payload)
        return self.made[name].decompress(options, payload, length)


def main():
    source, sink = sys.stdin.buffer, sys.stdout.buffer
    # What a library prints must not be taken for an answer.
    sys.stdout = sys.stderr
    codecs = Codecs()

    def number():
        return struct.unpack(">I", source.read(4))[0]

    def text():
        return source.read(struct.unpack(">H", source.read(2))[0]).decode()

    while True:
        start = source.read(2)
        if len(start) < 2:
            return
        name = source.read(struct.unpack(">H", start)[0]).decode()
        options = {}
        for _ in range(number()):
            key = text()
            options[key] = text()
        compress = source.read(1) == b"\0"
        length = number()
        payload = source.read(number())
        try:
            status, answer = 0, codecs.answer(name, options, compress, payload, length)
        except Exception as failure:
            status, answer = 1, repr(failure).encode()
        sink.write(struct.pack(">BI", status, len(answer)))
        sink.write(answer)
        sink.flush()


main()
