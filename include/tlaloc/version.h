// The version of the installed headers; `tlaloc --version` tells the program's.
#ifndef TLALOC_VERSION_H
#define TLALOC_VERSION_H

#define TLALOC_VERSION_MAJOR 0
#define TLALOC_VERSION_MINOR 1
#define TLALOC_VERSION_PATCH 0

#endif
