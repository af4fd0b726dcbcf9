/*
 * compressor_plugin.h: a block compressor in a shared library, used by a program it never met.
 *
 * A plugin is a shared library that exports one symbol, compressor_plugin_v1. The host (a storage
 * engine) calls it once with its own table and gets the plugin's table back:
 *
 *     library  --compressor_plugin_v1-->  cp_plugin        what it is and what it can do
 *              --open------------------>  cp_factory       the device or library, in use
 *              --compressor_new-------->  cp_compressor    factory x spec, shared by threads
 *              --session_new----------->  cp_session       a working area for one direction
 *              --compress, decompress-->  one block at a time, or many
 *
 * WHO OWNS WHAT
 *   - The caller owns every buffer, and no allocator crosses: neither side frees the other's memory.
 *   - What the host passes (buffers, specs, parameters, texts, out pointers) is valid until the call
 *     returns. Copy what you need longer; after the return you hold no pointer into it.
 *   - What the plugin passes (its table, its strings, its lists) stays valid and unchanged: those of
 *     cp_plugin until the process ends, those of a factory until close.
 *   - A handle is freed by the table that made it, once: sessions before their compressor,
 *     compressors before their factory. After a call that did not return CP_OK there is no handle.
 *   - The library is never unloaded. A process may exit with handles alive and calls under way: do
 *     not free in destructors or atexit what they use.
 *
 * WHICH THREAD MAY CALL WHAT
 *   - cp_plugin, cp_factory and cp_compressor: any number of threads at once.
 *   - cp_session: one thread at a time, not always the same one.
 *   - Freeing a handle: when no call that uses it is under way.
 *   - The host's functions: any thread, also your own, at any time until the process ends.
 *
 * WHAT A PLUGIN MAY NEVER DO
 *   - let a C++ exception, a Rust panic or a longjmp leave a call; fork, raise, or end the process or
 *     the caller's thread: abort, exit, _exit, pthread_exit. No host can contain that;
 *   - write beyond dst_capacity, or into src; say CP_OK without one complete unit in dst;
 *   - return bytes that were in memory before as content, guess formats, repair bad input;
 *   - wait without bound, or hold a lock while a device works;
 *   - allocate per operation once a session is warm;
 *   - install signal handlers, change the environment, the locale or the working directory, or
 *     write to standard output or standard error;
 *   - export any other symbol: build with -fvisibility=hidden.
 * The host trusts nothing it gets back. A length beyond the capacity, an unknown status, a null
 * handle, text that is not UTF-8 or a list that contradicts itself: the factory is not called
 * again, its handles are not freed, and software serves instead.
 *
 * HOW IT GROWS
 *   Within a major version nothing is removed, moved or reinterpreted; entries are only appended.
 *   Each side reads as far as the struct_size (or item size) that the other one states: what lies
 *   beyond is as if it were 0. What follows "Fixed:" never grows. Fields named reserved are 0.
 *
 * A string is UTF-8, ends with a NUL, and has at most 255 bytes before it. Those of cp_plugin and
 * cp_param hold nothing that steers a terminal: no control characters, ends of lines (U+2028, U+2029)
 * or changes of direction (U+202A to U+202E, U+2066 to U+2069); elsewhere the host makes spaces of
 * them. A list has at most 256 items. Lengths are in bytes.
 *
 * WHERE IT LIES
 *   The host loads a library only by its absolute path or from a directory that it was told of, and
 *   only if nobody but root and its own user can write to the library and to the directory: install
 *   with mode 0755, not in /tmp. The same goes for the manifest, libNAME.toml beside libNAME.so, with
 *   which a plugin is listed before any of its code runs. libNAME.so may be a link: a manifest
 *   beside it comes before one beside what it leads to.
 */
#ifndef COMPRESSOR_PLUGIN_H
#define COMPRESSOR_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CP_ABI_MAJOR 1 /* also in the name of the symbol */
#define CP_ABI_MINOR 1 /* 1: efforts */
#define CP_HOST_MAGIC UINT64_C(0x63702d686f737421)   /* "cp-host!" */
#define CP_PLUGIN_MAGIC UINT64_C(0x63702d706c756769) /* "cp-plugi" */

