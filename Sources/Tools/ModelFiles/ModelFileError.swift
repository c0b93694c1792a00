public import StrataModel

/// Why a model's file cannot be read, with the file, the element and the line where it shows.
public struct ModelFileError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of error.
    public enum Code: Sendable, Hashable {
        /// The file does not exist, or cannot be opened.
        case unreadable
        /// The file at the path is not a model: neither `.xcdatamodel`, `.xcdatamodeld`, `.mom` nor `.momd`.
        case notAModel
        /// A model's directory has no `contents`, a bundle no version.
        case missingContents
        /// The requested or current version is not in the bundle.
        case unknownVersion
        /// The bundle has several versions, and none is marked as current.
        case noCurrentVersion
        /// The file is larger, has more parts, or nests deeper than ``ModelFileLimits`` allow.
        case limitExceeded
        /// The XML is not well formed, or not in UTF-8.
        case malformedXML
        /// The XML has a document type or declares entities, which no model's file has.
        case documentType
        /// The document has a later version than is supported.
        case newerDocument
        /// An element lacks a required attribute.
        case missingAttribute
        /// A value has the wrong type.
        case invalidValue
        /// A property list, or the archive in it, is malformed.
        case malformedArchive
        /// An object in an archive has the wrong class.
        case unexpectedClass
        /// Compressed bytes are malformed, or truncated.
        case malformedCompression
        /// A mapping has an expression of an unsupported kind.
        case unsupportedExpression
        /// The declarations are inconsistent, or a mapping with its models; ``ModelFileError/reason`` has the details.
        case inconsistent
        /// An entity or a property cannot be written as Swift code.
        case noCode
    }

    /// The kind of error.
    public let code: Code
    /// The path of the file; `nil` where the bytes came from elsewhere.
    public var path: String?
    /// The element where it shows, as in `entity Person/attribute name`; `nil` where it is the whole file.
    public let element: String?
    /// The line, from 1; `nil` if there is none, or it is unknown.
    public let line: Int?
    /// The error of the model's own check, where that failed.
    public let reason: ModelError.Reason?
    /// The description in one sentence.
    public let message: String

    /// Creates an error in a model's file, with its line if known.
    public init(
        _ code: Code, path: String? = nil, element: String? = nil, line: Int? = nil, reason: ModelError.Reason? = nil, _ message: String
    ) {
        self.code = code
        self.path = path
        self.element = element
        self.line = line
        self.reason = reason
        self.message = message
    }

    /// Core Data's code of a model that cannot be used.
    public var cocoaCode: Int { 134060 }

    /// The path, the line and the message, as in `Shop.xcdatamodel/contents:12: entity Person/attribute age: …`.
    public var description: String {
        let location = [path, line.map(String.init)].compactMap(\.self).joined(separator: ":")
        return [location.isEmpty ? nil : location, element, message].compactMap(\.self).joined(separator: ": ")
    }

    /// Returns the error of a file at a path.
    public func at(_ path: String?) -> ModelFileError {
        var copy = self
        copy.path = copy.path ?? path
        return copy
    }
}
