package main

import (
	"math/big"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
)

const quantityColumns = "input, ok or error, format, nanos exact (big or -big where there are too many digits), MilliValue(), Value(), " +
	"String(), canonical form, int or dec (how the library holds it)"

const orderColumns = "left, right, left.Cmp(right)"

var quantityInputs = strings.Split(strings.Join([]string{
	// What clusters are full of.
	"0|1|2|4|8|16|64|100m|250m|500m|750m|1500m|1000m|2000m|3920m|0.1|0.25|0.5|1.5|2.5|110|58",
	"128Mi|256Mi|512Mi|1Gi|1.5Gi|2Gi|7.5Gi|16Gi|1Ti|32Ki|1000Ki|1024Ki|3071Mi|15822740Ki|7107852Ki|20961260Ki",
	"128974848|129e6|129M|123Mi|128974848000m|18242267924|95551679124|47093746742|1k|1M|1G|1T|1P|1E|10Gi|100Gi",
	// Every suffix, with and without a fraction.
	"1n|1u|1m|1Ki|1Mi|1Gi|1Ti|1Pi|1Ei|1.5n|1.5u|1.5m|1.5k|1.5M|1.5G|1.5T|1.5P|1.5E",
	"1.5Ki|1.5Mi|1.5Ti|1.5Pi|1.5Ei|0.1Ki|0.01Ki|0.0001Ki|0.1Mi|0.1Gi|0.1Ti|0.1Pi|0.1Ei|0.5Ki|0.0009765625Ki",
	"1e0|1e1|1e2|1e3|1E3|1e6|1e9|1e18|1E18|1e-1|1e-2|1e-3|1e-6|1e-9|1e-10|1e-20|1e+3|1E+3|1e03|1e-03|1.5e3|1.5E-3|15e-4",
	// Signs.
	"-1|+1|-0|+0|-100m|+100m|-1Ki|+1Ki|-1.5Gi|-0.1|-1e3|+1e3|-1n|-0.1n|-1.1n|-1500u|-0.0001Ki|-1025Ki|-9Ei",
	// Zeros in front, at the end, and instead of a number.
	"00|000|01|007|0100m|1.0|1.00|1.000|1.500|1.50|1.5000|10|100|1000|10000|1000m|1000000m|1000k|1000M|1000Ki|1024Mi|1048576Ki",
	"0.0|0.000|0Ki|0.0Ki|0m|0e3|0E3|0e-30|0n|0Ei|0.0Ei|0Pi|00Gi|000.000Gi|0.10|0.100|0.1000|100.100|.5|.5Gi|5.|5.Gi|5.m|5.e3",
	".|+|-|+.|-.|Ki|Mi|Gi|Ti|Pi|Ei|m|k|M|G|T|P|E|n|u|e|e3|e-3|e-9|e-10|E3|E-10|.Ki|.Pi|.Ei|.m|-Ki|-Ei|+m|-e-10|.e-10|.e-9|5.e-10|.5e-10|5.Ei|.5Ei|-.5Ei|-e3|+.5e-12",
	// Rounding up to a billionth.
	"0.1n|0.9n|1.1n|1.9n|0.0000000001|0.00000000011|0.9999999999|1.0000000001|0.000000001|0.0000000010|0.5u|0.0005u|0.00051u|0.0005m",
	"1.000000001|1.0000000011|123456789.123456789|123456789.1234567891|0.123456789012345678901234567890|3.00000000000000000000000000001",
	"0.00000000000000000000000000000000000000000000001|0.00000000000000000000000000000000000000000000001Ei|1.00000000000000000000000000000001Ki",
	// The limits of 64 bits.
	"9223372036854775807|9223372036854775808|9223372036854775806|-9223372036854775807|-9223372036854775808|-9223372036854775809",
	"9223372036854775807m|9223372036854775808m|9223372036854775.807|9223372036854775.808|9223372036854775807Ki|18446744073709551615",
	"7Ei|7.9Ei|7.999999999999999999Ei|8Ei|8.1Ei|9Ei|16Ei|100Ei|1000000Ei|8191Pi|8192Pi|9007199254740991Ki|9007199254740992Ki|9007199254740993Ki",
	"9E|9.2E|9.3E|10E|99E|100E|999E|1000E|1001E|12345E|1e19|1e20|1e21|1e24|1e27|1.5e28|1000000000000000000000000|999999999999999999|9999999999999999999",
	"100000000000000000000000000000|170141183460469231731687303715|170141183460469231731.687303715884105727e9|170141183460469231731.687303715884105728e9",
	"123456789012345678|1234567890123456789|12345678901234567890|1234567890123456789012345678901234567890|1e30|1e40|1e100|-1e100|1e38|1.7e29|1.8e29",
	"0.000000000000000001e18|0.000000000000000001E|1000000000000000000n|1000000000000000000000000000n|1e4294967296|1e4294967299|1e-4294967299",
	"1e9223372036854775807|1e9223372036854775808|1e-9223372036854775809|0e9223372036854775808|0e99|0e-99|000e50|1e00000000000000000000000000003",
	// Around 1024, where binary forms turn decimal.
	"1023|1024|1025|1023Ki|1025Ki|0.999Ki|1.001Ki|1.0009765625Ki|1.1Mi|1.25Mi|-0.999Ki|-1.001Ki|1023.5Ki|1024.5Ki|2049Ki|2048Ki|1048575Ki|1048577Ki",
	"8Ki|16Ki|24Ki|1Mi|8Mi|9Mi|1536Mi|1536Ki|1.5Mi|0.75Gi|0.3Gi|3.3Gi|2.7Ti|0.000001Ti|0.00000000001Ei",
	// Refused.
	" | 1|1 |1 Gi|1\t|1\n|\n|1x|12x|x|1K|1ki|1KI|1kI|1mi|1gi|1GI|1g|1t|1p|1MI|1mM|1nm|1um|1B|1GB|1GiB|1Gb|1i|1ni|1e3i|1e3m|1e3Mi|3.0e2Mi|1Mie3|1Kie3",
	"1e|1E|1e+|1e-|1E+|1E-|1e3.5|1e3e3|1ee3|1EE3|1Ee3|1e++3|1e+-3|1e 3|1..5|1.5.5|..|1.5.|--1|++1|-+1|+-1|1-|1+|1-1|1+1|1m5|1m-5|1Ki5|1Ki+|m1|Ki1",
	"1,5|1_000|0x10|0b1|1e0x3|1e_3|inf|NaN|Infinity|nan|½|１|1µ|1μ|1ＭＩ|1Mi\u0000|\u0000|é|1é|1\u00a0Gi|−1|1Zi|1Yi|1R|1Q|1Y|1Z|1h|1s|1%|100%|$1|\"1\"|'1'|null|true",
}, "|"), "|")

