#ifndef RADDLE_SYS_TYPES_H
#define RADDLE_SYS_TYPES_H
#include <raddle/pthread_types.h>
#include <raddle/times.h>
#include <stddef.h>
#if __SIZEOF_POINTER__ == 8
typedef long ssize_t;
#else
typedef int ssize_t;
#endif
typedef long off_t;
typedef long long loff_t;
typedef long long off64_t;
typedef int pid_t;
typedef unsigned uid_t;
typedef unsigned gid_t;
typedef unsigned id_t;
typedef unsigned mode_t;
typedef unsigned long ino_t;
typedef unsigned long dev_t;
typedef unsigned long nlink_t;
typedef long blksize_t;
typedef long blkcnt_t;
typedef int key_t;
typedef unsigned useconds_t;
typedef __INTPTR_TYPE__ intptr_t;
typedef __INT8_TYPE__ int8_t;
typedef __INT16_TYPE__ int16_t;
typedef __INT32_TYPE__ int32_t;
typedef __INT64_TYPE__ int64_t;
typedef __UINT8_TYPE__ u_int8_t;
typedef __UINT16_TYPE__ u_int16_t;
typedef __UINT32_TYPE__ u_int32_t;
typedef __UINT64_TYPE__ u_int64_t;
typedef unsigned char u_char;
typedef unsigned short u_short;
typedef unsigned u_int;
typedef unsigned long u_long;
typedef unsigned short ushort;
typedef unsigned uint;
typedef unsigned long ulong;
typedef char *caddr_t;
#define __ssize_t_defined 1
#define __off_t_defined 1
#define __pid_t_defined 1
#define __uid_t_defined 1
#define __gid_t_defined 1
#define __mode_t_defined 1
#define __useconds_t_defined 1
#define __intptr_t_defined 1
#endif
