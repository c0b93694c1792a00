import StrataCoreDataCode
import StrataModelFiles

/// Sources and models as texts, and what is generated for them.
enum Samples {
    /// The code for a module `app` of one file.
    static func code(
        _ text: String, models: [CoreDataModel] = [], dependencies: [(String, String)] = []
    ) throws -> CoreDataCode {
        try CoreDataCode(
            of: module("app", text), dependencies: dependencies.map { module($0.0, $0.1) }, models: models)
    }

    static func module(_ name: String, _ text: String) -> SourceModule {
        SourceModule(name: name, files: [SourceFile(path: "\(name).swift", text: text)])
    }

    /// The symbols that the code for a module of one file has functions of, in their order.
    static func symbols(_ text: String, dependencies: [(String, String)] = []) throws -> [String] {
        try code(text, dependencies: dependencies).symbols
    }

    /// The symbol of the getter of a property of this type, in a class `Person`, without what all have.
    static func mangled(_ type: String, _ more: String = "") throws -> String? {
        let text = "import CoreData\nclass Person: NSManagedObject { @NSManaged var a: \(type) }\n\(more)"
        guard let symbol = try symbols(text).first, symbol.hasPrefix("$s3app6PersonC1a"), symbol.hasSuffix("vg") else { return nil }
        return String(symbol.dropFirst("$s3app6PersonC1a".count).dropLast(2))
    }

    static func model(_ elements: String) throws -> CoreDataModel {
        let text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<model documentVersion=\"1.0\">\n\(elements)\n</model>"
        return try CoreDataModel(ModelFile(document: ModelDocument(parsing: text.utf8)), named: "Shop")
    }
}

extension CoreDataCode {
    /// The symbols that the code has functions of, in their order.
    var symbols: [String] {
        text.split(separator: "\n").compactMap { line in
            let parts = line.split(separator: "\"")
            return parts.count > 1 && parts[0].hasSuffix("@_silgen_name(") ? String(parts[1]) : nil
        }
    }

    /// The lines of the code without those of symbols, imports and constants.
    var messages: [String] { warnings.map(\.description) }
}
