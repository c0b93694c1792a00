import FoundationEssentials
import StrataModel
import Testing

/// The forms in which SwiftData stores arrays and the `Codable` elements of structures.
@Suite("SwiftData's forms of values") struct SwiftDataTransformerTests {
    private func roundTrip<T: Codable & Sendable & Equatable>(_ value: T) throws -> Bool {
        let transformer = ValueTransformer.swiftData(T.self)
        let bytes = try #require(try transformer.data(from: value))
        return try transformer.value(from: bytes) as? T == value
    }

    @Test("Arrays of single values are keyed archives, and are read back") func archives() throws {
        #expect(try roundTrip(["a", "", "für 🜁", String(repeating: "x", count: 70_000)]))
        #expect(try roundTrip([Int.min, -1, 0, 255, 70_000, Int.max]))
        #expect(try roundTrip([0.5, -1e300]))
        #expect(try roundTrip([true, false]))
        #expect(try roundTrip([Date(timeIntervalSinceReferenceDate: 0.25)]))
        #expect(try roundTrip([UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))]))
        #expect(try roundTrip([try #require(URL(string: "https://example.org/a?b#c"))]))
        #expect(try roundTrip([String]()))
        let bytes = try #require(try ValueTransformer.swiftData([String].self).data(from: ["a"]))
        for name in ["NSKeyedArchiver", "NS.objects", "NSArray", "$objects"] { #expect(bytes.firstRange(of: Data(name.utf8)) != nil) }
    }

    @Test("Equal arrays have equal bytes") func stable() throws {
        let values = (0..<1000).map { "\($0 % 7)" }
        let transformer = ValueTransformer.swiftData([String].self)
        #expect(try transformer.data(from: values) == transformer.data(from: Array(values)))
    }

    /// Conditions compare bytes, so that lists which earlier versions stored have to have the same.
    @Test("The bytes of a list are those of earlier versions") func bytes() throws {
        func text<T: Codable & Sendable>(_ value: T) throws -> String? {
            try ValueTransformer.swiftData(T.self).data(from: value)?.base64EncodedString()
        }
        #expect(
            try text(["a", "für", "a"]) == """
                YnBsaXN0MDBZJGFyY2hpdmVyWCRvYmplY3RzVCR0b3BYJHZlcnNpb25fEA9OU0tleWVkQXJjaGl2ZXJVJG51bGxWJGNsYXNzWk5TLm9iamVjdHOA\
                AoADgASABaMJCgvSBgcIDFgkY2xhc3Nlc1okY2xhc3NuYW1lV05TQXJyYXlYTlNPYmplY3SiEBHSDg8SEFFhYwBmAPwAcqYFDRMUFRRUcm9vdIAB\
                0RcYEgABhqDUAAECAwQWGRoIEhsgKTtBSFNVV1lbX2RteICJjJGTmqGmqKuwAAAAAAAAAQEAAAAAAAAAHAAAAAAAAAAbAAAAAAAAALk=
                """)
        let link = try #require(URL(string: "x:y"))
        #expect(
            try text([link, link]) == """
                YnBsaXN0MDBZJGFyY2hpdmVyWCRvYmplY3RzVCR0b3BYJHZlcnNpb25fEA9OU0tleWVkQXJjaGl2ZXJVJG51bGxWJGNsYXNzWk5TLm9iamVjdHOA\
                AoAFgAeiCQrSBgcIC1gkY2xhc3Nlc1okY2xhc3NuYW1lV05TQXJyYXlYTlNPYmplY3SiDxDSDQ4RD1N4OnlVTlNVUkyiFBDSDQ4VFFdOUy5iYXNl\
                W05TLnJlbGF0aXZlgASAAIAD0wYXGBkaG4AG0wYXGBkaHagFDBITFhwTHlRyb290gAHRICESAAGGoNQAAQIDBB8iIwgSGyApO0FIU1VXWVxhanV9\
                homOkpiboKi0tri6wcPK09ja3eIAAAAAAAABAQAAAAAAAAAlAAAAAAAAACQAAAAAAAAA6w==
                """)
        #expect(
            try text([0.5, 1].map { Date(timeIntervalSinceReferenceDate: $0) }) == """
                YnBsaXN0MDBZJGFyY2hpdmVyWCRvYmplY3RzVCR0b3BYJHZlcnNpb25fEA9OU0tleWVkQXJjaGl2ZXJVJG51bGxWJGNsYXNzWk5TLm9iamVjdHOA\
                AoAEgAWiCQrSBgcIC1gkY2xhc3Nlc1okY2xhc3NuYW1lV05TQXJyYXlYTlNPYmplY3SiDxDSDQ4RD1ZOU0RhdGWiExDSDQ4UE1dOUy50aW1lgAMj\
                P+AAAAAAAADSBhYXGCM/8AAAAAAAANIGFhcapgUMEhUZG1Ryb290gAHRHR4SAAGGoNQAAQIDBBwfIAgSGyApO0FIU1VXWVxhanV9homOlZidpaew\
                tb7Dys/R1NkAAAAAAAABAQAAAAAAAAAiAAAAAAAAACEAAAAAAAAA4g==
                """)
    }

    @Test("Property lists of earlier versions are read, as arrays and as JSON") func earlier() throws {
        let list = try #require(try ValueTransformer.codable([String].self).data(from: ["a"]))
        #expect(try ValueTransformer.swiftData([String].self).value(from: list) as? [String] == ["a"])
        #expect(try ValueTransformer.json([String].self).value(from: list) as? [String] == ["a"])
        #expect(try ValueTransformer.json([String].self).data(from: ["a"]) == Data(#"["a"]"#.utf8))
    }

    @Test("Other types are property lists") func others() throws {
        enum Kind: String, Codable { case a }
        #expect(ValueTransformer.swiftData([Kind].self).name == ValueTransformer.codable([Kind].self).name)
        #expect(ValueTransformer.swiftData([Decimal].self).name == ValueTransformer.codable([Decimal].self).name)
        #expect(ValueTransformer.swiftData([String: Int].self).name == ValueTransformer.codable([String: Int].self).name)
    }

    @Test("An archive of other elements is an error") func otherElements() throws {
        let numbers = try #require(try ValueTransformer.swiftData([Int].self).data(from: [1]))
        #expect(throws: DecodingError.self) { try ValueTransformer.swiftData([String].self).value(from: numbers) }
    }

    @Test("Truncated and changed archives are errors or other arrays, and never trap") func damaged() throws {
        let transformer = ValueTransformer.swiftData([String].self)
        let bytes = try #require(try transformer.data(from: ["quick", "für zwei"]))
        for count in 0..<bytes.count { #expect(throws: (any Error).self) { try transformer.value(from: bytes.prefix(count)) } }
        for index in bytes.indices {
            for value: UInt8 in [0, 1, 0x0F, 0x7F, 0x80, 0xA2, 0xD2, 0xFF] {
                var changed = bytes
                changed[index] = value
                _ = try? transformer.value(from: changed)
            }
        }
    }
}
