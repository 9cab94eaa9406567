#include <stdio.h>

struct pump {
    int unit;
};

#ifdef FAST
static int *start(struct pump *one)
{
    return &one->unit;
}
#endif

int limit;
