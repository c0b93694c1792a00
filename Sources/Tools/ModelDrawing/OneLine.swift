/// Escapes texts of models, which may contain anything, for one line.
enum OneLine {
    /// Returns the text with escapes for control characters and those that would turn or hide the rest of the line.
    static func text(_ text: String) -> String {
        var line = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n": line += "\\n"
            case "\r": line += "\\r"
            case "\t": line += "\\t"
            // It joins the parts of one character.
            case "\u{200D}": line.unicodeScalars.append(scalar)
            default:
                switch scalar.properties.generalCategory {
                case .control, .format, .lineSeparator, .paragraphSeparator: line += "\\u{\(String(scalar.value, radix: 16))}"
                default: line.unicodeScalars.append(scalar)
                }
            }
        }
        return line
    }
}
