/// The dates in the file: as seconds since 2001 with 20 decimals, as of C's `printf` with `%.20f`, in any locale.
enum DateText {
    /// Appends a date.
    ///
    /// Numbers that 20 decimals do not distinguish, and ones of more than 19 integer digits, have their shortest text.
    static func append(_ seconds: Double, to out: inout ByteBuffer) {
        let magnitude = seconds.magnitude
        if magnitude == 0 {
            out.append(seconds.sign == .minus ? "-0.00000000000000000000" : "0.00000000000000000000")
            return
        }
        guard magnitude >= 0x1p-14, magnitude < 0x1p63 else { return NumberText.append(seconds, to: &out) }
        if seconds < 0 { out.append(UInt8(ascii: "-")) }
        let whole = UInt64(magnitude)
        // The fraction is `numerator` / 2^`bits`, exactly: fewer than 53 bits of at most 66 binary digits.
        let bits = max(0, 52 - Int(magnitude.exponent))
        let significand = magnitude.significandBitPattern | 1 << 52
        let numerator = bits < 64 ? significand & (1 << UInt64(bits) &- 1) : significand
        let scaled = UInt128(numerator) * 100_000_000_000_000_000_000
        var decimals = scaled >> UInt128(bits)
        if bits > 0 {
            let rest = scaled & (1 << UInt128(bits) - 1)
            let half: UInt128 = 1 << UInt128(bits - 1)
            if rest > half || rest == half && decimals & 1 == 1 { decimals += 1 }
        }
        let carry: UInt64 = decimals == 100_000_000_000_000_000_000 ? 1 : 0
        if carry == 1 { decimals = 0 }
        out.append(digits: whole + carry, width: 1)
        out.append(UInt8(ascii: "."))
        let (high, low) = decimals.quotientAndRemainder(dividingBy: 10_000_000_000)
        out.append(digits: UInt64(high), width: 10)
        out.append(digits: UInt64(low), width: 10)
    }
}
