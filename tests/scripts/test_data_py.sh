#!/bin/sh
# Tests scripts/data.py: what it makes of each format, as step 8's reader sees it, and what it refuses, in one line and
# with nothing written. Ends with "N passed, N failed".
set -u
. "$(dirname "$0")/../case.sh"
sh scripts/deps.sh data || exit 1
cd "$work" || exit 1

convert() { python3 -B "$root/scripts/data.py" "$@" >out 2>err; status=$?; }
shown() { # FILE: a line of its type and shape, and its rows
    PYTHONPATH=$root/build/numpy python3 -c '
import sys, numpy
a = numpy.load(sys.argv[1])
print(a.dtype.str, *a.shape)
for row in a: print(*row.tolist())' "$1"
}
makes() { # NAME FILE WANTED [ARGUMENT...]: of these, or of those before: its contents with bars for line ends
    name=$1 file=$2 wanted=$3
    shift 3
    [ $# = 0 ] || convert "$@"
    case $file in *.npy) got=$(shown "$file") ;; *) got=$(cat "$file") ;; esac
    same "$name" "0 $wanted" "$status $(echo "$got" | tr '\n' '|')"
}
refuses() { # NAME MESSAGE ARGUMENTS...: one line, and no file that was not there
    name=$1 message=$2
    shift 2
    ls >before
    convert "$@"
    rm -f out
    same "$name" "2 data.py: $message" "$status $(sed "s,part\.[0-9]*,part.PID," err)"
    ls >after
    same "$name: nothing is written" "$(grep -v -x out before)" "$(cat after)"
}

# ---- CSV with words ----
printf 'b,1,10,x\n\303\244,2.5,9,y\nB,3,10,x\n,4,1e3,x\n' >train.csv
printf 'c,1,1,y\nb,-7,1,z\n' >test.csv
makes 'words by their bytes' train.npy \
    '<f8 4 6|0.0 0.0 1.0 0.0 1.0 10.0|0.0 0.0 0.0 1.0 2.5 9.0|0.0 1.0 0.0 0.0 3.0 10.0|1.0 0.0 0.0 0.0 4.0 1000.0|' \
    train.csv train.npy test.csv test.npy
makes 'their labels' train.labels 'x|y|x|x|'
makes 'the test as the training' test.npy '<f8 2 6|0.0 0.0 0.0 0.0 1.0 1.0|0.0 0.0 1.0 0.0 -7.0 1.0|'
same 'what training lacks is said' 1 \
    "$(grep -c "^test.csv: column 1: 1 values of 1 words that train.csv lacks: 'c'$" out)"
gzip -c train.csv >packed
makes 'gzip, and CSV out' packed.csv '0,0,1,0,1,10,x|0,0,0,1,2.5,9,y|0,1,0,0,3,10,x|1,0,0,0,4,1000,x|' \
    packed packed.csv
gzip -c test.csv >>packed
convert --labels none packed packed.npy
same 'two members of gzip' '<f8 6 10' "$(shown packed.npy | sed -n 1p)"
printf 'l,1,01\nm,2,1\n' >first.csv
makes 'columns named as words' first.npy '<f8 2 3|1.0 1.0 0.0|2.0 0.0 1.0|' \
    --labels first --symbolic 3 first.csv first.npy
convert --labels none --symbolic none test.csv none.npy
same 'columns named as numbers' "2 data.py: test.csv: record 1: column 1: 'c' is not a finite number" \
    "$status $(cat err)"
printf 'h,i\n"1","a b"\n' >header.csv
makes 'a header, and quotes' header.out '1,a b|' header.csv header.out
makes 'which is none' header.out '0,1,i|1,0,a b|' --header no header.csv header.out
printf '1,a\nO,b\n3,a\n' >slip.csv
convert slip.csv slip.npy
same 'a slip is said' 1 \
    "$(grep -c "^slip.csv: column 1: 'O' makes it a column of words; 2 of its 3 different values are numbers$" out)"
printf '1,normal.\n2,smurf.\n' >kdd.csv
makes "KDD's classes" kdd.labels 'normal|DoS|' --classes kdd kdd.csv kdd.npy
printf 'one\ntwo\n' | gzip >labels.gz
makes 'a file of labels' labels.csv 'one|two|' labels.gz labels.csv
seq 20000 | sed 's/.*/&.5,&,l/' >many.csv
convert many.csv many.npy
same 'many numbers' '<f8 20000 2 20000.5 20000.0' "$(shown many.npy | sed -n '1p; $p' | tr '\n' ' ' | sed 's/ $//')"

