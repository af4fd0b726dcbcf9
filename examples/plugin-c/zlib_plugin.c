/*
 * A compressor plugin over the system's zlib: zlib, deflate-raw and gzip, both directions.
 *
 * Build it with `make`; compressor_plugin.h says what each function owes to the host.
 */
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "compressor_plugin.h"

/* Of Deflate: base-2 logarithm of the largest window, which every reader must be able to hold. */
#define MAX_WINDOW_LOG 15

/* zlib counts in 32 bits. What is longer goes through it in pieces. */
#define PIECE UINT_MAX

static const uint32_t formats[] = {CP_FORMAT_ZLIB, CP_FORMAT_DEFLATE_RAW, CP_FORMAT_GZIP};

static const cp_param params[] = {
    {.name = "mem_level",
     .doc = "Memory that compressing takes: 1 is least, 9 is most and fastest",
     .default_value = "8",
     .kind = CP_PARAM_INT,
     .min = 1,
     .max = MAX_MEM_LEVEL},
};

/* ---- The factory: there is nothing to open, so it holds the parameter alone. ---- */

struct cp_factory {
    int mem_level;
};

static void say(cp_text *text, const char *what) {
    size_t len = strlen(what);
    text->len = len < text->capacity ? len : text->capacity;
    memcpy(text->data, what, text->len);
}

static int32_t open_zlib(const cp_param_value *values, size_t count, size_t value_size,
                         cp_factory **factory, cp_text *why) {
    (void)value_size; /* there is one value, so there is none to step to */
    if (zlibVersion()[0] != ZLIB_VERSION[0]) {
        say(why, "the zlib of this system has another major version than its header");
        return CP_ABSENT;
    }
    *factory = malloc(sizeof **factory);
    if (*factory == NULL) {
        say(why, "out of memory");
        return CP_BROKEN;
    }
    (*factory)->mem_level = count == 1 ? (int)values->number : 8;
    return CP_OK;
}

static int32_t close_zlib(cp_factory *factory) {
    free(factory);
    return CP_OK;
}

/* No efforts are listed, so none is served: zlib itself is what they are measured beside. */
#define CAPABILITIES(id)                                                                           \
    {.format = (id),                                                                               \
     .direction = CP_COMPRESS,                                                                     \
     .max_input = SIZE_MAX,                                                                        \
     .max_output = SIZE_MAX,                                                                       \
     .window = UINT64_MAX, /* as small as a spec asks for */                                       \
     .min_level = Z_NO_COMPRESSION,                                                                \
     .max_level = Z_BEST_COMPRESSION,                                                              \
     .default_level = 6},                                                                          \
    {                                                                                              \
        .format = (id), .direction = CP_DECOMPRESS, .max_input = SIZE_MAX, .max_output = SIZE_MAX, \
        .window = UINT64_MAX                                                                       \
    }

static int32_t capabilities(cp_factory *factory, cp_capability_list *list) {
    static const cp_capabilities items[] = {
        CAPABILITIES(CP_FORMAT_ZLIB),
        CAPABILITIES(CP_FORMAT_DEFLATE_RAW),
        CAPABILITIES(CP_FORMAT_GZIP),
    };
    (void)factory;
    list->items = items;
    list->count = sizeof items / sizeof items[0];
    list->item_size = sizeof items[0];
    return CP_OK;
}

static int32_t health(cp_factory *factory, cp_text *why) {
    (void)factory;
    (void)why;
    return CP_OK;
}

/* ---- The compressor: a spec in zlib's terms. ---- */

struct cp_compressor {
    uint32_t format;
    int level;
    int window_log; /* of what is written */
    int mem_level;
};

/* zlib names the format by the sign and an offset of the window's logarithm. */
static int window_bits(uint32_t format, int window_log) {
    switch (format) {
    case CP_FORMAT_DEFLATE_RAW: return -window_log;
    case CP_FORMAT_GZIP: return window_log + 16;
    default: return window_log;
    }
}

