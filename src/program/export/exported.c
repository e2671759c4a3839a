// libtlaloc.so is made of the libraries behind tlaloc.h, whose public functions carry TL_API. What
// none of them happens to call would be left out; it is named here.
#include <tlaloc/tlaloc.h>

void (*const tl_exported[])(void) = {(void (*)(void))tl_status_get_code,
                                     (void (*)(void))tl_status_code_name};
