import Foundation
package import StrataModel

/// Values at the bounds of every type, by the attribute that takes them.
package enum BoundaryValues {
    package static let all: [(String, [Value])] = [
        ("i16", [Int16.min, Int16.min + 1, -1, 0, 1, Int16.max - 1, Int16.max].map { .int(Int64($0)) }),
        ("i32", [Int32.min, Int32.min + 1, Int32.max - 1, Int32.max].map { .int(Int64($0)) }),
        ("i64", [Int64.min, Int64.min + 1, 1 << 53 - 1, 1 << 53, 1 << 53 + 1, Int64.max - 1, Int64.max].map { .int($0) }),
        ("flag", [true, false]),
        (
            "double",
            [
                0.0, -0.0, 1, -1, 0.1, 1 / 3, .leastNonzeroMagnitude, -.leastNormalMagnitude.nextDown, .leastNormalMagnitude,
                .greatestFiniteMagnitude, .infinity,
                -.infinity, .nan, 9_007_199_254_740_992, 1e16, 1e22, 1e23, 123_456_789.123456789, .pi,
            ].map { .double($0) }
        ),
        (
            "float",
            [0, -0.0, 1, 0.1, .pi, .leastNonzeroMagnitude, .greatestFiniteMagnitude, .infinity, -.infinity, .nan, 16_777_216].map {
                (number: Float) in .double(Double(number))
            }
        ),
        (
            "decimal",
            [
                "0", "1", "-1", "0.1", "-0.1", "10", "100.01", "12345678901234567890123456789012345678",
                "0.00000000000000000000000000000000001",
            ]
            .map { .decimal(Decimal(string: $0) ?? .nan) } + [
                .decimal(.nan), .decimal(Decimal(sign: .minus, exponent: 20, significand: 7)),
            ]
        ),
        (
            "date",
            [
                0, -0.0, 259_495_720.564_060_002_565_383_911_13, 1e-9, 1, 1 + 1e-9, -978_307_200, 64_092_211_200, -63_114_076_800, 0.1,
                .leastNonzeroMagnitude, 6.1e-5, 0x1p-14, 1e300, .infinity, .nan, 464_441_952.529884, 0x1p63, -0.5,
            ].map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
        ),
        ("text", texts.map { .string($0) }),
        (
            "bytes",
            [0, 1, 2, 3, 56, 57, 58, 113, 114, 115, 4095, 4096, 4097, 1_000_000].map { (count: Int) in
                .data(Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ count) }))
            }
        ),
        ("packed", [.data(Data()), .data(Data([0, 255]))]),
        (
            "uuid",
            [
                .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))),
                .uuid(UUID(uuid: (255, 254, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13))),
            ]
        ),
        ("link", ["https://example.org/a?b=c&d=%20", "file:///tmp/x", "x"].map { .url(URL(string: $0) ?? URL(fileURLWithPath: "/")) }),
    ]

    /// Texts of every awkward kind.
    package static let texts = [
        "", " ", "  two  ", "\n", "\r", "\r\n", "\t", "\0", "a\0b", "\u{1}", "\u{1F}", "\u{7F}", "\u{85}", "\u{2028}", "\u{FFFD}",
        "\u{FFFE}",
        "\u{FFFF}", "\u{10FFFF}", "😀", "e\u{301}", "é", "İı", "ß", "\\", "\\\\", "\\u", "\\u3c00", "\\\\u3c00", "\\u5c00u", "\\x\\", "<",
        ">",
        "&", "&lt;", "&#13;", "]]>", "<![CDATA[x]]>", "<!-- crc32c 00000000 -->", "</database>", "'\"; -- % _",
        String(repeating: "k", count: 512),
        String(repeating: "😀<\r", count: 50_000), String(repeating: "x", count: 1_000_000), "\u{FEFF}bom", "\u{D7FF}\u{E000}",
    ]
}
