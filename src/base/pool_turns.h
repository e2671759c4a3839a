// Who waits for a pool: for its test.
#ifndef TL_BASE_POOL_TURNS_H
#define TL_BASE_POOL_TURNS_H

#include "base/pool.h"

size_t tl_pool_waiting(const tl_pool *p); // callers that wait for their turn, while one has it

#endif