static int32_t compressor_new(cp_factory *factory, const cp_spec *spec, cp_compressor **compressor,
                              int32_t *native) {
    (void)native;
    if (spec->dictionary_kind != CP_DICTIONARY_NONE) return CP_UNSUPPORTED;
    cp_compressor *made = malloc(sizeof *made);
    if (made == NULL) return CP_OUT_OF_MEMORY;
    made->format = spec->format;
    made->level = (int)spec->level;
    made->window_log = spec->window_log == 0 ? MAX_WINDOW_LOG : (int)spec->window_log;
    made->mem_level = factory->mem_level;
    *compressor = made;
    return CP_OK;
}

static int32_t compressor_free(cp_compressor *compressor) {
    free(compressor);
    return CP_OK;
}

static int32_t effective(cp_compressor *compressor, uint32_t direction, cp_effective *effective) {
    bool writes = direction == CP_COMPRESS;
    effective->served = 1;
    effective->level = compressor->level;
    effective->window = UINT64_C(1) << (writes ? compressor->window_log : MAX_WINDOW_LOG);
    return CP_OK;
}

static int32_t max_compressed_len(cp_compressor *compressor, size_t src_len, size_t *len) {
    /* Whatever window and memory: literals at 9 bits each, or stored blocks of the least length.
     * zlib's own formula (deflateBound) without a stream, with gzip's 18 bytes of frame. */
    size_t fixed = (src_len >> 3) + (src_len >> 8) + (src_len >> 9) + 4;
    size_t stored = (src_len >> 5) + (src_len >> 7) + (src_len >> 11) + 7;
    size_t more = (fixed > stored ? fixed : stored) + 18;
    (void)compressor;
    if (src_len > SIZE_MAX / 2 - more) return CP_UNSUPPORTED;
    *len = src_len + more;
    return CP_OK;
}

/* ---- The session: a stream of zlib, with all its memory, used again and again. ---- */

struct cp_session {
    z_stream z;
    uint32_t direction;
    uint32_t format;
};

static int32_t failed(int code, int32_t *native) {
    *native = code;
    switch (code) {
    case Z_DATA_ERROR: return CP_CORRUPT_INPUT;
    case Z_NEED_DICT: return CP_UNSUPPORTED;
    case Z_MEM_ERROR: return CP_OUT_OF_MEMORY;
    default: return CP_DEVICE;
    }
}

/* zlib takes the window of a reader when it first stops within a stream. To stop once at the
 * beginning means that no operation has to allocate it. */
static int take_window(z_stream *z, uint32_t format) {
    static uint8_t zlib[] = {0x78, 0x9c, 0x4b, 0x4c, 0x4a, 0x06, 0x00, 0x02, 0x4d, 0x01, 0x27};
    static uint8_t gzip[] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0x4b, 0x4c, 0x4a, 0x06, 0x00};
    uint8_t out[1];
    z->next_in = format == CP_FORMAT_GZIP ? gzip : format == CP_FORMAT_ZLIB ? zlib : zlib + 2;
    z->avail_in = format == CP_FORMAT_GZIP ? sizeof gzip : 5;
    z->next_out = out;
    z->avail_out = sizeof out;
    int code = inflate(z, Z_FINISH);
    return code == Z_BUF_ERROR ? Z_OK : code;
}

static int32_t session_new(cp_compressor *compressor, uint32_t direction, cp_session **session,
                           int32_t *native) {
    cp_session *made = calloc(1, sizeof *made);
    if (made == NULL) return CP_OUT_OF_MEMORY;
    made->direction = direction;
    made->format = compressor->format;
    int code;
    if (direction == CP_COMPRESS) {
        code = deflateInit2(&made->z, compressor->level, Z_DEFLATED,
                            window_bits(compressor->format, compressor->window_log),
                            compressor->mem_level, Z_DEFAULT_STRATEGY);
    } else {
        code = inflateInit2(&made->z, window_bits(compressor->format, MAX_WINDOW_LOG));
        if (code == Z_OK) {
            code = take_window(&made->z, made->format);
            if (code != Z_OK) (void)inflateEnd(&made->z);
        }
    }
    if (code != Z_OK) {
        free(made);
        return failed(code, native);
    }
    *session = made;
    return CP_OK;
}