/* ---- Status: what every call returns. --------------------------------------------------------
 * CP_OK, or who is to blame. A call returns nothing that is not listed here or at the call. */
enum {
    CP_OK = 0,
    CP_OUTPUT_TOO_SMALL = 1,  /* the result does not fit dst; nobody is to blame */
    CP_INVALID_ARGUMENT = 2,  /* the caller: the call itself cannot be right */
    CP_WRONG_DICTIONARY = 3,  /* the caller: the unit names another dictionary than the spec holds */
    CP_CORRUPT_INPUT = 4,     /* the data: src is not exactly one intact unit of the format */
    CP_UNSUPPORTED = 5,       /* the limits: the plugin cannot do this, though it may be right */
    CP_BUSY = 6,              /* no capacity at this moment; nothing was done */
    CP_TIMEOUT = 7,           /* not done within the deadline */
    CP_DEVICE = 8,            /* the device or library failed */
    CP_LOST = 9,              /* the device went away */
    CP_OUT_OF_MEMORY = 10,    /* memory that the call needed could not be had */
    CP_POISONED = 11,         /* this session can never be used again, only freed */
    CP_PANIC = 12,            /* the plugin's code met a bug of its own and stopped */

    /* from open and health only */
    CP_ABSENT = 64,        /* no device, no library: normal, and quiet */
    CP_MISCONFIGURED = 65, /* open: asked for what cannot be; stops the program's start-up */
    CP_BROKEN = 66,        /* open: there, but does not work */
    CP_DEGRADED = 67,      /* health: fails now and then, or has less capacity than it should */
    CP_QUARANTINED = 68    /* health: returned wrong bytes; not to be used until somebody looks */
};

/* The native code of CP_POISONED when a forked child uses a session of its parent: "fork". */
#define CP_NATIVE_FORKED 0x666f726b

/* The native code of CP_DEVICE when the library did a device's work on the CPU: "soft". */
#define CP_NATIVE_SOFTWARE 0x736f6674

/* ---- Formats: what one unit is. The ids are persisted by hosts and never change. ------------- */
enum {
    CP_FORMAT_NONE = 0,        /* the bytes themselves */
    CP_FORMAT_LZ4_BLOCK = 1,   /* one raw LZ4 block, without a length */
    CP_FORMAT_LZ4_SIZED = 2,   /* 4-byte little-endian content length, then an LZ4 block */
    CP_FORMAT_ZSTD = 3,        /* one Zstandard frame (RFC 8878), content size and checksum written */
    CP_FORMAT_ZLIB = 4,        /* one zlib stream (RFC 1950) */
    CP_FORMAT_DEFLATE_RAW = 5, /* one Deflate stream (RFC 1951) */
    CP_FORMAT_GZIP = 6,        /* one gzip member (RFC 1952) */
    CP_FORMAT_SNAPPY = 7       /* one raw Snappy block */
};

enum { CP_COMPRESS = 0, CP_DECOMPRESS = 1 };                               /* direction */
enum { CP_DICTIONARY_NONE = 0, CP_DICTIONARY_RAW = 1, CP_DICTIONARY_TRAINED = 2 };
enum { CP_DICTIONARIES_NONE = 0, CP_DICTIONARIES_ANY = 1 };                /* those it takes */
enum { CP_OUTPUT_EXACT = 0, CP_OUTPUT_BOUND = 1 };                         /* room it needs */
enum { CP_ON_CPU = 0, CP_OFFLOAD = 1 };                                    /* placement */
enum { CP_LOG_ERROR = 1, CP_LOG_WARN = 2, CP_LOG_INFO = 3, CP_LOG_DEBUG = 4 };

/* ---- What both sides share ------------------------------------------------------------------- */

