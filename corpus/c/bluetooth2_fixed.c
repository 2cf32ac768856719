/* bluetooth2_fixed: the Bluetooth driver with two requests that count themselves in first.
 *
 * threads:  4
 * bug:      none
 * kinds:    none
 * predict:  none
 * bound:    -
 * verdict:  clean
 */

#define ADDERS 2
#include "bluetooth_fixed.c"
