/* bluetooth2: the Bluetooth driver with two requests.
 *
 * threads:  4
 * bug:      an adder tests `stoppingFlag` before it counts itself in, the driver stops in between
 * kinds:    race, atomicity, assertion
 * predict:  race
 * bound:    1
 * verdict:  fails
 */

/* The interleaving of bluetooth.c fails here, too; the second adder runs before or after it. */

#define ADDERS 2
#include "bluetooth.c"
