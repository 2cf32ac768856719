#ifndef RADDLE_GETOPT_H
#define RADDLE_GETOPT_H
int getopt(int, char *const[], const char *);
extern char *optarg;
extern int optind, opterr, optopt;
#define no_argument 0
#define required_argument 1
#define optional_argument 2
struct option {
    const char *name;
    int has_arg;
    int *flag;
    int val;
};
int getopt_long(int, char *const[], const char *, const struct option *, int *);
#endif
