"""The pack's limits, in one place. All hold before anything is decoded, or inside the confined process."""

MIB = 1_048_576

MAX_FILES = 50
MAX_PAGES = 50
MAX_FILE_BYTES = 16 * MIB
MAX_TOTAL_BYTES = 64 * MIB
# Of a file that was uploaded before: it takes no room in a request and no time of a fetch.
MAX_UPLOAD_BYTES = MAX_TOTAL_BYTES

# A file that claims more pages than this is no document; it is refused as a whole.
ABSURD_PAGES = 2_000
# Decoded size of a picture: 600 dpi of A4 fits.
MAX_PIXELS = 40_000_000
MAX_SIDE = 30_000
# What is worked on; a larger picture is reduced to it.
WORK_PIXELS = 9_000_000
# A PDF page too large for this resolution within WORK_PIXELS cannot be read.
LEAST_PDF_DPI = 60

# Of address space: libraries and networks take 430 MiB of it, the largest page as much again.
CHILD_MEMORY_BYTES = 1_024 * MIB
# A page has its profile's limit; a process that has used this much is replaced before its next page.
CHILD_CPU_SEC = 180
CPU_LEFT_FOR_PAGE_SEC = 70
CHILD_OPEN_FILES = 32
# Loading the libraries is not the file's fault: on a crowded machine it may take its time.
START_TIMEOUT_SEC = 20.0
# Until a file is open, and until a page is decoded.
OPEN_TIMEOUT_SEC = 6.0
DECODE_TIMEOUT_SEC = 6.0

# A small file can say much: what a page and a run may answer. A block counts for its text and for this much besides,
# its place and how sure it is.
BLOCK_CHARS = 100
MAX_BLOCKS = 5_000
MAX_ANSWER_BYTES = 4 * MIB
MAX_RESULT_CHARS = 8_000_000

MAX_NOTES = 200
MAX_PICTURES_IN_PAGE = 8
