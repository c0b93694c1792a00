import Foundation
import StrataWorkload

/// Events through `PropertyListEncoder` and `PropertyListDecoder`, binary format: what the binary store is measured against.
final class EventsPropertyList: EventParticipant {
    static let name = "PropertyList"
    static let kind = ParticipantKind.raw
    static let grouping = ProcessGrouping.perStep
    static let steps: [EventStep] = [.save, .load]

    var kept: Any?
    private let url: URL

    init(directory: String) { url = URL(fileURLWithPath: directory + "/events.plist") }

    func save(_ events: [Event]) throws -> Answer {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        try DurableFile.replace(url.path, with: try encoder.encode(events))
        return Answer(count: events.count)
    }

    func load() throws -> Answer {
        let events = try PropertyListDecoder().decode([Event].self, from: try Data(contentsOf: url))
        var answer = Answer()
        for event in events { answer.add(event) }
        kept = events
        return answer
    }
}

/// Replaces a file as an atomic store must: new file, synced, renamed, directory synced.
enum DurableFile {
    static func replace(_ path: String, with data: Data) throws {
        let new = URL(fileURLWithPath: path + ".new")
        try data.write(to: new)
        try finish(path)
    }

    /// Syncs and renames a new file that has been written already.
    static func finish(_ path: String) throws {
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: path + ".new"))
        try handle.synchronize()
        try handle.close()
        guard rename(path + ".new", path) == 0 else {
            throw LibraryError(library: "libc", operation: "rename \(path)", message: String(cString: strerror(errno)))
        }
        let directory = open((path as NSString).deletingLastPathComponent, O_RDONLY)
        fsync(directory)
        Foundation.close(directory)
    }
}
