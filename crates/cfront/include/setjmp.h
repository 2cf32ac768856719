/* setjmp returns 0; longjmp is not supported. */
#ifndef RADDLE_SETJMP_H
#define RADDLE_SETJMP_H
typedef struct __jmp_buf_tag {
    long __registers[8];
    int __mask_was_saved;
} jmp_buf[1];
typedef jmp_buf sigjmp_buf;
int _setjmp(struct __jmp_buf_tag *);
int __sigsetjmp(struct __jmp_buf_tag *, int save_mask);
void longjmp(struct __jmp_buf_tag *, int) __attribute__((__noreturn__));
void _longjmp(struct __jmp_buf_tag *, int) __attribute__((__noreturn__));
void siglongjmp(struct __jmp_buf_tag *, int) __attribute__((__noreturn__));
#define setjmp(buffer) _setjmp(buffer)
#define sigsetjmp(buffer, save_mask) __sigsetjmp(buffer, save_mask)
#endif
