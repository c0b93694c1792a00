public import StrataModel

/// A model as a diagram in the language of Mermaid, which many viewers of Markdown draw.
public enum MermaidDrawing {
    /// Returns a `classDiagram`: entities with their attributes, inheritance, and relationships with both their names.
    ///
    /// - Complexity: O(n) in the properties of all entities.
    public static func classDiagram(_ model: ManagedObjectModel) -> String {
        var lines = ["classDiagram"]
        for entity in model.entities {
            let id = id(entity)
            lines.append("    class \(id)[\"\(label(entity.name))\"]")
            if entity.isAbstract { lines.append("    <<abstract>> \(id)") }
            for attribute in entity.ownAttributes { lines.append("    \(id) : \(word(attribute.shortType)) \(word(attribute.name))") }
        }
        for entity in model.entities {
            if let parent = entity.superentity { lines.append("    \(id(model.entities[parent])) <|-- \(id(entity))") }
        }
        for line in RelationshipLine.all(of: model) {
            let (from, to) = (id(model.entities[line.source.entity]), id(model.entities[line.destination.entity]))
            let (near, far) = (line.nearCount.marks.text, line.farCount.marks.text)
            let arrow = line.destination.name == nil ? "-->" : "--"
            lines.append("    \(from) \"\(near)\" \(arrow) \"\(far)\" \(to) : \(label(line.names))")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Returns an `erDiagram`: entities with attributes, relationships with crow's feet, and inheritance as lines.
    ///
    /// - Complexity: O(n) in the properties of all entities.
    public static func entityRelationshipDiagram(_ model: ManagedObjectModel) -> String {
        var lines = ["erDiagram"]
        for entity in model.entities {
            lines.append("    \(id(entity))[\"\(label(entity.name))\"] {")
            for attribute in entity.ownAttributes {
                lines.append("        \(word("\(attribute.type)")) \(word(attribute.name))\(attribute.isOptional ? " \"optional\"" : "")")
            }
            lines.append("    }")
        }
        for entity in model.entities {
            if let parent = entity.superentity { lines.append("    \(id(model.entities[parent])) ||..o| \(id(entity)) : \"is\"") }
        }
        for line in RelationshipLine.all(of: model) {
            let (from, to) = (id(model.entities[line.source.entity]), id(model.entities[line.destination.entity]))
            lines.append("    \(from) \(line.nearCount.marks.left)--\(line.farCount.marks.right) \(to) : \"\(label(line.names))\"")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    // MARK: - Texts

    /// Returns a name that is no keyword of Mermaid's.
    private static func id(_ entity: EntityDescription) -> String { "E\(entity.index.rawValue)" }

    /// Returns text between quotes.
    private static func label(_ text: String) -> String {
        var label = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "#", "&", "<", ">", ";", ":", "`", "{", "}", "[", "]", "~", "\\": label += "#\(scalar.value);"
            // It joins the parts of one character.
            case "\u{200D}": label.unicodeScalars.append(scalar)
            default:
                switch scalar.properties.generalCategory {
                case .control, .format, .lineSeparator, .paragraphSeparator: label += " "
                default: label.unicodeScalars.append(scalar)
                }
            }
        }
        return label
    }

    /// Returns a word outside of quotes: other characters than letters, digits and question marks become underscores.
    private static func word(_ text: String) -> String {
        let word = String(text.map { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "?" ? $0 : "_" })
        return word.first?.isNumber == true ? "_" + word : word
    }
}

extension RelationshipLine.Count {
    /// The text in a class diagram, and the feet on the left and on the right in an entity-relationship diagram.
    fileprivate var marks: (text: String, left: String, right: String) {
        switch self {
        case .any: ("*", "}o", "o{")
        case .one: ("1", "||", "||")
        case .oneAtMost: ("0..1", "|o", "o|")
        case .unknown: (" ", "}o", "o{")
        }
    }
}