static int32_t session_free(cp_session *session) {
    /* Both say whether the stream had ended, on which nothing depends. */
    if (session->direction == CP_COMPRESS)
        (void)deflateEnd(&session->z);
    else
        (void)inflateEnd(&session->z);
    free(session);
    return CP_OK;
}

/*
 * Runs one whole stream. A full dst does not tell whether the stream is over, for zlib goes on only
 * where there is room: so it gets one spare byte, and whatever comes out there did not fit.
 */
static int32_t run(cp_session *session, int (*step)(z_stream *, int), const uint8_t *src,
                   size_t src_len, uint8_t *dst, size_t dst_capacity, cp_result *result) {
    z_stream *z = &session->z;
    size_t read = 0, written = 0;
    for (;;) {
        uint8_t spare[1];
        bool full = written == dst_capacity;
        size_t given = src_len - read < PIECE ? src_len - read : PIECE;
        size_t room = full ? 1 : dst_capacity - written < PIECE ? dst_capacity - written : PIECE;
        z->next_in = (uint8_t *)(uintptr_t)(src + read); /* zlib only reads it */
        z->avail_in = (uInt)given;
        z->next_out = full ? spare : dst + written;
        z->avail_out = (uInt)room;
        int code = step(z, given == src_len - read ? Z_FINISH : Z_NO_FLUSH);
        size_t took = given - z->avail_in, gave = room - z->avail_out;
        z->next_in = z->next_out = NULL;

        if (full && gave > 0) return CP_OUTPUT_TOO_SMALL;
        read += took;
        written += gave;
        if (code == Z_STREAM_END) {
            if (read != src_len) return CP_CORRUPT_INPUT; /* something follows the unit */
            result->len = written;
            return CP_OK;
        }
        if (code != Z_OK && code != Z_BUF_ERROR) return failed(code, &result->native);
        /* There was room, so it is input that is missing. */
        if (took == 0 && gave == 0) return failed(Z_DATA_ERROR, &result->native);
    }
}

static int32_t compress_block(cp_session *session, const uint8_t *src, size_t src_len, uint8_t *dst,
                              size_t dst_capacity, cp_result *result) {
    int code = deflateReset(&session->z);
    if (code != Z_OK) return failed(code, &result->native);
    return run(session, deflate, src, src_len, dst, dst_capacity, result);
}

static int32_t decompress_block(cp_session *session, const uint8_t *src, size_t src_len,
                                uint8_t *dst, size_t dst_capacity, cp_result *result) {
    int code = inflateReset(&session->z);
    if (code != Z_OK) return failed(code, &result->native);
    return run(session, inflate, src, src_len, dst, dst_capacity, result);
}

/* ---- The table. ---- */

static const cp_plugin table = {
    .head = CP_PLUGIN_HEAD,
    .id = "example.zlib",
    .description = "The system's zlib, as an example of a plugin in C",
    .formats = formats,
    .format_count = sizeof formats / sizeof formats[0],
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .param_size = sizeof params[0],
    .open = open_zlib,
    .close = close_zlib,
    .capabilities = capabilities,
    .health = health,
    .compressor_new = compressor_new,
    .compressor_free = compressor_free,
    .effective = effective,
    .max_compressed_len = max_compressed_len,
    .session_new = session_new,
    .session_free = session_free,
    .compress = compress_block,
    .decompress = decompress_block,
};

const cp_plugin *compressor_plugin_v1(const cp_host *host) {
    (void)host;
    return &table;
}
