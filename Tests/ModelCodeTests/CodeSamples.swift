import StrataModelCode
import StrataModelFiles

/// Models as texts, and the code that is generated for them.
enum CodeSamples {
    /// A model of some entities and fetch requests.
    static func file(_ elements: String) throws -> ModelFile {
        let text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<model documentVersion=\"1.0\">\n\(elements)\n</model>"
        return ModelFile(document: try ModelDocument(parsing: text.utf8))
    }

    static func code(_ elements: String, options: ModelCode.Options = .init()) throws -> ModelCode {
        try ModelCode(of: try file(elements), named: "Shop", options: options)
    }

    /// The text of the file of a class.
    static func text(_ elements: String, file name: String) throws -> String? {
        try code(elements).files.first { $0.name == name }?.text
    }
}
