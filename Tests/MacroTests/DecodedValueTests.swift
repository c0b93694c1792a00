#if Macros
    import Foundation
    import Strata
    import StrataInMemory
    import Testing

    /// An attribute of a `Codable` type could not be a property of a type that a snapshot or a row was decoded as.
    @Suite("Decodable types with properties of Codable types")
    struct DecodedValueTests {
        private struct Copy: Decodable, Equatable {
            var label: String
            var spot: Spot?
            var home: Spot
            var words: [String]
            var prices: [String: Double]?
            var size: Extent?
        }

        private struct Mistaken: Decodable {
            var spot: [String]?
        }

        @Test("A snapshot and a fetched row are decoded with them") func values() throws {
            let context = try PersistentContainer(for: Crate.self, stores: [StoreDescription(.inMemory)]).newContext()
            let crate = Crate("a")
            (crate.spot, crate.words, crate.prices) = (Spot(x: 1, y: 2), ["b", "c"], ["d": 1.5])
            crate.size = Extent(width: 3)
            context.insert(crate)
            try context.save()
            let copy = Copy(
                label: "a", spot: Spot(x: 1, y: 2), home: Spot(), words: ["b", "c"], prices: ["d": 1.5], size: Extent(width: 3))
            #expect(try crate.snapshot().decode(as: Copy.self) == copy)
            #expect(try context.fetch(ObjectFetchRequest<Crate>(), as: Copy.self) == [copy])
            #expect(throws: QueryError.self) { try crate.snapshot().decode(as: Mistaken.self) }
        }
    }
#endif
