/// Text in the output of other languages: what they give a meaning is escaped.
public enum TextEscaping {
    /// Returns text for the content of an XML element, or for the value of an attribute in double quotes.
    ///
    /// A carriage return, and in an attribute any white space but the space, becomes a character reference: a parser
    /// replaces it otherwise. Characters that XML cannot contain stay.
    public static func xml(_ text: String, isAttribute: Bool = false) -> String {
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

    /// Returns text in double quotes with backslash escapes.
    ///
    /// - Parameters:
    ///   - text: The text to quote.
    ///   - escape: Returns the escape of any other scalar, such as a control character; `nil` for itself.
    public static func quoted(_ text: String, escape: (Unicode.Scalar) -> String?) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\r": quoted += "\\r"
            case "\t": quoted += "\\t"
            default:
                if let escape = escape(scalar) { quoted += escape } else { quoted.unicodeScalars.append(scalar) }
            }
        }
        return quoted + "\""
    }
}
