/// A place in a file: line and column as the compiler counts them, from 1 and in bytes.
public struct SourcePlace: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The path of the file.
    public let path: String
    /// The line, from 1.
    public let line: Int
    /// The column, from 1.
    public let column: Int

    /// A place.
    public init(path: String, line: Int, column: Int) {
        self.path = path
        self.line = line
        self.column = column
    }

    /// Whether one place is before the other, where files are in the order of their paths.
    public static func < (lhs: Self, rhs: Self) -> Bool { (lhs.path, lhs.line, lhs.column) < (rhs.path, rhs.line, rhs.column) }

    /// The place as compilers write it: `Person.swift:3:5`.
    public var description: String { "\(path):\(line):\(column)" }
}

/// Something to tell about a place in a source.
public struct SourceWarning: Sendable, Hashable, CustomStringConvertible {
    /// The place.
    public let place: SourcePlace
    /// What is wrong there, and what to do.
    public let message: String

    /// A warning about a place.
    public init(_ place: SourcePlace, _ message: String) {
        self.place = place
        self.message = message
    }

    /// The warning as compilers write it.
    public var description: String { "\(place): warning: \(message)" }
}
