/* Which version of this repository a program is. */
#pragma once

/* "0.10.0 1a2b3c4": what the file VERSION says and the commit that was built, with "-dirty" where sources differed from
 * it; "0.10.0" from a tree without .git. */
const char *version_text(void);