func quantityTexts(r *random, count int) []string {
	suffixes := strings.Fields("n u m k M G T P E Ki Mi Gi Ti Pi Ei e3 E6 e-3 e-7 e1 e2 E0 e+9 e12 e-12")
	texts := append([]string{""}, quantityInputs...)
	for range count {
		text := pick(r, []string{"", "", "", "", "-", "+"})
		whole := pick(r, []int{1, 1, 2, 3, 4, 6, 9, 12, 15, 17, 18, 19, 20, 25})
		text += r.digits(whole)
		if r.chance(45) {
			text += "." + r.digits(pick(r, []int{1, 2, 3, 3, 6, 9, 10, 18, 21, 30}))
		}
		if r.chance(80) {
			text += pick(r, suffixes)
		}
		if r.chance(15) {
			text = r.damaged(text, "0123456789.+-eEinumkKMGTP xi")
		}
		if !endless.MatchString(text) {
			texts = append(texts, text)
		}
	}
	return texts
}

// The library computes the power of ten of a large negative exponent in full, which takes hours and all memory.
var endless = regexp.MustCompile(`[eE][-+]?[0-9]{5,}$`)

func quantityRows(r *random, count int) [][]string {
	var rows [][]string
	for _, text := range quantityTexts(r, count) {
		q, err := resource.ParseQuantity(text)
		if err != nil {
			rows = append(rows, []string{text, "error"})
			continue
		}
		held := "int"
		if !reflect.ValueOf(q).FieldByName("d").FieldByName("Dec").IsNil() {
			held = "dec"
		}
		format, milli, value, printed := string(q.Format), q.MilliValue(), q.Value(), q.String()
		number, suffix := q.CanonicalizeBytes(nil)
		rows = append(rows, []string{
			text, "ok", format, nanos(q), strconv.FormatInt(milli, 10), strconv.FormatInt(value, 10),
			printed, string(number) + string(suffix), held,
		})
	}
	return rows
}

// nanos is the exact amount in billionths; a parsed quantity has no finer part.
func nanos(q resource.Quantity) string {
	dec := q.DeepCopy()
	amount := dec.AsDec()
	shift := 9 - int64(amount.Scale())
	if shift > 60 && amount.Sign() != 0 {
		return strings.Repeat("-", (1-amount.Sign())/2) + "big"
	}
	shift = min(shift, 60)
	scaled := new(big.Int).Set(amount.UnscaledBig())
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(max(shift, -shift)), nil)
	if shift >= 0 {
		scaled.Mul(scaled, power)
	} else {
		remainder := new(big.Int)
		if scaled.QuoRem(scaled, power, remainder); remainder.Sign() != 0 {
			panic("finer than a billionth: " + amount.String())
		}
	}
	return scaled.String()
}

func orderRows(r *random, count int) [][]string {
	texts := strings.Fields("0 -0 1 1.0 1000m 1e0 999m 1001m 1Ki 1024 1024000m 1k 1Mi 1M 1Gi 1G 1e9 1073741824 1.5Gi 1536Mi 8Ei " +
		"9223372036854775807 9E -1 -1m 1n 0.1n 1e-9 2n 1e20 1e21 100E -1Gi")
	var rows [][]string
	for i := range count {
		left, right := pick(r, texts), pick(r, texts)
		if i%4 == 0 {
			// Two spellings of nearly the same amount.
			amount := r.below(1 << 20)
			left = strconv.Itoa(amount) + "Ki"
			right = strconv.Itoa(amount*1024+r.between(-1, 1)) + pick(r, []string{"", ".0", ".001", "e0", "000m"})
		}
		a, b := resource.MustParse(left), resource.MustParse(right)
		rows = append(rows, []string{left, right, strconv.Itoa(a.Cmp(b))})
	}
	return rows
}
