/// Why an archive index could not be read.
public enum ArchiveError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The stanza that holds this line (counted from 1) breaks the format.
    case malformed(line: Int, problem: Problem)
    /// The file cannot be opened or read.
    case unreadable(path: String, reason: String)
    /// The command that prints the index is not installed or cannot be started.
    case commandUnavailable(command: String, reason: String)
    /// The command that prints the index ended with this status.
    case commandFailed(command: String, status: Int32)

    /// What is wrong with a stanza.
    public enum Problem: Error, Equatable, Sendable {
        /// A line is neither `Name: value`, nor folded, nor empty.
        case notAField
        /// A folded line stands before any field.
        case foldedLineWithoutField
        /// The field appears twice in one stanza.
        case repeatedField(String)
        /// The stanza lacks this field.
        case missingField(String)
        /// The field's value is not what it must be: a number, a digest, a tag.
        case invalidValue(field: String)
        /// A dependency is not `name`, `name:arch` or `name (relation version)`.
        case invalidDependency(field: String)
        /// The field holds bytes that are not UTF-8.
        case notUTF8(field: String)
    }

    /// One line with what happened, and where.
    public var description: String {
        switch self {
        case .malformed(let line, let problem): "line \(line): \(problem)"
        case .unreadable(let path, let reason): "cannot read \(path): \(reason)"
        case .commandUnavailable(let command, let reason): "cannot run \(command): \(reason)"
        case .commandFailed(let command, let status): "\(command) failed with status \(status)"
        }
    }
}
