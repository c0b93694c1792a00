import Dispatch
import Foundation

/// A directory of this run's own, removed at its end, also when it is interrupted.
final class WorkDirectory {
    let url: URL
    private var signals: [any DispatchSourceSignal] = []

    /// Makes it inside `parent`, or among the temporary files.
    init(in parent: String?) throws {
        let base = parent.map { URL(fileURLWithPath: $0) } ?? FileManager.default.temporaryDirectory
        let url = base.appendingPathComponent("strata-bench-\(UUID().uuidString.prefix(8))")
        do {
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        } catch {
            throw WorkDirectoryError(path: url.path, reason: error.localizedDescription)
        }
        self.url = url
    }

    /// A new directory in this one.
    func made(_ name: String) throws -> URL {
        let own = url.appendingPathComponent(name)
        try FileManager.default.createDirectory(at: own, withIntermediateDirectories: true)
        return own
    }

    /// A copy of a directory in this one, which is on the disk: what is measured on it does not write it there.
    func copied(_ original: URL, to name: String) throws -> URL {
        let own = url.appendingPathComponent(name)
        try Self.copy(original, to: own)
        return own
    }

    /// Copies a directory and waits until the copy is on the disk.
    static func copy(_ original: URL, to copy: URL) throws {
        try FileManager.default.copyItem(at: original, to: copy)
        for path in try FileManager.default.subpathsOfDirectory(atPath: copy.path) {
            let file = try FileHandle(forReadingFrom: copy.appendingPathComponent(path))
            try file.synchronize()
            try file.close()
        }
    }

    /// Removes the directory and ends the process with the shell's status when a signal asks it to end.
    func removeWhenInterrupted() {
        for number in [SIGINT, SIGTERM, SIGHUP] {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { [url] in
                try? FileManager.default.removeItem(at: url)
                exit(128 + number)
            }
            source.resume()
            signals.append(source)
        }
    }

    func remove() { try? FileManager.default.removeItem(at: url) }
}

/// The directory for the stores under measurement cannot be made.
struct WorkDirectoryError: Error, CustomStringConvertible {
    var path: String
    var reason: String

    var description: String { "cannot make the working directory \(path): \(reason)" }
}
