/// A source location: line and column as the compiler counts them, from 1 and in bytes.
public struct SourceLocation: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The path of the file.
    public let path: String
    /// The line, from 1.
    public let line: Int
    /// The column, from 1.
    public let column: Int

    /// Creates a source location.
    public init(path: String, line: Int, column: Int) {
        self.path = path
        self.line = line
        self.column = column
    }

    /// Returns whether one source location comes before the other; files are ordered by their paths.
    public static func < (lhs: Self, rhs: Self) -> Bool { (lhs.path, lhs.line, lhs.column) < (rhs.path, rhs.line, rhs.column) }

    /// The source location as compilers write it: `Person.swift:3:5`.
    public var description: String { "\(path):\(line):\(column)" }
}

/// A warning about a source location.
public struct SourceWarning: Sendable, Hashable, CustomStringConvertible {
    /// The source location.
    public let location: SourceLocation
    /// The error, and the correction.
    public let message: String

    /// Creates a warning about a source location.
    public init(_ location: SourceLocation, _ message: String) {
        self.location = location
        self.message = message
    }

    /// The warning as compilers write it.
    public var description: String { "\(location): warning: \(message)" }
}
