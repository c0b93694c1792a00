import StrataText

extension ModelDocument {
    /// The document as Xcode writes it: four spaces per level, ordered attributes, empty elements closed at once.
    public var xml: String {
        var text = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n"
        ModelDocument.write(root, indentation: "", to: &text)
        if !endsWithNewline { text.removeLast() }
        return text
    }

    private static func write(_ element: Element, indentation: String, to text: inout String) {
        text += "\(indentation)<\(element.name)"
        for attribute in element.attributes { text += " \(attribute.name)=\"\(TextEscaping.xml(attribute.value, isAttribute: true))\"" }
        if element.children.isEmpty && element.text.isEmpty {
            text += "/>\n"
            return
        }
        text += ">" + TextEscaping.xml(element.text)
        if !element.children.isEmpty {
            text += "\n"
            for child in element.children { write(child, indentation: indentation + "    ", to: &text) }
            text += indentation
        }
        text += "</\(element.name)>\n"
    }
}
