#define _GNU_SOURCE
#include "shim.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char *const class_names[CLASSES] = {"open", "create", "read", "write", "sync", "size", "name", "map", "lock", "stat", "close"};

static struct {
    char directory[PATH_MAX];
    size_t directory_length;
    bool counts[CLASSES];
    long at, count, seen;
    char what[16];
    int code;
    int list, record, story;
    bool is_told;
} plan = {.list = -1, .record = -1, .story = -1};

/* Work of the shim itself takes plain system calls, which nothing interposes. */
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

enum { descriptor_limit = 4096 };
static char *paths[descriptor_limit];

static int open_log(const char *path) {
    return (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static void write_all(int fd, const void *bytes, size_t size) {
    const char *next = bytes;
    while (size > 0) {
        long written = syscall(SYS_write, fd, next, size);
        if (written <= 0) return;
        next += written;
        size -= (size_t)written;
    }
}

static void set_classes(char *list) {
    memset(plan.counts, 0, sizeof plan.counts);
    char *rest = NULL;
    for (char *name = strtok_r(list, ",", &rest); name; name = strtok_r(NULL, ",", &rest))
        for (int kind = 0; kind < CLASSES; kind++)
            if (strcmp(name, class_names[kind]) == 0) plan.counts[kind] = true;
}

static void set(const char *key, char *value) {
    if (strcmp(key, "dir") == 0) {
        snprintf(plan.directory, sizeof plan.directory, "%s", value);
        plan.directory_length = strlen(plan.directory);
    } else if (strcmp(key, "calls") == 0) set_classes(value);
    else if (strcmp(key, "at") == 0) plan.at = atol(value);
    else if (strcmp(key, "count") == 0) plan.count = atol(value);
    else if (strcmp(key, "do") == 0) snprintf(plan.what, sizeof plan.what, "%s", value);
    else if (strcmp(key, "errno") == 0) plan.code = atoi(value);
    else if (strcmp(key, "list") == 0) plan.list = open_log(value);
    else if (strcmp(key, "record") == 0) plan.record = open_log(value);
    else if (strcmp(key, "story") == 0) plan.story = atoi(value);
}

/* Starts to count with a plan; an empty one watches nothing. */
__attribute__((visibility("default"))) void strata_shim_plan(const char *text) {
    pthread_mutex_lock(&gate);
    if (plan.list >= 0) syscall(SYS_close, plan.list);
    if (plan.record >= 0) syscall(SYS_close, plan.record);
    memset(&plan, 0, sizeof plan);
    plan.list = plan.record = plan.story = -1;
    plan.count = 1;
    snprintf(plan.what, sizeof plan.what, "fail");
    for (int kind = 0; kind < CLASSES; kind++) plan.counts[kind] = true;
    char *copy = strdup(text), *rest = NULL;
    for (char *part = strtok_r(copy, ";", &rest); part; part = strtok_r(NULL, ";", &rest)) {
        char *value = strchr(part, '=');
        if (!value) continue;
        *value++ = 0;
        set(part, value);
    }
    free(copy);
    pthread_mutex_unlock(&gate);
}

/* Puts a text into the recording: what the process has promised by now. */
__attribute__((visibility("default"))) void strata_shim_mark(const char *text) { shim_record('k', -1, 0, text, NULL, 0); }

__attribute__((constructor)) static void start(void) {
    const char *text = getenv("STRATA_FAULTS");
    if (text) strata_shim_plan(text);
}

// MARK: Deciding

void shim_kill(void) {
    syscall(SYS_kill, getpid(), SIGKILL);
    for (;;) pause();
}

void shim_fail(void) { errno = plan.code; }

static void tell(const char *call, const char *path) {
    if (plan.is_told || plan.story < 0) return;
    plan.is_told = true;
    char line[PATH_MAX + 128];
    int length = snprintf(line, sizeof line, "injected %s %d into %s %s\n", plan.what, plan.code, call, path + plan.directory_length);
    write_all(plan.story, line, (size_t)length);
}

action shim_enter(class kind, const char *call, const char *path) {
    pthread_mutex_lock(&gate);
    if (plan.list >= 0) {
        char line[PATH_MAX + 64];
        int length = snprintf(line, sizeof line, "%s %s %s\n", class_names[kind], call, path + plan.directory_length);
        write_all(plan.list, line, (size_t)length);
    }
    action answer = PASS;
    if (plan.at > 0 && plan.counts[kind]) {
        plan.seen++;
        if (plan.seen >= plan.at && (plan.count == 0 || plan.seen < plan.at + plan.count)) {
            tell(call, path);
            bool is_transfer = kind == READ || kind == WRITE;
            if (strcmp(plan.what, "fail") == 0) answer = FAIL;
            else if (strcmp(plan.what, "after") == 0) answer = AFTER;
            else if (strcmp(plan.what, "one") == 0) answer = is_transfer ? ONE : PASS;
            else if (strcmp(plan.what, "half") == 0) answer = is_transfer ? HALF : PASS;
            else if (strcmp(plan.what, "torn") == 0) answer = is_transfer ? TORN : KILL_AFTER;
            else if (strcmp(plan.what, "killafter") == 0) answer = KILL_AFTER;
            else shim_kill();
        }
    }
    pthread_mutex_unlock(&gate);
    return answer;
}

// MARK: Paths

const char *shim_path(int fd) { return fd >= 0 && fd < descriptor_limit ? paths[fd] : NULL; }

const char *shim_resolve(int directory, const char *path, char *buffer) {
    if (!plan.directory_length || !path) return NULL;
    if (path[0] == '/') snprintf(buffer, PATH_MAX, "%s", path);
    else if (directory != AT_FDCWD) {
        if (!shim_path(directory)) return NULL;
        snprintf(buffer, PATH_MAX, "%s/%s", shim_path(directory), path);
    } else {
        if (syscall(SYS_getcwd, buffer, PATH_MAX) <= 0) return NULL;
        size_t length = strlen(buffer);
        snprintf(buffer + length, PATH_MAX - length, "/%s", path);
    }
    if (strncmp(buffer, plan.directory, plan.directory_length) != 0) return NULL;
    char next = buffer[plan.directory_length];
    return next == 0 || next == '/' ? buffer : NULL;
}

void shim_opened(int fd, const char *path, int flags, bool is_new) {
    if (fd < 0 || fd >= descriptor_limit) return;
    pthread_mutex_lock(&gate);
    free(paths[fd]);
    paths[fd] = strdup(path);
    pthread_mutex_unlock(&gate);
    shim_record(is_new ? 'c' : 'o', fd, flags, path, NULL, 0);
}

void shim_closed(int fd) {
    if (!shim_path(fd)) return;
    shim_record('x', fd, 0, "", NULL, 0);
    pthread_mutex_lock(&gate);
    free(paths[fd]);
    paths[fd] = NULL;
    pthread_mutex_unlock(&gate);
}

// MARK: Recording

bool shim_is_recording(void) { return plan.record >= 0; }

void shim_record(char operation, int fd, int64_t offset, const char *text, const void *data, size_t size) {
    if (plan.record < 0) return;
    struct record record = {operation, {0}, fd, offset, (uint32_t)strlen(text), (uint32_t)size};
    int code = errno;
    pthread_mutex_lock(&gate);
    write_all(plan.record, &record, sizeof record);
    write_all(plan.record, text, record.text);
    if (size) write_all(plan.record, data, size);
    pthread_mutex_unlock(&gate);
    errno = code;
}
