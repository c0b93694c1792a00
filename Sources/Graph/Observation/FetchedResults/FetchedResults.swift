import StrataModel

/// Results in sections, with the index of each.
struct FetchedResults<Result: ManagedObject> {
    let objects: [Result]
    let sections: [FetchedResultsSection<Result>]
    private let paths: [ObjectIdentifier: ResultIndexPath]

    init() {
        objects = []
        sections = []
        paths = [:]
    }

    /// - Parameter name: The section name of each object; `nil` where all are in one section.
    /// - Throws: ``FetchedResultsError`` where objects of one section are not adjacent.
    init(_ objects: [Result], _ name: ((Result) throws -> String)?) throws {
        self.objects = objects
        guard let name else {
            sections = [FetchedResultsSection(name: "", objects: objects)]
            paths = FetchedResults.paths(sections)
            return
        }
        sections = try SectionKey.sections(of: objects, name) { name, _ in FetchedResultsError(sectionName: name) }
            .map { FetchedResultsSection(name: $0.name, objects: Array(objects[$0.range])) }
        paths = FetchedResults.paths(sections)
    }

    private static func paths(_ sections: [FetchedResultsSection<Result>]) -> [ObjectIdentifier: ResultIndexPath] {
        var paths: [ObjectIdentifier: ResultIndexPath] = [:]
        for (number, section) in sections.enumerated() {
            for (item, object) in section.objects.enumerated() {
                paths[ObjectIdentifier(object)] = ResultIndexPath(item: item, section: number)
            }
        }
        return paths
    }

    var ids: Dictionary<ObjectIdentifier, ResultIndexPath>.Keys { paths.keys }

    func contains(_ object: ObjectIdentifier) -> Bool { paths[object] != nil }

    func path(of object: ManagedObject) -> ResultIndexPath? { paths[ObjectIdentifier(object)] }
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

    public var description: String {
        "the results are not sorted by section: the objects of section \"\(sectionName)\" are not adjacent"
    }
}
