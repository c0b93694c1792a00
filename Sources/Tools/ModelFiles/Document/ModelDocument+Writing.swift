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
        for attribute in element.attributes { text += " \(attribute.name)=\"\(escaped(attribute.value, isAttribute: true))\"" }
        if element.children.isEmpty && element.text.isEmpty {
            text += "/>\n"
            return
        }
        text += ">" + escaped(element.text, isAttribute: false)
        if !element.children.isEmpty {
            text += "\n"
            for child in element.children { write(child, indentation: indentation + "    ", to: &text) }
            text += indentation
        }
        text += "</\(element.name)>\n"
    }

    private static func escaped(_ text: String, isAttribute: Bool) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "\r": escaped += "&#13;"
            case "\n" where isAttribute: escaped += "&#10;"
            case "\t" where isAttribute: escaped += "&#9;"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
