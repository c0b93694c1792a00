import Testing

@testable import BenchReports

@Suite struct FormatTests {
    @Test("Times print with three digits, and with two where the clock says no more")
    func times() {
        #expect(Format.time(0.000_000_000_043) == "0.043 ns")
        #expect(Format.time(0.000_000_12) == "120 ns")
        #expect(Format.time(0.0000123) == "12 µs")
        #expect(Format.time(0.0123) == "12.3 ms")
        #expect(Format.time(12.34) == "12.3 s")
    }

    @Test("What was measured once prints with two digits, also where rounding makes a number longer")
    func once() {
        #expect(Format.digits(ofRuns: 1) == 2)
        #expect(Format.digits(ofRuns: 3) == 3)
        #expect(Format.time(1.2345, digits: 2) == "1.2 s")
        #expect(Format.time(9.97, digits: 2) == "10 s")
        #expect(Format.time(0.1264, digits: 2) == "130 ms")
        #expect(Format.ratio(1.254, digits: 2) == "1.3×")
        #expect(Format.ratio(12.54, digits: 2) == "13×")
        #expect(Format.ratio(0.997, digits: 2) == "1.0×")
        #expect(Format.bytes(461_000_000, digits: 2) == "460 MB")
    }

    @Test("No ratio prints as nothing")
    func smallRatios() {
        #expect(Format.ratio(0.254, digits: 2) == "0.25×")
        #expect(Format.ratio(0.997) == "1.00×")
        #expect(Format.ratio(0.010) == "0.01×")
        #expect(Format.ratio(0.004) == "<0.01×")
    }

    @Test("A spread has one unit, that of the longest")
    func spread() {
        #expect(Format.spread(0.00095...0.00105) == "0.950–1.05 ms")
        #expect(Format.spread(1...4) == "1.00–4.00 s")
    }

    @Test("Sizes and counts are easy to read")
    func sizes() {
        #expect(Format.bytes(0) == "–")
        #expect(Format.bytes(1_200) == "1.20 kB")
        #expect(Format.bytes(23_400_000) == "23.4 MB")
        #expect(Format.bytes(999_900_000) == "1.00 GB")
        #expect(Format.count(1_234_567) == "1,234,567")
    }
}
