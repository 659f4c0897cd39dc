/* Makes a program repeatable: its random bytes follow from how often it has asked for that many, and the requests that
 * it sends are written into a file. It is loaded before the C library (LD_PRELOAD). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

ssize_t getrandom(void *buffer, size_t length, unsigned flags) {
    static unsigned asked[257];
    unsigned char *bytes = buffer;
    unsigned number = __atomic_fetch_add(&asked[length < 256 ? length : 256], 1, __ATOMIC_RELAXED);
    unsigned long long state = ((unsigned long long)length << 32) + number + 1;
    for (size_t at = 0; at < length; at++) {
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        bytes[at] = state >> 56;
    }
    (void)flags;
    return (ssize_t)length;
}

static void keep(const struct iovec *parts, int count) {
    static const char *const methods[] = {"GET /", "POST /", "PUT /", "PATCH /", "DELETE /"};
    const char *path = getenv("HYPE_REQUESTS");
    if (path == NULL || count == 0) return;
    for (size_t at = 0; at < sizeof methods / sizeof *methods; at++) {
        size_t length = strlen(methods[at]);
        if (parts[0].iov_len < length || memcmp(parts[0].iov_base, methods[at], length) != 0) continue;
        int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
        if (file < 0) return;
        static const char end[] = "\n\x1e\n";
        struct iovec all[66];
        int kept = count < 64 ? count : 64;
        memcpy(all, parts, kept * sizeof *parts);
        all[kept] = (struct iovec){.iov_base = (void *)end, .iov_len = sizeof end - 1};
        ssize_t (*write_all)(int, const struct iovec *, int) = dlsym(RTLD_NEXT, "writev");
        (void)!write_all(file, all, kept + 1);
        close(file);
        return;
    }
}

ssize_t send(int socket, const void *data, size_t length, int flags) {
    struct iovec part = {.iov_base = (void *)data, .iov_len = length};
    keep(&part, 1);
    ssize_t (*next)(int, const void *, size_t, int) = dlsym(RTLD_NEXT, "send");
    return next(socket, data, length, flags);
}

ssize_t writev(int file, const struct iovec *parts, int count) {
    keep(parts, count);
    ssize_t (*next)(int, const struct iovec *, int) = dlsym(RTLD_NEXT, "writev");
    return next(file, parts, count);
}
