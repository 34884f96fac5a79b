# common/gpu/devices.csv as the rows of a C table (common/gpu/peaks.c). An empty peak becomes 0; a bad line ends it with
# status 1.
function refuse(why) {
    printf "%s:%d: %s\n", FILENAME, FNR, why >"/dev/stderr"
    exit failed = 1
}
BEGIN { FS = "," }
NR == 1 {
    if ($0 != "slug,name,sms,fp32_tflops,tf32_tflops,f16_tflops,s8_tops,dram_gbps") refuse("not the columns of this table")
    next
}
NF != 8 { refuse(NF " fields instead of 8") }
$1 !~ /^[a-z0-9-]+$/ { refuse("'" $1 "' cannot be a folder's name") }
$2 !~ /^[A-Za-z0-9 .()-]+$/ { refuse("'" $2 "' is no GPU's name") }
$1 in line || $2 in line { refuse("this GPU is in line " ($1 in line ? line[$1] : line[$2])) }
$3 !~ /^[1-9][0-9]*$/ { refuse("'" $3 "' multiprocessors") }
{
    line[$1] = line[$2] = FNR
    row = sprintf("{\"%s\", %d, {", $2, $3)
    for (i = 4; i <= 8; i++) {
        if ($i != "" && $i !~ /^[0-9]+(\.[0-9]+)?$/) refuse("'" $i "' is no number")
        row = row ($i == "" ? 0 : $i) (i < 7 ? ", " : i == 7 ? "}, " : "},")
    }
    rows = rows row "\n"
}
END {
    if (failed) exit
    if (NR < 2) refuse("knows no GPU")
    printf "%s", rows
}
