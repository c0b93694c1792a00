/* A library to preload that watches what a process does to the files below one directory: it can make calls fail, cut them short, end the
   process at one of them, list them, and record everything that changes the disk.

   A plan is a text of `key=value` separated by `;`, given by STRATA_FAULTS or by `strata_shim_plan`:

     dir=PATH        the directory that is watched
     calls=A,B       the classes that count: open create read write sync size name map lock stat close; all unless said
     at=N            the first counted call that is hit, from 1
     count=B         how many counted calls in a row are hit; 0 for all from then on
     do=WHAT         fail, after (done, but reported as failed), one (a single byte), half, kill, torn (half done, then killed), killafter
     errno=CODE      what a failed call reports
     list=PATH       a file that gets a line for each watched call: class, call, path
     record=PATH     a file that gets what changes the disk (see `struct record`)
     story=FD        a descriptor that gets the line "injected ..." for the first call that is hit
*/
#ifndef STRATA_SHIM_H
#define STRATA_SHIM_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

typedef enum { OPEN, CREATE, READ, WRITE, SYNC, SIZE, NAME, MAP, LOCK, STAT, CLOSE, CLASSES } class;
typedef enum { PASS, FAIL, AFTER, ONE, HALF, TORN, KILL_AFTER } action;

/* Counts a call and says what becomes of it; does not return where the process is to end before it. */
action shim_enter(class kind, const char *call, const char *path);
void shim_kill(void);
/* Sets errno to the plan's. */
void shim_fail(void);

/* The path of a watched descriptor, NULL for any other. */
const char *shim_path(int fd);
/* The absolute path in `buffer` where it is watched, else NULL. */
const char *shim_resolve(int directory, const char *path, char *buffer);
void shim_opened(int fd, const char *path, int flags, bool is_new);
void shim_closed(int fd);

/* One change of the disk, followed by the bytes of the text and of the data. */
struct record {
    char operation; /* o open, c create, x close, w write, s sync, t truncate, g grow, r rename, u unlink, l link, m mkdir, d rmdir, k mark, p mapped */
    char padding[3];
    int32_t fd;
    int64_t offset;
    uint32_t text;
    uint32_t data;
};
void shim_record(char operation, int fd, int64_t offset, const char *text, const void *data, size_t size);
bool shim_is_recording(void);

#endif