# ---- idx, vecs, .npy ----
printf '\0\0\10\3\0\0\0\2\0\0\0\1\0\0\0\2\1\2\3\377' >images
makes 'images of idx' images.npy '|u1 2 2|1 2|3 255|' images images.npy
gzip -c images >images.gz
makes 'packed' images.npy '|u1 2 2|1 2|3 255|' images.gz images.npy
printf '\0\0\13\2\0\0\0\1\0\0\0\2\377\376\1\0' >shorts
makes 'shorts' shorts.npy '<i4 1 2|-2 256|' shorts shorts.npy
printf '\0\0\10\1\0\0\0\3\7\0\7' >idx1
makes 'labels of idx' labels.out '7|0|7|' idx1 labels.out
printf '\2\0\0\0\0\0\200\077\0\0\0\300\2\0\0\0\0\0\0\0\0\0\200\077' >base.fvecs
makes 'fvecs' base.npy '<f4 2 2|1.0 -2.0|0.0 1.0|' base.fvecs base.npy
printf '\2\0\0\0\1\377' >base.bvecs
makes 'bvecs' base.npy '|u1 1 2|1 255|' base.bvecs base.npy
printf '\1\0\0\0\376\377\377\377' >base.ivecs
makes 'ivecs' base.npy '<i4 1 1|-2|' base.ivecs base.npy
PYTHONPATH=$root/build/numpy python3 -c '
import numpy
numpy.save("wide.npy", numpy.asfortranarray(numpy.arange(6, dtype=">f8").reshape(2, 3)))
numpy.save("half.npy", numpy.array([[1.5, 65504]], "f2"))
numpy.save("long.npy", numpy.array([3, -1], "i8"))
numpy.save("beyond.npy", numpy.array([[2**53 + 1]], "i8"))
numpy.save("nan.npy", numpy.array([[1, 2], [3, numpy.nan]], "f4"))
numpy.save("cube.npy", numpy.zeros((1, 1, 1)))
numpy.save("text.npy", numpy.array([["a"]]))
numpy.save("objects.npy", numpy.array([{}]), allow_pickle=True)'
makes "Fortran's order and the other byte order" wide.out.npy '<f8 2 3|0.0 1.0 2.0|3.0 4.0 5.0|' wide.npy wide.out.npy
makes 'a column of labels' wide.out.labels '2|5|' --labels last wide.npy wide.out.npy
makes 'half' half.out.npy '<f4 1 2|1.5 65504.0|' half.npy half.out.npy
makes 'labels of .npy' long.out '3|-1|' long.npy long.out

# ---- what is refused ----
touch before after
rm -f ./*.out
refuses 'a file that is not there' 'none: No such file or directory' none x.npy
refuses 'a folder that is not there' "no/x.npy.part.PID: No such file or directory" train.csv no/x.npy
refuses 'an empty file' '/dev/null: is empty' /dev/null x.npy
printf '1,a\n1,a,b\n' >ragged
refuses 'ragged rows' 'ragged:2: 3 columns, but the first record has 2' ragged x.npy
printf '1,a\n\n2,b\n' >blank
refuses 'a blank line' 'blank:2: a blank line before the end' blank x.npy
printf '1,"a\n' >quote
refuses 'an open quote' 'quote:1: unexpected end of data' quote x.npy
printf '1,a;"b""c"\n2,\n' >unwritable
refuses 'a label that cannot be written' \
    "unwritable: the label 'a;\"b\"\"c\"' is empty, is longer than 63 bytes, or holds a \
comma, a quote or a control character" unwritable x.npy
printf '1,2\n' >two.csv
refuses 'another number of columns' 'two.csv: 2 columns, but train.csv has 4' train.csv x.npy two.csv y.npy
refuses 'a label without a class' "train.csv: $root/step08_knn/kdd_classes.csv has no class for the label 'x'" \
    --classes kdd train.csv x.npy
head -c 30 packed >truncated
refuses 'gzip that ends early' 'truncated: Compressed file ended before the end-of-stream marker was reached' \
    truncated x.npy
head -c 19 images >truncated
refuses 'idx that ends early' 'truncated: 3 bytes of elements, not those of 2 x 1 x 2' truncated x.npy
head -c 23 base.fvecs >cut.fvecs
refuses 'fvecs that ends early' 'cut.fvecs: row 2: truncated' cut.fvecs x.npy
printf '\1\0\0\0aaaa\2\0\0\0bbbb' >odd.ivecs
refuses 'dimensions that differ' 'odd.ivecs: row 2: dimension 2, but the first row has 1' odd.ivecs x.npy
refuses 'what FP64 does not hold' 'beyond.npy: row 1: column 1: 9007199254740993 is not finite, or beyond 2^53' \
    beyond.npy x.npy
refuses 'NaN' 'nan.npy: row 2: column 2: nan is not finite, or beyond 2^53' nan.npy x.npy
refuses 'three dimensions' 'cube.npy: an array of 3 dimensions, not of rows and columns' cube.npy x.npy
refuses 'text' 'text.npy: elements of type <U1' text.npy x.npy
refuses 'objects' \
    'objects.npy: no .npy file of numbers, or truncated: Array can'"'"'t be memory-mapped: Python objects in dtype.' \
    objects.npy x.npy
refuses 'its own input' 'train.csv: train.csv would be written over what is read' train.csv train.csv
refuses 'one file twice' 'test.csv: x.npy would be written twice' train.csv x.npy test.csv x.npy
convert train.csv
same 'half a pair' '2 1' "$status $(grep -c 'IN OUT \[IN OUT\]' err)"
convert --help
same 'help' '0 1' "$status $(grep -c -e '^  --symbolic LIST' out)"

ended
