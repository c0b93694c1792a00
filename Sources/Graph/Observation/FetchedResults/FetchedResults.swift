import StrataModel

/// Results in their sections, and where each of them is.
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
    /// - Throws: ``FetchedResultsError`` where objects of one section do not follow each other.
    init(_ objects: [Result], _ name: ((Result) throws -> String)?) throws {
        self.objects = objects
        guard let name else {
            sections = [FetchedResultsSection(name: "", objects: objects)]
            paths = FetchedResults.paths(sections)
            return
        }
        var groups: [(name: String, objects: [Result])] = []
        var seen: Set<SectionKey> = []
        for object in objects {
            let name = try name(object)
            if groups.last.map({ SectionKey($0.name) }) == SectionKey(name) {
                groups[groups.count - 1].objects.append(object)
            } else {
                guard seen.insert(SectionKey(name)).inserted else { throw FetchedResultsError(sectionName: name) }
                groups.append((name, [object]))
            }
        }
        sections = groups.map { FetchedResultsSection(name: $0.name, objects: $0.objects) }
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

/// The name of a section as what it is known by: names order by their bytes, and those that only look the same are others.
struct SectionKey: Hashable {
    private let bytes: [UInt8]

    init(_ name: String) { bytes = Array(name.utf8) }
}

/// The objects of a section do not follow each other: the order of the request is not by section first.
public struct FetchedResultsError: Error, Sendable, CustomStringConvertible {
    /// The name of the section.
    public let sectionName: String

    public var description: String {
        "the results are not sorted by section: objects of section \"\(sectionName)\" stand in several places"
    }
}