/* Every table starts with this. Fixed: 16 bytes. */
typedef struct cp_head {
    uint32_t struct_size; /* of the whole table, as its side was compiled */
    uint16_t abi_major;   /* CP_ABI_MAJOR: must be equal */
    uint16_t abi_minor;   /* CP_ABI_MINOR: either may be greater */
    uint64_t magic;       /* CP_HOST_MAGIC or CP_PLUGIN_MAGIC */
} cp_head;

#define CP_PLUGIN_HEAD { sizeof(cp_plugin), CP_ABI_MAJOR, CP_ABI_MINOR, CP_PLUGIN_MAGIC }

/* Room for text on the calls that are rare: at most capacity bytes of UTF-8 into data, their number
 * into len. No NUL is needed. The host sets len to 0. Fixed. */
typedef struct cp_text {
    char *data;
    size_t capacity;
    size_t len;
} cp_text;

/* The program that loads the plugin; valid until the process ends. */
typedef struct cp_host {
    cp_head head;
    const char *name; /* and version, for logs */
    /* One line for the host's log, of at most 255 bytes. For changes, never for each operation. */
    void (*log)(const struct cp_host *host, uint32_t level, const char *text);
} cp_host;

/* ---- Parameters: what an operator can set. The host checks values before it passes them. ------ */

enum {
    CP_PARAM_BOOL = 0,     /* number: 0 or 1 */
    CP_PARAM_INT = 1,      /* number: min to max */
    CP_PARAM_BYTES = 2,    /* number: bytes, min to max */
    CP_PARAM_DURATION = 3, /* number: nanoseconds, min to max */
    CP_PARAM_CHOICE = 4,   /* text: one of choices */
    CP_PARAM_TEXT = 5      /* text */
};

typedef struct cp_param {
    const char *name;           /* lower_case: a letter, then letters, digits, '_' */
    const char *doc;            /* one line for people */
    const char *default_value;  /* as an operator would write it: "16", "64KiB", "250ms", "true" */
    const char *const *choices; /* CP_PARAM_CHOICE only */
    size_t choice_count;
    int64_t min; /* both ends included; numbers only */
    int64_t max;
    uint32_t kind;
    uint32_t reserved;
} cp_param;

typedef struct cp_param_value {
    const char *name;
    const char *text; /* of a choice or text, of any length, else NULL */
    int64_t number;   /* of any other kind, else 0 */
    uint32_t kind;
    uint32_t reserved;
} cp_param_value;

/* ---- Efforts: what a writer trades time for, instead of taking a level as it is. ---------------
 * Each is a promise about length beside the format's software codec at the spec's level: units are
 * longer by no more than that, over data as a whole. Within it, be as fast as you can. To list none
 * is fine: others then serve them. Since minor version 1. */
enum {
    CP_EFFORT_NONE = 0,     /* in a spec only: the level as it is */
    CP_EFFORT_RATIO = 1,    /* 1 % longer */
    CP_EFFORT_BALANCED = 2, /* 7 % longer */
    CP_EFFORT_SPEED = 3     /* as much longer as the spec's max_loss says */
};

/* An effort that is served. Fixed. */
typedef struct cp_effort {
    uint32_t effort;
    int32_t priority; /* among those who serve it, as in cp_plugin; software's is -1 */
} cp_effort;

/* By how much units are longer, as you measured it, rounded up. Fixed. */
typedef struct cp_loss {
    size_t max_input;  /* longest src that it holds for */
    int32_t max_level; /* greatest level of a spec that it holds for, on the format's own scale */
    uint32_t percent;  /* 0 to 100 */
} cp_loss;

/* ---- Capabilities: one per format and direction, true from open to close. ---------------------
 * The host keeps them for you: it passes no shorter or longer src and no spec that lies outside.
 * Within them the plugin does not answer CP_UNSUPPORTED. SIZE_MAX and UINT64_MAX: no limit. */
