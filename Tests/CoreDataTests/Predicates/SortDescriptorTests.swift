import CoreData
import Testing

private struct Pet {
    var name: String
    var tag: String?
}

private final class Item: NSObject {
    let number: Int
    init(_ number: Int) { self.number = number }
}

struct SortDescriptorTests {
    private func sorted(_ array: [Any], _ descriptors: NSSortDescriptor...) -> [Any] {
        (array as NSArray).sortedArray(using: descriptors)
    }

    @Test("Rows are sorted by one key after the other, those without a value first") func keys() {
        let rows: [[String: Any]] = [["n": "b", "k": 1], ["n": "a", "k": 2], ["n": "a", "k": 1], ["k": 3]]
        let result = sorted(rows, NSSortDescriptor(key: "n", ascending: true), NSSortDescriptor(key: "k", ascending: false))
        #expect(result.map { ($0 as? [String: Any])?["k"] as? Int } == [3, 2, 1, 1])
    }

    @Test("Without a key the objects themselves are compared") func selves() {
        #expect(sorted([3, 1, 2], NSSortDescriptor(key: nil, ascending: false)) as? [Int] == [3, 2, 1])
        #expect(NSSet(array: [3, 1, 2]).sortedArray(using: [NSSortDescriptor(key: "self", ascending: true)]) as? [Int] == [1, 2, 3])
        #expect(NSOrderedSet(array: [3, 1]).sortedArray(using: [NSSortDescriptor(key: "self", ascending: true)]) as? [Int] == [1, 3])
        #expect(sorted(["bb", "a"], NSSortDescriptor(key: "length", ascending: true)) as? [String] == ["a", "bb"])
    }

    @Test("Foundation's comparing methods are named by selector") func selectors() {
        let caseless = NSSortDescriptor(key: "self", ascending: true, selector: Selector("caseInsensitiveCompare:"))
        #expect(sorted(["b", "A", "c"], caseless) as? [String] == ["A", "b", "c"])
        let finder = NSSortDescriptor(key: "self", ascending: true, selector: Selector(("localizedStandardCompare:")))
        #expect(sorted(["f10", "f9", "F1"], finder) as? [String] == ["F1", "f9", "f10"])
        #expect(finder.selector == NSSelectorFromString("localizedStandardCompare:"))
        #expect(NSSortDescriptor(key: "a", ascending: true).selector == Selector("compare:"))
    }

    @Test("A closure compares the values of a key") func comparators() {
        let byLength = NSSortDescriptor(key: "name", ascending: true) { first, second in
            ((first as? String)?.count ?? 0) < ((second as? String)?.count ?? 0) ? .orderedAscending : .orderedDescending
        }
        #expect(byLength.compare(["name": "a"], to: ["name": "bb"]) == .orderedAscending)
        #expect(byLength.compare(["name": "aaa"], to: ["name": "bb"]) == .orderedDescending)
        #expect(byLength.key == "name")
    }

    @Test("A key path sorts by values of any type") func keyPaths() {
        let (none, some) = (Pet(name: "a"), Pet(name: "b", tag: "x"))
        let byTag = NSSortDescriptor(keyPath: \Pet.tag, ascending: true)
        #expect(byTag.compare(none, to: some) == .orderedAscending)
        #expect(byTag.key == "tag")
        #expect(NSSortDescriptor(keyPath: \Pet.name, ascending: false).compare(none, to: some) == .orderedDescending)
        let descriptor = NSSortDescriptor(SortDescriptor(\Item.number, order: .reverse))
        #expect(descriptor.compare(Item(1), to: Item(2)) == .orderedDescending)
    }

    @Test("A reversed descriptor turns the order, and leaves the comparator") func reversing() throws {
        let descriptor = NSSortDescriptor(key: "n", ascending: true)
        let reversed = try #require(descriptor.reversedSortDescriptor as? NSSortDescriptor)
        #expect(!reversed.ascending)
        #expect(reversed.compare(["n": 1], to: ["n": 2]) == .orderedDescending)
        #expect(reversed.comparator(1, 2) == .orderedAscending)
        #expect(reversed.reversedSortDescriptor as? NSSortDescriptor == descriptor)
        #expect(reversed != descriptor)
    }
}
