/// Something in a model's or mapping model's file that the model made from it does not hold, or holds otherwise.
public struct ModelFileWarning: Sendable, Hashable, CustomStringConvertible {
    /// The kinds of warning.
    public enum Kind: Sendable, Hashable {
        /// An unknown element; it stays in the document.
        case unknownElement
        /// An unknown attribute of an element; it stays in the document.
        case unknownAttribute
        /// A feature of Core Data that the model lacks; it stays in the document.
        case unsupported
        /// A part of a declaration that Core Data accepts with a warning, and that the model leaves out.
        case leftOut
        /// A part of a declaration that Core Data accepts with a warning, and that the model keeps, or has as Xcode
        /// compiles it.
        case questionable
    }

    /// The kind of warning.
    public let kind: Kind
    /// The name of the version; `nil` where the file has but one without a name.
    public internal(set) var version: String?
    /// The element, as in `entity Person/attribute name`.
    public let element: String
    /// The line, from 1; `nil` if there is none.
    public let line: Int?
    /// The content that was found, and its treatment.
    public let message: String

    /// Creates a warning.
    public init(kind: Kind, version: String?, element: String, line: Int?, message: String) {
        self.kind = kind
        self.version = version
        self.element = element
        self.line = line
        self.message = message
    }

    /// The version, the line and the message.
    public var description: String {
        let location = [version, line.map(String.init)].compactMap(\.self).joined(separator: ":")
        return [location.isEmpty ? nil : location, element, message].compactMap(\.self).joined(separator: ": ")
    }
}
