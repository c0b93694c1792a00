import FoundationEssentials
import StrataModel
import StrataQuery
import StrataTestRandom
import StrataText
import Testing

@Suite("Sorting rows")
struct SortingTests {
    private let office: Office

    init() throws { office = try Office() }

    @Test("Without a key, and where keys are equal, rows follow by reference, downward too")
    func ties() throws {
        for reference: Int64 in [3, 1, 2] { try office.add(reference, ["name": "same"]) }
        #expect(try office.sorted() == [1, 2, 3])
        #expect(try office.sorted(QuerySort("name")) == [1, 2, 3])
        #expect(try office.sorted(QuerySort("name", ascending: false)) == [1, 2, 3])
    }

    @Test("Temporary references follow all others, in the order in which they were made")
    func temporary() throws {
        for reference: Int64 in [.min + 2, 5, .min + 1] { try office.add(reference) }
        #expect(try office.sorted() == [5, .min + 1, .min + 2])
        #expect(try office.sorted(QuerySort("SELF")) == [5, .min + 1, .min + 2])
        try office.add(6, ["boss": .int(.min + 1)])
        try office.add(7, ["boss": 5])
        #expect(try office.sorted(QuerySort("boss")).suffix(2) == [7, 6])
    }

    @Test("No value comes before every value, and last in a downward order")
    func nothing() throws {
        try office.add(1, ["age": 5])
        try office.add(2)
        try office.add(3, ["age": -5])
        #expect(try office.sorted(QuerySort("age")) == [2, 3, 1])
        #expect(try office.sorted(QuerySort("age", ascending: false)) == [1, 3, 2])
    }

    @Test("A NaN follows all numbers")
    func notANumber() throws {
        try office.add(1, ["height": .double(.nan)])
        try office.add(2, ["height": .double(.infinity)])
        try office.add(3, ["height": .double(-.infinity)])
        try office.add(4, ["height": .double(.nan)])
        #expect(try office.sorted(QuerySort("height")) == [3, 2, 1, 4])
    }

    @Test("Text sorts by bytes, or folded where asked to")
    func text() throws {
        for (index, name) in ["b", "A", "a", "\u{E9}", "e", "Z"].enumerated() { try office.add(Int64(index + 1), ["name": .string(name)]) }
        #expect(try office.sorted(QuerySort("name")) == [2, 6, 3, 1, 5, 4])
        #expect(try office.sorted(QuerySort("name", [.caseInsensitive, .diacriticInsensitive])) == [2, 3, 1, 4, 5, 6])
    }

    @Test("Decimals sort by magnitude, not by their text")
    func decimals() throws {
        try office.add(1, ["salary": .decimal(10)])
        try office.add(2, ["salary": .decimal(9)])
        try office.add(3, ["salary": .decimal(-1)])
        #expect(try office.sorted(QuerySort("salary")) == [3, 2, 1])
    }

    @Test("The second key decides among equals of the first, and a path sorts by its destination")
    func several() throws {
        try office.add(1, of: "Company", ["name": "Zeta"])
        try office.add(2, of: "Company", ["name": "Acme"])
        try office.add(1, ["company": 1, "age": 3])
        try office.add(2, ["company": 2, "age": 1])
        try office.add(3, ["company": 2, "age": 2])
        try office.add(4, ["age": 9])
        #expect(try office.sorted(QuerySort("company.name"), QuerySort("age", ascending: false)) == [4, 3, 2, 1])
    }

    @Test("The order of rows is that of their values, for random rows and every kind of attribute")
    func orderLaw() throws {
        var random = SeededGenerator(seed: 5)
        let person = try office.person
        for reference in 1...60 { try office.add(Int64(reference), RandomPeople.values(&random)) }
        for attribute in person.attributes where attribute.slot != nil {
            let slot = try #require(attribute.slot)
            let values = try office.sorted(QuerySort(attribute.name)).map { reference in
                try #require(try office.row(root: person.root, reference: reference)).value(slot, attribute.slotKind)
            }
            for (a, b) in zip(values, values.dropFirst()) { #expect(a.sortOrder(b) != .greater, "\(attribute.name): \(a), \(b)") }
        }
    }
}
