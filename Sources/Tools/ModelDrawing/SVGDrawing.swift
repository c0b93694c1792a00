public import StrataModel
import StrataText

/// A model as a picture: a box for each entity with its properties, and lines between relationships.
///
/// To-many relationships end in a crow's foot, to-one relationships in a bar; dashed arrows point to parents.
public enum SVGDrawing {
    /// Returns the picture as the text of an SVG file; equal models give equal pictures.
    ///
    /// - Complexity: O(n²) in the entities, and O(n) in their properties.
    public static func svg(_ model: ManagedObjectModel, title: String = "") -> String {
        let relationships = RelationshipLine.all(of: model)
        var pairs = relationships.map { ($0.source.entity.rawValue, $0.destination.entity.rawValue) }
        for entity in model.entities {
            if let parent = entity.superentity { pairs.append((entity.index.rawValue, parent.rawValue)) }
        }
        let layout = DiagramLayout(model.entities.map { DiagramBox($0, model) }, lines: pairs)
        let lines = DiagramLines(layout)
        var parts: [String] = []
        let (width, height) = (number(layout.width), number(layout.height))
        parts.append(
            """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" viewBox="0 0 \(width) \(height)" \
            font-family="Helvetica, Arial, sans-serif">
            """)
        if !title.isEmpty { parts.append("<title>\(escaped(title))</title>") }
        parts.append("<rect width=\"\(width)\" height=\"\(height)\" fill=\"#ffffff\"/>")
        for entity in model.entities {
            if let parent = entity.superentity { parts.append(lines.inheritance(entity.index.rawValue, parent.rawValue)) }
        }
        for (number, line) in relationships.enumerated() { parts.append(lines.relationship(line, number)) }
        parts += layout.boxes.map(box)
        parts.append("</svg>")
        return parts.joined(separator: "\n") + "\n"
    }

    private static func box(_ box: DiagramBox) -> String {
        let (x, y, width) = (number(box.x), number(box.y), number(box.width))
        var parts = ["<g>"]
        let frame = "x=\"\(x)\" y=\"\(y)\" width=\"\(width)\" rx=\"5\" stroke=\"#44546a\""
        parts.append("<rect \(frame) height=\"\(number(box.height))\" fill=\"#fbfcfe\"/>")
        parts.append("<rect \(frame) height=\"\(number(box.header))\" fill=\"#dbe5f1\"/>")
        let middle = number(box.x + box.width / 2)
        parts.append(
            text(box.title, x: middle, y: box.y + 18, "font-size=\"14\" text-anchor=\"middle\" font-weight=\"bold\" fill=\"#1f2937\""))
        if let note = box.note {
            parts.append(
                text(note, x: middle, y: box.y + 33, "font-size=\"11\" text-anchor=\"middle\" font-style=\"italic\" fill=\"#44546a\""))
        }
        for (index, row) in box.rows.enumerated() {
            let base = box.rowLevel(index) + 4
            let ink = row.isRelationship ? "#1d4ed8" : "#1f2937"
            parts.append(text(row.name, x: number(box.x + 10), y: base, "font-size=\"12\" text-anchor=\"start\" fill=\"\(ink)\""))
            parts.append(
                text(row.type, x: number(box.x + box.width - 10), y: base, "font-size=\"11\" text-anchor=\"end\" fill=\"#6b7280\""))
        }
        parts.append("</g>")
        return parts.joined(separator: "\n")
    }

    private static func text(_ text: String, x: String, y: Double, _ attributes: String) -> String {
        "<text x=\"\(x)\" y=\"\(number(y))\" \(attributes)>\(escaped(text))</text>"
    }

    /// Returns a length with at most one digit after the point.
    static func number(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return tenths.isMultiple(of: 10) ? "\(tenths / 10)" : "\(Double(tenths) / 10)"
    }

    /// Returns text escaped for XML on one line; characters that XML cannot contain become replacement characters.
    static func escaped(_ text: String) -> String {
        var shown = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\t", "\n", "\r": shown += " "
            case _ where scalar.value < 0x20 || scalar.value == 0xFFFE || scalar.value == 0xFFFF: shown += "\u{FFFD}"
            default: shown.unicodeScalars.append(scalar)
            }
        }
        return TextEscaping.xml(shown)
    }
}
