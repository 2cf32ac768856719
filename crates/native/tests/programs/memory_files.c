// expect: exited 0
// output: through a pipe
// What is read from files and written to them is what was there.
#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int main(void) {
    static const char text[] = "through a pipe\n";
    char back[sizeof text];
    int ends[2];
    assert(pipe(ends) == 0);
    assert(write(ends[1], text, sizeof text) == sizeof text);
    assert(read(ends[0], back, sizeof back) == sizeof text && strcmp(text, back) == 0);
    assert(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    assert(send(ends[1], text, sizeof text, 0) == sizeof text);
    assert(recv(ends[0], back, sizeof back, 0) == sizeof text && strcmp(text, back) == 0);
    FILE *file = tmpfile();
    assert(file && fwrite(text, 1, sizeof text, file) == sizeof text);
    rewind(file);
    assert(fread(back, 5, 3, file) == 3 && memcmp(back, text, 15) == 0);
    assert(pwrite(fileno(file), "x", 1, 3) == 1 && pread(fileno(file), back, 2, 3) == 2);
    assert(back[0] == 'x' && back[1] == text[4]);
    assert(read(-1, back, 1) == -1);
    fclose(file);
    assert(fwrite(text, 1, sizeof text - 1, stdout) == sizeof text - 1);
    return 0;
}
