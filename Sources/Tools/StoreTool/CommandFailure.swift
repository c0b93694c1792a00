public import Strata
import StrataFiles
import StrataModelFiles

/// The exit codes, those of `sysexits.h` but for 1 and those of signals.
public enum ExitStatus: Int32, Sendable, CaseIterable {
    case done = 0
    case difference = 1
    case usage = 64
    case data = 65
    case missing = 66
    case unavailable = 69
    case failed = 70
    case exists = 73
    case io = 74
    case locked = 75
    case denied = 77
    case interrupted = 130
    case brokenPipe = 141
    case terminated = 143

    /// What the code means.
    public var meaning: String {
        switch self {
        case .done: "done"
        case .difference: "a check found differences or problems, or rows were refused"
        case .usage: "wrong arguments"
        case .data: "a malformed query, model or file, or data that does not fit"
        case .missing: "no such store, object or file"
        case .unavailable: "a server that does not answer"
        case .failed: "another failure"
        case .exists: "what is to be created is there already, or cannot be"
        case .io: "a failed read or write, or a full disk"
        case .locked: "a store that another process has locked"
        case .denied: "a missing permission, or a store that can only be read"
        case .interrupted: "an interrupt, SIGINT; commands that write print what was done"
        case .terminated: "the same by SIGTERM"
        case .brokenPipe: "the program that reads the output has ended"
        }
    }
}

/// An error of a command: a text for a person, and the exit code.
public struct CommandFailure: Error {
    /// The exit code.
    public let status: ExitStatus
    /// The text for a person, in lines.
    public let message: String

    /// Creates a failure.
    public init(_ status: ExitStatus, _ message: String) {
        self.status = status
        self.message = message
    }

    /// Creates the failure of an error.
    public init(_ error: any Error) {
        switch error {
        case let failure as CommandFailure: self = failure
        case let error as StoreError: self.init(ExitStatus(error), "\(error)")
        case let error as FileError: self.init(.io, "\(error)")
        case let error as ModelFileError: self.init(.data, CommandFailure.text(error))
        case let error as QueryFormatError: self.init(.data, CommandFailure.text(error, in: error.format, at: error.position))
        case is QueryError, is ModelError, is MappingError, is SaveConflictError, is BatchInsertError:
            self.init(.data, "\(error)")
        default: self.init(.failed, "\(error)")
        }
    }

    /// Returns the message of an error in a text, with the line of the text and a mark under the position.
    static func text(_ error: QueryFormatError, in text: String, at position: Int) -> String {
        "expected \(error.expected), found \(error.found)\n\(marked(text, at: position))"
    }

    /// Returns the line of a text with a position, and a mark under the position.
    public static func marked(_ text: String, at position: Int) -> String {
        let before = text.prefix(position)
        let line = before.split(separator: "\n", omittingEmptySubsequences: false).count
        let column = before.reversed().prefix { !$0.isNewline }.count
        let shown = text.split(separator: "\n", omittingEmptySubsequences: false)[line - 1]
        return "\(shown)\n\(String(repeating: " ", count: column))^"
    }

    private static func text(_ error: ModelFileError) -> String {
        let location = [error.path, error.line.map(String.init)].compactMap(\.self).joined(separator: ":")
        return [location.isEmpty ? nil : location, error.element, error.message].compactMap(\.self).joined(separator: ": ")
    }
}

extension ExitStatus {
    /// Creates the exit code of a store's error.
    public init(_ error: StoreError) {
        switch error.code {
        case .missing, .notFound, .noStore: self = .missing
        case .denied, .readOnly: self = .denied
        case .locked: self = .locked
        case .exists: self = .exists
        case .io, .full: self = .io
        case .corrupt, .foreign, .wrongType, .incompatibleModel, .unsupportedVersion, .unknownEntity, .unknownKey, .wrongValue,
            .missingSourceModel, .missingMapping:
            self = .data
        default: self = .failed
        }
    }
}
