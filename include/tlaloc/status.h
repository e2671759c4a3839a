// How a call says that it failed: one pointer, NULL on success.
//
//     tl_status st = tl_program_run(...);
//     if (st != NULL) fprintf(stderr, "%s\n", tl_status_message(st)), tl_status_drop(st);
//
// Whoever gets a status returns it or drops it. Any thread; a status has one owner at a time.
#ifndef TLALOC_STATUS_H
#define TLALOC_STATUS_H

#define TL_API __attribute__((visibility("default")))

typedef enum { // the numbers of PJRT and gRPC
  TL_STATUS_OK = 0,
  TL_STATUS_CANCELLED = 1,
  TL_STATUS_UNKNOWN = 2,
  TL_STATUS_INVALID_ARGUMENT = 3,
  TL_STATUS_DEADLINE_EXCEEDED = 4,
  TL_STATUS_NOT_FOUND = 5,
  TL_STATUS_ALREADY_EXISTS = 6,
  TL_STATUS_PERMISSION_DENIED = 7,
  TL_STATUS_RESOURCE_EXHAUSTED = 8,
  TL_STATUS_FAILED_PRECONDITION = 9,
  TL_STATUS_ABORTED = 10,
  TL_STATUS_OUT_OF_RANGE = 11,
  TL_STATUS_UNIMPLEMENTED = 12,
  TL_STATUS_INTERNAL = 13,
  TL_STATUS_UNAVAILABLE = 14,
  TL_STATUS_DATA_LOSS = 15,
  TL_STATUS_UNAUTHENTICATED = 16,
} tl_status_code;

typedef struct tl_status_record *tl_status;

TL_API tl_status_code tl_status_get_code(tl_status st);      // TL_STATUS_OK for NULL
TL_API const char *tl_status_message(tl_status st);          // until it is dropped; "" for NULL
TL_API void tl_status_drop(tl_status st);                    // NULL is allowed
TL_API const char *tl_status_code_name(tl_status_code code); // "INVALID_ARGUMENT"

#endif