typedef struct cp_capabilities {
    uint32_t format;
    uint32_t direction;
    size_t min_input; /* length of src */
    size_t max_input;
    size_t max_output;     /* decompress: length of the content */
    uint64_t window;       /* compress: largest match distance it may emit, when a spec names none
                              smaller; decompress: largest that it can resolve. Not 0 for Deflate */
    int32_t min_level;     /* compress: on the format's own scale (zlib's 0 to 9, ...) */
    int32_t max_level;
    int32_t default_level;
    uint32_t dictionaries; /* CP_DICTIONARIES_... */
    uint32_t output;       /* CP_OUTPUT_BOUND: a dst below max_compressed_len is not worth offering */
    uint32_t placement;    /* CP_OFFLOAD: the CPU is free while a device works */
    uint32_t in_flight;    /* operations at once; 0: as many as there are sessions */
    uint32_t self_verified; /* 1: decodes and compares each result before it says CP_OK */

    /* Since minor version 1; compress only. */
    const cp_effort *efforts; /* those served, each once; may be NULL if there are none */
    size_t effort_count;
    const cp_loss *losses; /* for all efforts alike: one is served where any row fits level, src and
                              max_loss; which one does not matter */
    size_t loss_count;     /* 0: everywhere, for you keep to any max_loss by yourself */
} cp_capabilities;

/* A list of them. item_size is sizeof(cp_capabilities). Fixed. */
typedef struct cp_capability_list {
    const cp_capabilities *items;
    size_t count;
    size_t item_size;
} cp_capability_list;

/* ---- Spec: all that the bytes depend on. ----------------------------------------------------- */
typedef struct cp_spec {
    uint32_t struct_size;
    uint32_t format;
    int32_t level;            /* on the format's own scale; binds compression only */
    uint32_t window_log;      /* matches at most 1 << window_log back; 0: as you like */
    uint32_t checksum;        /* 1: write one. zstd only; the other formats have it or have not */
    uint32_t dictionary_kind; /* CP_DICTIONARY_... */
    const uint8_t *dictionary; /* header included; copy it; NULL if there is none */
    size_t dictionary_len;

    /* Since minor version 1: read them only if struct_size reaches so far. */
    uint32_t effort;   /* CP_EFFORT_..., one that you list for the format; binds compression only */
    uint32_t max_loss; /* with an effort: units may be so many percent longer, 0 to 100 */
} cp_spec;

/* What really serves a direction of a compressor. Fixed. */
typedef struct cp_effective {
    uint64_t window; /* largest match distance it emits, or resolves */
    int32_t level;   /* really used, on the plugin's own scale: at most 1000000 either way */
    uint32_t served; /* 0: this compressor does not go that way; 1: it does */
} cp_effective;

/* ---- Operations ------------------------------------------------------------------------------ */

/* What an operation leaves besides its status. The host sets len to SIZE_MAX, the rest to 0. Fixed. */
typedef struct cp_result {
    size_t len;     /* with CP_OK: bytes written to dst */
    int32_t native; /* the library's or device's own code, for logs; 0: none */
    uint32_t reserved;
} cp_result;

/* One operation of many. src and dst are never NULL, also when empty. Fixed. */
typedef struct cp_job {
    const uint8_t *src;
    size_t src_len;
    uint8_t *dst;
    size_t dst_capacity;
    cp_result result;
    int32_t status; /* set by the plugin; the host sets -1, which says "not run" */
    uint32_t reserved;
} cp_job;

/* Yours to define, or to leave as they are. */
typedef struct cp_factory cp_factory;
typedef struct cp_compressor cp_compressor;
typedef struct cp_session cp_session;

