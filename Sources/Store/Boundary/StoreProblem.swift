/// A defect in the content of a store.
public struct StoreProblem: Error, Sendable, Hashable {
    /// The kinds of problem; more may be added, so end a `switch` over them with a `default`.
    public struct Kind: Sendable, Hashable, CustomStringConvertible {
        public let description: String

        private init(_ name: String) { description = name }

        /// The file itself: its structure, a checksum, or an index inconsistent with the rows.
        public static let file = Kind("file")
        /// A row, or one value of it, that cannot be read.
        public static let value = Kind("value")
        /// A to-one relationship that references a missing object, one of another entity, or one that does not
        /// reference it back.
        public static let reference = Kind("reference")
        /// A link of a many-to-many relationship to no object, or to one of another entity.
        public static let link = Kind("link")
    }

    /// The kind of problem.
    public let kind: Kind
    /// The description in one sentence.
    public let message: String
    /// The entity of the object, where it is about one.
    public let entity: String?
    /// The reference of the object, where it is about one.
    public let reference: Int64?
    /// The property, where it is about one.
    public let key: String?

    /// Creates a problem of a store, or of one object in it.
    public init(_ kind: Kind, _ message: String, entity: String? = nil, reference: Int64? = nil, key: String? = nil) {
        self.kind = kind
        self.message = message
        self.entity = entity
        self.reference = reference
        self.key = key
    }
}

extension StoreProblem: CustomStringConvertible {
    public var description: String {
        let object = entity.map { entity in reference.map { "\(entity)/p\($0)" } ?? entity }
        let subject = [object, key].compactMap { $0 }.joined(separator: ".")
        return subject.isEmpty ? "\(kind): \(message)" : "\(kind) \(subject): \(message)"
    }
}

extension StoreProblem {
    /// Creates the problem of an error about a file's content; fails for errors of accessing it.
    public init?(_ error: StoreError) {
        guard error.code == .corrupt else { return nil }
        self.init(.file, error.message, entity: error.entity, reference: error.reference, key: error.key)
    }

    /// Runs `body`, which looks for problems, and adds the damage that stops it.
    ///
    /// - Throws: Any other error that stops it.
    public static func collect(_ body: () throws -> [StoreProblem]) throws -> [StoreProblem] {
        do { return try body() } catch let error as StoreError {
            guard let problem = StoreProblem(error) else { throw error }
            return [problem]
        }
    }
}
