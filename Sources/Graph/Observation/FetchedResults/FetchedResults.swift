/// Results in sections, with the index of each.
struct FetchedResults<Result: ManagedObject> {
    struct Section {
        let name: String
        let key: SectionKey
        var count: Int
    }

    /// The arrays that applications see, made on demand.
    private final class Arrays {
        var objects: [Result]?
        var sections: [FetchedResultsSection<Result>]?
    }

    private var order = ChunkedOrder<Result>([])
    private(set) var ranges: [Section] = []
    private var arrays = Arrays()

    init() {}

    /// - Parameter name: The section name of each object; `nil` where all are in one section.
    /// - Throws: ``FetchedResultsError`` where objects of one section are not adjacent.
    init(_ objects: [Result], _ name: ((Result) throws -> String)?) throws {
        if let name {
            ranges = try SectionKey.sections(of: objects, name) { name, _ in FetchedResultsError(sectionName: name) }
                .map { Section(name: $0.name, key: SectionKey($0.name), count: $0.range.count) }
        } else {
            ranges = [Section(name: "", key: SectionKey(""), count: objects.count)]
        }
        order = ChunkedOrder(objects)
        arrays.objects = objects
    }

    var count: Int { order.count }

    var objects: [Result] {
        if let known = arrays.objects { return known }
        let objects = order.members
        arrays.objects = objects
        return objects
    }

    var sections: [FetchedResultsSection<Result>] {
        if let known = arrays.sections { return known }
        let objects = objects
        var start = 0
        let sections = ranges.map { range in
            defer { start += range.count }
            return FetchedResultsSection(name: range.name, objects: Array(objects[start..<start + range.count]))
        }
        arrays.sections = sections
        return sections
    }

    /// The index paths of all results.
    ///
    /// - Complexity: O(n).
    var paths: [ObjectIdentifier: ResultIndexPath] {
        var paths: [ObjectIdentifier: ResultIndexPath] = [:]
        paths.reserveCapacity(count)
        var (section, item) = (0, 0)
        for object in objects {
            while item == ranges[section].count { (section, item) = (section + 1, 0) }
            paths[ObjectIdentifier(object)] = ResultIndexPath(item: item, section: section)
            item += 1
        }
        return paths
    }

    func contains(_ object: ObjectIdentifier) -> Bool { order.contains(object) }

    func index(of object: ManagedObject) -> Int? { order.index(of: ObjectIdentifier(object)) }

    func path(of object: ManagedObject) -> ResultIndexPath? { index(of: object).map(path) }

    func path(ofIndex index: Int) -> ResultIndexPath {
        var (section, item) = (0, index)
        while section < ranges.count - 1, item >= ranges[section].count {
            item -= ranges[section].count
            section += 1
        }
        return ResultIndexPath(item: item, section: section)
    }

    subscript(index: Int) -> Result { order[index] }

    func object(at path: ResultIndexPath) -> Result? {
        guard ranges.indices.contains(path.section), (0..<ranges[path.section].count).contains(path.item) else { return nil }
        return order[ranges[..<path.section].reduce(path.item) { $0 + $1.count }]
    }

    // MARK: - Single steps

    /// Removes a result; its section stays, if empty.
    mutating func remove(_ object: Result) {
        guard let path = path(of: object) else { return }
        order.remove(object.orderKey)
        ranges[path.section].count -= 1
        arrays = Arrays()
    }

    /// Inserts a result at an index, in the section of a neighbour or in a new one between sections; returns false where
    /// the results are not sorted by section then.
    mutating func insert(_ object: Result, at index: Int, section name: String?) -> Bool {
        guard let section = section(of: name, at: index) else { return false }
        order.insert(object, at: index)
        ranges[section].count += 1
        arrays = Arrays()
        if order.isOutgrown { order = ChunkedOrder(order.members) }
        return true
    }

    private mutating func section(of name: String?, at index: Int) -> Int? {
        guard let name else { return 0 }
        let key = SectionKey(name)
        for (section, range) in ranges.enumerated() where range.key == key && range.count > 0 {
            let start = ranges[..<section].reduce(0) { $0 + $1.count }
            return (start...start + range.count).contains(index) ? section : nil
        }
        // A new section, or one whose objects are moved, comes between others.
        ranges.removeAll { $0.key == key }
        var start = 0
        for section in ranges.indices {
            if start == index {
                ranges.insert(Section(name: name, key: key, count: 0), at: section)
                return section
            }
            start += ranges[section].count
        }
        guard start == index else { return nil }
        ranges.append(Section(name: name, key: key, count: 0))
        return ranges.count - 1
    }

    mutating func takeBack(_ inserted: [Result], _ removed: [(object: Result, index: Int)], _ ranges: [Section]) {
        for object in inserted { order.remove(object.orderKey) }
        for (object, index) in removed { order.insert(object, at: index) }
        (self.ranges, arrays) = (ranges, Arrays())
    }

    /// Removes sections without results, which only requests with section names have.
    mutating func removeEmptySections() {
        ranges.removeAll { $0.count == 0 }
        arrays = Arrays()
    }
}

/// The identity of a section name: names order by their bytes, and Unicode-equivalent ones differ.
package struct SectionKey: Hashable {
    private let bytes: [UInt8]

    init(_ name: String) { bytes = Array(name.utf8) }

    /// Divides results into sections: runs of results with one name; throws the error `outOfOrder` returns for a name
    /// and the index of a result that is separated from its section.
    package static func sections<Element>(
        of results: [Element], _ name: (Element) throws -> String, outOfOrder: (String, Int) -> any Error
    ) throws -> [(name: String, range: Range<Int>)] {
        var sections: [(name: String, range: Range<Int>)] = []
        var (last, seen): (SectionKey?, Set<SectionKey>) = (nil, [])
        for (index, result) in results.enumerated() {
            let name = try name(result)
            let key = SectionKey(name)
            if key == last {
                sections[sections.count - 1].range = sections[sections.count - 1].range.lowerBound..<index + 1
            } else {
                guard seen.insert(key).inserted else { throw outOfOrder(name, index) }
                sections.append((name, index..<index + 1))
                last = key
            }
        }
        return sections
    }
}

/// The objects of a section are not adjacent: the order of the request is not by section first.
public struct FetchedResultsError: Error, Sendable, CustomStringConvertible {
    /// The name of the section.
    public let sectionName: String

    public var description: String { "the results are not sorted by section: the objects of section \"\(sectionName)\" are not adjacent" }
}
