public import StrataModelFiles

/// Swift classes for the entities of a model's file, as Xcode generates them.
///
/// ```swift
/// let code = try ModelCode(of: ModelFile(contentsOf: "Shop.xcdatamodeld"), named: "Shop")
/// for file in code.files { print(file.name) }
/// ```
/// What is made of an entity its code generation says: a class, an extension of one that is written by hand, or nothing. Beside the classes there is
/// one more declaration, `ShopModel` here, that makes the model with these classes.
public struct ModelCode: Sendable {
    /// A file of Swift code.
    public struct File: Sendable, Hashable {
        /// The name with its extension.
        public let name: String
        /// The code.
        public let text: String
    }

    /// What is generated beyond what the model's file asks for.
    public struct Options: Sendable, Hashable {
        /// Whether entities have their classes generated whose code generation is manual.
        public var includesManualEntities = false
        /// Whether declarations are public; they are internal otherwise.
        public var isPublic = true

        /// What the model's file asks for.
        public init() {}
    }

    /// A file for each entity that has generated code, by the name of its class, and one for the model.
    public let files: [File]
    /// All of it as one file.
    public let text: String
    /// What the code lacks, or the model that it makes.
    public let warnings: [ModelFileWarning]

    /// The code of a version of a model.
    ///
    /// - Parameters:
    ///   - file: The model's file; it has a source, not a compiled model.
    ///   - version: The name of the version, `nil` for the current one.
    ///   - name: The name that the declaration of the model is made of.
    ///   - options: What is generated beyond what the file asks for.
    /// - Throws: `ModelFileError` with `noCode` where an entity or a property cannot be written as Swift; where there is no such
    ///   version, or its declarations contradict each other.
    public init(
        of file: ModelFile, version: String? = nil, named name: String, options: Options = Options()
    ) throws(ModelFileError) {
        let chosen = try file.version(named: version)
        do throws(ModelFileError) {
            var generator = try ModelGenerator(file, chosen, name: name, options: options)
            try generator.generate()
            files = generator.files
            text = generator.wholeText
            warnings = chosen.warnings + generator.warnings
        } catch {
            throw error.at(chosen.path)
        }
    }
}
