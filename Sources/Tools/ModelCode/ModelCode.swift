public import StrataModelFiles

/// Swift classes for the entities of a model's file, as Xcode generates them.
///
/// ```swift
/// let code = try ModelCode(of: ModelFile(contentsOf: "Shop.xcdatamodeld"), named: "Shop")
/// for file in code.files { print(file.name) }
/// ```
/// An entity's code generation setting determines its code: a class, an extension of a hand-written one, or nothing.
/// One more declaration, `ShopModel` here, makes the model with these classes.
public struct ModelCode: Sendable {
    /// A file of Swift code.
    public struct File: Sendable, Hashable {
        /// The name with its extension.
        public let name: String
        /// The code.
        public let text: String
    }

    /// The generated parts in addition to the model file's settings.
    public struct Options: Sendable, Hashable {
        /// Whether entities have their classes generated whose code generation is manual.
        public var includesManualEntities = false
        /// Whether declarations are public; they are internal otherwise.
        public var isPublic = true

        /// Creates the default options: the model file's settings.
        public init() {}
    }

    /// A file for each entity that has generated code, by the name of its class, and one for the model.
    public let files: [File]
    /// All of it as one file.
    public let text: String
    /// The parts of the model's file that the code, or the model that it declares, lacks.
    public let warnings: [ModelFileWarning]

    /// Generates the code of a version of a model.
    ///
    /// - Parameters:
    ///   - file: The model's file; it has a source, not a compiled model.
    ///   - version: The name of the version, `nil` for the current one.
    ///   - name: The base of the name of the model's declaration.
    ///   - options: What is generated in addition to the file's settings.
    /// - Throws: `ModelFileError` with `noCode` for names invalid in Swift; for a missing or invalid version.
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
