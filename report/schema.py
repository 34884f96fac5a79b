"""The files that measurements are recorded in, and their columns.

A file is a table of the same name in the database. Each column is written name:type with marks after it:
    text, int, real    what a field holds; int is a whole number
    !                  the field may not be empty
Columns may stand in any order in a file, but a name that is not listed here is an error.
"""


class Column:
    def __init__(self, text):
        name, kind = text.split(":")
        self.name = name
        self.needed = "!" in kind
        self.kind = kind.strip("!")


def columns(text):
    return [Column(word) for word in text.split()]


# What every `run` appends with --csv: the columns of RECORD_HEADER in record.h.
RECORD = columns("""
    step:text! variant:text! op:text! dtype:text! layout:text m:int! n:int! k:int! d:int alpha:real! beta:real!
    cache:text! mode:text! ms_median:real ms_min:real ms_max:real gflops:real gbps:real peak_share:real
    baseline:text baseline_ms:real ratio:real ratio_min:real ratio_max:real max_err_bound_share:real
    clock_mhz:real power_w:real device:text! cc:text driver:text cuda:text date:text
    baseline_call:text cublas:text version:text pairs:int sets:int ms_low:real ms_high:real ratio_low:real
    ratio_high:real calls_tried:int calls_failed:int calls_wrong:int
""")

ORIGIN = " device:text! cc:text driver:text cuda:text date:text!"

# Recorded in plots/data/GPU/.
MEASURED = {
    "sgemm": RECORD,
    "tensorcore": RECORD,
    "gemv": RECORD,
    "knn": RECORD,
    "knn_peers": RECORD,
    "knn_copies": RECORD,
    "conv": RECORD,
    "conv_again": RECORD,
    "random": RECORD,
    "gemv_search": columns("""
        step:text! variant:text! dtype:text! n:int! k:int! cache:text! mode:text! candidate:text! block_n:int!
        reduce_threads:int! loads:int! rows:int! us:real!""" + ORIGIN),
    "gemv_dram": columns("""
        step:text! variant:text! dtype:text! n:int! k:int! launches:int! matrix_bytes:real! dram_bytes_median:real!
        dram_bytes_min:real! dram_bytes_max:real! share_median:real! share_min:real!""" + ORIGIN),
    "tensorcore_error": columns("""
        variant:text! dtype:text! values:text! m:int! n:int! k:int! error_max:real! error_mean:real!""" + ORIGIN),
    "knn_rates": columns("""
        protocol:text! class:text! seed:int! method:text! k:int! train_normal:int! train_attacks:int! test_normal:int!
        test_attacks:int! attacks_known:int! accuracy:real! detection:real! false_alarms:real!
        neighbours_unlike_cpu:int!""" + ORIGIN + """
        neighbours_tied:int"""),
    "knn_ann": columns("""
        method:text! m:int! n:int! d:int! k:int! ms:real! wrong:int! of:int!""" + ORIGIN),
    "languages": columns("""
        language:text! kernel:text configuration:text n:int! k:int! us:real us_min:real us_max:real ratio:real
        ratio_min:real ratio_max:real rounds:int! why:text""" + ORIGIN),
    "knn_ranks": columns("""
        variant:text! m:int! n:int! d:int! k:int! ranks:int! devices:int! divide:text! ms_median:real! ms_min:real!
        ms_max:real! merge_ms:real""" + ORIGIN),
    "latency": columns("""
        memory:text! lines:int! kib:int! clocks_median:real! clocks_min:real! clocks_max:real! ns_median:real!
        clock_mhz:real!""" + ORIGIN),
    "limits": columns("""
        name:text! rate:real! rate_min:real! rate_max:real! unit:text! peak:real clocks:real
        clock_mhz:real""" + ORIGIN),
    "counters": columns("""
        step:text! variant:text! m:int! n:int! k:int! metric:text! value:real unit:text""" + ORIGIN),
}

RECORDS = [kind for kind, its in MEASURED.items() if its is RECORD]  # the files that `run` appends to

# Files whose rows are all shown.
WHOLE = ("gemv_dram", "conv_again", "knn_rates", "knn_ann", "knn_ranks", "knn_copies", "languages", "latency", "limits",
         "counters")

# Maintained by hand in plots/ (changes: from which day on records are of a kernel, or of a way of measuring, as it is
# now; `what` is kernel, or clock: of the clock alone; `dtypes`: of which types, if not of all; `before`: the commits of
# that same day whose records are still of the kernel as it was), except devices, in common/gpu/, and sass, which
# `make sass` records in plots/data/. random_sets: what scripts/bench.sh draws at random, 15 shapes a line, by either
# seed; random_shapes: those, and the thin products beside (make random-shapes); of the latter, `draw` is neither tuning
# nor final.
COMMON = {
    "changes": columns("step:text variant:text date:text! version:text! what:text! dtypes:text before:text"),
    "random_sets": columns("""
        step:text! dtype:text! layout:text! spread:text! max:int! multiple:int! count:int! tuning_seed:int!
        final_seed:int! set:text!"""),
    "random_shapes": columns("set:text! draw:text step:text! dtype:text! layout:text! m:int! n:int! k:int!"),
    "gemv_ladder": columns("""
        step:text! variant:text! article_kernel:text article_ms:text article_ratio:text article_text_ms:text"""),
    "devices": columns("""
        slug:text! name:text! sms:int! fp32_tflops:real tf32_tflops:real f16_tflops:real s8_tops:real
        dram_gbps:real"""),
    "sass": columns("""
        step:text! variant:text! arch:text! registers:int! loop_instructions:int ffma:int ffma_reuse:int lds32:int
        lds64:int lds128:int ldg:int ldgsts:int sts:int bar:int other:int ffma_reads:int ffma_conflicts:int nvcc:text!
    """),
}

FILES = {**MEASURED, **COMMON}


def header(name):
    """The header line of a file, without its end."""
    return ",".join(column.name for column in FILES[name])


def main(arguments, root):
    """python3 -m report header FILE: the header line of such a file."""
    from report.load import Mistake  # which needs this module

    if len(arguments) != 1:
        raise Mistake("usage: python3 -m report header FILE")
    if arguments[0] not in FILES:
        raise Mistake(f"no recorded file is called '{arguments[0]}' ({', '.join(FILES)})")
    print(header(arguments[0]))
    return 0