/* ---- The plugin's table. No entry may be NULL, unless it says so. ----------------------------- */
typedef struct cp_plugin {
    cp_head head; /* CP_PLUGIN_HEAD */

    /* Listing: what it is, before anything is opened. */
    const char *id;          /* unique: lower-case letters, digits, '.', '-'; "example.zlib";
                                "software.": never at its start, it is linked software's */
    const char *description; /* one line for people */
    const uint32_t *formats; /* all that an opened factory may list, so that it is opened for those */
    size_t format_count;
    const cp_param *params; /* may be NULL if there are none */
    size_t param_count;
    size_t param_size; /* sizeof(cp_param) */
    int32_t priority;  /* greater is tried first, -32768 to 32767; 0 unless you know better */
    uint32_t reserved;

    /* A factory: loads the library, probes the device with a real operation. Every parameter has a
     * value, in the order of params; value_size is the host's sizeof(cp_param_value).
     * Instead of CP_OK: CP_ABSENT, CP_MISCONFIGURED or CP_BROKEN (or a status, which counts as
     * CP_BROKEN), with the reason in why. */
    int32_t (*open)(const cp_param_value *values, size_t count, size_t value_size,
                    cp_factory **factory, cp_text *why);
    int32_t (*close)(cp_factory *factory);

    /* What it can do. Called once, after open. */
    int32_t (*capabilities)(cp_factory *factory, cp_capability_list *list);

    /* CP_OK, CP_ABSENT, CP_DEGRADED or CP_QUARANTINED, with the reason in why. Answered from
     * memory: no I/O, no lock that is held during I/O. */
    int32_t (*health)(cp_factory *factory, cp_text *why);

    /* Known answers of the plugin's own, besides those that the host tries through the calls below;
     * may take milliseconds. Called once after open, and whenever an operator asks again. May be
     * NULL. */
    int32_t (*self_test)(cp_factory *factory, int32_t *native, cp_text *why);

    /* A compressor for a spec. */
    int32_t (*compressor_new)(cp_factory *factory, const cp_spec *spec, cp_compressor **compressor,
                              int32_t *native);
    int32_t (*compressor_free)(cp_compressor *compressor);

    /* How it serves a direction. */
    int32_t (*effective)(cp_compressor *compressor, uint32_t direction, cp_effective *effective);

    /* The dst_capacity with which compressing src_len bytes never lacks room: at least src_len, and
     * at least 1. CP_UNSUPPORTED if there is no such number. */
    int32_t (*max_compressed_len)(cp_compressor *compressor, size_t src_len, size_t *len);

    /* A working area. It gets only the operations of its direction. */
    int32_t (*session_new)(cp_compressor *compressor, uint32_t direction, cp_session **session,
                           int32_t *native);
    int32_t (*session_free)(cp_session *session);

    /* All of src into one unit at the start of dst, whose length goes into result->len.
     * A dst that fits exactly is enough; one byte less is CP_OUTPUT_TOO_SMALL. After a failure the
     * contents of dst do not matter and the session can be used again, unless it is CP_POISONED.
     * Neither success nor failure leaves a trace in the next call. src and dst are never NULL, also
     * with a length or capacity of 0. */
    int32_t (*compress)(cp_session *session, const uint8_t *src, size_t src_len, uint8_t *dst,
                        size_t dst_capacity, cp_result *result);

    /* The content of the one unit that src is. Bytes after it, a second unit, a skippable frame, a
     * missing or wrong checksum, a truncated unit, a length that lies: CP_CORRUPT_INPUT, before
     * anything is allocated from a declared length. Content that is longer than dst_capacity:
     * CP_OUTPUT_TOO_SMALL. A zlib unit that needs a preset dictionary: CP_UNSUPPORTED. */
    int32_t (*decompress)(cp_session *session, const uint8_t *src, size_t src_len, uint8_t *dst,
                          size_t dst_capacity, cp_result *result);

    /* The same for each job, in any order; one job's failure does not touch another. Returns CP_OK
     * once every job has its status; any other status counts for all of them. May be NULL: the host
     * then calls once per job. */
    int32_t (*compress_many)(cp_session *session, cp_job *jobs, size_t count);
    int32_t (*decompress_many)(cp_session *session, cp_job *jobs, size_t count);
} cp_plugin;

/* The one symbol: called once, before anything else. NULL if the plugin cannot work with this host;
 * say why with host->log. */
#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
const cp_plugin *compressor_plugin_v1(const cp_host *host);

#ifdef __cplusplus
}
#endif

#endif
