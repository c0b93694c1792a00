public import StrataModel

/// A model as readable text: what each entity is, and each of its properties, in a line.
///
/// ```swift
/// print(ModelOutline(model))
/// ```
public struct ModelOutline: Sendable, CustomStringConvertible {
    /// The text, whose lines end with a newline but for the last one.
    public let description: String

    /// Creates the outline of a model.
    ///
    /// - Complexity: O(n) in the properties of all entities.
    public init(_ model: ManagedObjectModel) {
        let facts = ModelFacts(model)
        var lines: [String] = []
        for entity in facts.entities {
            lines.append(OneLine.text("entity \(entity.name)"))
            lines += entity.facts.map { "    " + OneLine.text($0) }
            for property in entity.properties {
                lines.append("    " + OneLine.text("\(property.kind) \(property.name): \(property.facts.joined(separator: ", "))"))
            }
            lines.append("")
        }
        lines += facts.others.map(OneLine.text)
        while lines.last == "" { lines.removeLast() }
        description = lines.joined(separator: "\n")
    }
}
