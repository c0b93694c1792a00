import StrataModel
import StrataTestRandom
import Testing

@testable import StrataGraph

@Suite("Tables of registered objects")
struct IdentityTableTests {
    private let context: ManagedObjectContext

    init() throws { context = try Zoo.context() }

    /// References as rows, imports, several writers and hostile stores give them.
    enum Pattern: String, CaseIterable {
        case ascending, descending, shuffled, scattered, blocks, strides, temporary, atTheEnds

        func references(_ count: Int, using random: inout SeededGenerator) -> [Int64] {
            let ascending = (1...Int64(count)).map(\.self)
            return switch self {
            case .ascending: ascending
            case .descending: ascending.reversed()
            case .shuffled: ascending.shuffled(using: &random)
            case .scattered: Array(Set(ascending.map { _ in Int64.random(in: .min ... .max, using: &random) }))
            case .blocks: ascending.map { $0 % 16 << 32 + $0 / 16 }
            case .strides: ascending.map { $0 << 20 }
            case .temporary: ascending.map { .min + 3 * $0 }
            case .atTheEnds: ascending.map { $0 % 2 == 0 ? .max - $0 : .min + $0 }
            }
        }
    }

    @Test("They find what a dictionary finds, whatever comes and goes in whatever order", arguments: Pattern.allCases, [false, true])
    func oracle(_ pattern: Pattern, _ isReserved: Bool) {
        var random = SeededGenerator.printed("table of \(pattern) references, reserved: \(isReserved)")
        for count in [3, 40, 400] {
            let table = IdentityTable(.none)
            let objects = (0..<count).map { _ in context.person("x") }
            var expected: [Int64: ManagedObject] = [:]
            let references = pattern.references(count, using: &random)
            for round in 0..<3 {
                if isReserved { table.reserve(count) }
                for (reference, object) in zip(references, objects) where expected[reference] == nil {
                    table.insert(object, reference)
                    expected[reference] = object
                    // Some leave as others come.
                    guard Int.random(in: 0..<3, using: &random) == 0, let leaving = expected.randomElement(using: &random) else { continue }
                    table.remove(leaving.value, leaving.key)
                    expected[leaving.key] = nil
                }
                #expect(table.count == expected.count)
                for reference in references + [0, 1, .min, .max] { #expect(table[reference] === expected[reference]) }
                #expect(Set(table.all) == Set(expected.values))
                var walked: Set<ManagedObject> = []
                table.forEach { walked.insert($0).inserted }
                #expect(walked == Set(expected.values))
                // Another object does not take the place along.
                if let (reference, object) = expected.first, let other = objects.first(where: { $0 !== object }) {
                    table.remove(other, reference)
                    #expect(table[reference] === object)
                }
                if round == 1 {
                    for (reference, object) in expected { table.remove(object, reference) }
                } else {
                    table.removeAll()
                }
                expected = [:]
                #expect(table.count == 0)
                #expect(table.all.isEmpty)
            }
        }
    }

    @Test("Where few objects are left of many, others find their places", arguments: [1, -1])
    func window(_ direction: Int64) {
        let table = IdentityTable(.none)
        let objects = (0..<64).map { _ in context.person("x") }
        // Like temporary IDs, of which each save leaves the last ones.
        for reference in 0..<20_000 as Range<Int64> {
            table.insert(objects[Int(reference % 64)], reference * direction)
            if reference >= 63 { table.remove(objects[Int((reference + 1) % 64)], (reference - 63) * direction) }
        }
        #expect(table.count == 63)
        for reference in 19_937..<20_000 as Range<Int64> { #expect(table[reference * direction] === objects[Int(reference % 64)]) }
    }
}
