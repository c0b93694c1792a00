import StrataModel

/// The box of an entity in a diagram: its rows and their sizes.
struct DiagramBox {
    struct Row {
        let name: String
        let type: String
        let isRelationship: Bool
    }

    static let rowHeight = 17.0
    static let headerHeight = 26.0
    private static let mostCharacters = 48

    let entity: EntityIndex
    let title: String
    let note: String?
    let rows: [Row]
    let width: Double
    var x = 0.0
    var y = 0.0

    /// The height of the title with the note below it.
    var header: Double { DiagramBox.headerHeight + (note == nil ? 0 : 14) }
    var height: Double { header + (rows.isEmpty ? 0 : Double(rows.count) * DiagramBox.rowHeight + 6) }
    var centre: Double { y + height / 2 }

    init(_ entity: EntityDescription, _ model: ManagedObjectModel) {
        self.entity = entity.index
        title = DiagramBox.shortened(entity.name)
        let parent = entity.superentity.map { "of \(model.entities[$0].name)" }
        let notes = [entity.isAbstract ? "abstract" : nil, parent].compactMap(\.self)
        note = notes.isEmpty ? nil : DiagramBox.shortened(notes.joined(separator: ", "))
        let attributes = entity.ownAttributes.map {
            Row(name: DiagramBox.shortened($0.name), type: $0.shortType, isRelationship: false)
        }
        let relationships = entity.ownRelationships.map { relationship in
            let destination = DiagramBox.shortened(model.destination(of: relationship).name)
            let type = relationship.isOrdered ? "[\(destination)]" : relationship.isToMany ? "{\(destination)}" : destination
            return Row(
                name: DiagramBox.shortened(relationship.name), type: type + (!relationship.isToMany && relationship.isOptional ? "?" : ""),
                isRelationship: true)
        }
        rows = attributes + relationships
        let widths =
            rows.map { TextWidth.of($0.name, size: 12) + TextWidth.of($0.type, size: 11) + 24 }
            + [TextWidth.of(title, size: 14) * 1.2, note.map { TextWidth.of($0, size: 11) } ?? 0]
        width = max(90, (widths.max() ?? 0) + 20)
    }

    /// Returns the height at which a line meets the box: the row of a relationship, or the title.
    func level(of relationship: String?) -> Double {
        guard let name = relationship.map(DiagramBox.shortened),
            let row = rows.firstIndex(where: { $0.isRelationship && $0.name == name })
        else { return y + DiagramBox.headerHeight / 2 }
        return rowLevel(row)
    }

    /// Returns the middle of a row.
    func rowLevel(_ row: Int) -> Double { y + header + 3 + (Double(row) + 0.5) * DiagramBox.rowHeight }

    private static func shortened(_ text: String) -> String {
        text.count <= mostCharacters ? text : text.prefix(mostCharacters - 1) + "\u{2026}"
    }
}

/// The approximate width of a text: the font is the reader's.
enum TextWidth {
    static func of(_ text: String, size: Double) -> Double { text.unicodeScalars.reduce(0) { $0 + factor($1) } * size }

    private static func factor(_ scalar: Unicode.Scalar) -> Double {
        switch scalar {
        case "i", "j", "l", ".", ",", "'", "|", "I", "[", "]", "(", ")", " ", "f", "t", "r": 0.34
        case "m", "w", "M", "W", "@", "%": 0.9
        case "A"..."Z": 0.71
        default: scalar.value < 0x1100 ? 0.57 : 1.05
        }
    }
}
