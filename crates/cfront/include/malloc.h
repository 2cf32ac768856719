/* The heap, beyond <stdlib.h>. */
#ifndef RADDLE_MALLOC_H
#define RADDLE_MALLOC_H
#include <stdlib.h>
void *memalign(size_t alignment, size_t size);
void *pvalloc(size_t size);
size_t malloc_usable_size(void *);
#endif
