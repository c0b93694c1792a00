/// A model's source as Xcode wrote it: all elements and attributes, also unknown ones.
///
/// ```swift
/// var document = try ModelDocument(contentsOf: "Shop.xcdatamodel/contents")
/// document.root["userDefinedModelVersionIdentifier"] = "2"
/// let text = document.xml
/// ```
/// ``xml`` writes it in Xcode's own layout. Comments, and white space between elements, are not kept.
public struct ModelDocument: Sendable, Hashable {
    /// The element `model`.
    public var root: Element
    /// Whether the text ends with the end of a line.
    public var endsWithNewline: Bool

    /// Creates a document with an element in it.
    public init(root: Element, endsWithNewline: Bool = false) {
        self.root = root
        self.endsWithNewline = endsWithNewline
    }

    /// An attribute of an element.
    public struct Attribute: Sendable, Hashable {
        /// The name.
        public var name: String
        /// The value, without the escapes that XML needs.
        public var value: String

        /// Creates an attribute with a value.
        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// An element: its name, its attributes and its children, in their order.
    public struct Element: Sendable {
        /// The name.
        public var name: String
        /// The attributes.
        public var attributes: [Attribute]
        /// The elements within.
        public var children: [Element]
        /// The text within, without the white space around it; Xcode writes none.
        public var text: String
        /// The line where the element begins, from 1, which is not compared; `nil` where it was not read from a text.
        public var line: Int?

        /// Creates an element.
        public init(_ name: String, attributes: [Attribute] = [], children: [Element] = [], text: String = "", line: Int? = nil) {
            self.name = name
            self.attributes = attributes
            self.children = children
            self.text = text
            self.line = line
        }

        /// The value of an attribute, `nil` where the element does not have it; a new one is added behind the others.
        public subscript(name: String) -> String? {
            get { attributes.first { $0.name == name }?.value }
            set {
                let index = attributes.firstIndex { $0.name == name }
                switch (index, newValue) {
                case (let index?, let value?): attributes[index].value = value
                case (let index?, nil): attributes.remove(at: index)
                case (nil, let value?): attributes.append(Attribute(name, value))
                case (nil, nil): break
                }
            }
        }

        /// Returns the children of a name.
        public func children(named name: String) -> [Element] { children.filter { $0.name == name } }
    }
}

extension ModelDocument.Element: Hashable {
    /// Returns whether name, attributes, children and text are equal, in their order.
    public static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.name == rhs.name && lhs.attributes == rhs.attributes && lhs.text == rhs.text && lhs.children == rhs.children
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(attributes)
        hasher.combine(text)
        hasher.combine(children)
    }
}

extension ModelDocument {
    /// Parses the document of a text.
    ///
    /// - Throws: ``ModelFileError`` if it is no well-formed XML in UTF-8, has a document type, or exceeds the limits.
    public init(parsing text: some Collection<UInt8>, limits: ModelFileLimits = ModelFileLimits()) throws(ModelFileError) {
        guard text.count <= limits.bytes else {
            throw ModelFileError(.limitExceeded, "the file has \(text.count) bytes; \(limits.bytes) are allowed")
        }
        let bytes = Array(text)
        var reader = try DocumentReader(bytes, limits: limits)
        self.init(root: try reader.document(), endsWithNewline: bytes.last == UInt8(ascii: "\n"))
    }

    /// Creates the document in a file.
    ///
    /// - Throws: ``ModelFileError`` as ``init(parsing:limits:)``, and where the file cannot be read.
    public init(contentsOf path: String, limits: ModelFileLimits = ModelFileLimits()) throws(ModelFileError) {
        do throws(ModelFileError) {
            try self.init(parsing: try FileReader.bytes(of: path, limit: limits.bytes), limits: limits)
        } catch {
            throw error.at(path)
        }
    }
}
