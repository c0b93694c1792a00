/// Something in a source that does not compile without Objective-C, and its replacement.
public struct SourceRemark: Sendable, Hashable, CustomStringConvertible {
    /// The source location.
    public let location: SourceLocation
    /// The code that was found.
    public let subject: String
    /// The instruction how to replace it.
    public let remedy: String

    /// The remark as one line: `Person.swift:3:5: #selector: …`.
    public var description: String { "\(location): \(subject): \(remedy)" }
}

/// A source with what could be changed in it, and remarks on the rest.
public struct PortedSource: Sendable, Hashable {
    /// The file as it was.
    public let original: SourceFile
    /// The text as it is to be.
    public let text: String
    /// The code that has to be changed by hand.
    public let remarks: [SourceRemark]

    /// Whether the text is another one than it was.
    public var isChanged: Bool { text != original.text }
}
