import FoundationEssentials
import StrataModel

extension DocumentTranslator {
    mutating func warn(_ kind: ModelFileWarning.Kind, _ path: String, _ element: ModelDocument.Element, _ message: String) {
        warnings.add(kind, path, line: element.line, message)
    }

    /// Warns of unknown attributes and children; children of unknown elements are ignored.
    mutating func checkVocabulary(of element: ModelDocument.Element, _ path: String) {
        guard let word = ModelVocabulary.words[element.name] else { return }
        for attribute in element.attributes where !word.attributes.contains(attribute.name) {
            warn(.unknownAttribute, path, element, "the attribute \(attribute.name) of the element \(element.name) is not known")
        }
        if !element.text.isEmpty { warn(.unknownElement, path, element, "the element \(element.name) has a text, which means nothing") }
        for child in element.children {
            guard word.children.contains(child.name) else {
                warn(.unknownElement, path, child, "the element \(child.name) within \(element.name) is not known")
                continue
            }
            // Others are checked where they are translated, with a path of their own.
            if !ModelVocabulary.translated.contains(child.name) { checkVocabulary(of: child, path) }
        }
    }

    func nonEmpty(_ text: String?) -> String? { text.flatMap { $0.isEmpty ? nil : $0 } }

    func required(_ name: String, of element: ModelDocument.Element, _ path: String) throws(ModelFileError) -> String {
        guard let value = nonEmpty(element[name]) else {
            throw ModelFileError(.missingAttribute, element: path, line: element.line, "the element \(element.name) has no \(name)")
        }
        return value
    }

    func invalid(_ name: String, _ value: String, of element: ModelDocument.Element, _ path: String) -> ModelFileError {
        ModelFileError(.invalidValue, element: path, line: element.line, "\(name) cannot be \"\(value)\"")
    }

    /// Returns a truth value; absent is NO.
    func flag(_ name: String, of element: ModelDocument.Element, _ path: String) throws(ModelFileError) -> Bool {
        guard let text = element[name] else { return false }
        guard let flag = DocumentTranslator.flag(text) else { throw invalid(name, text, of: element, path) }
        return flag
    }

    static func flag(_ text: String) -> Bool? {
        if text == "YES" { return true }
        if text == "NO" { return false }
        return switch text.lowercased() {
        case "yes", "true", "1": true
        case "no", "false", "0", "": false
        default: nil
        }
    }

    func count(_ name: String, of element: ModelDocument.Element, _ path: String) throws(ModelFileError) -> Int? {
        guard let text = nonEmpty(element[name]) else { return nil }
        guard let number = Int(text) else { throw invalid(name, text, of: element, path) }
        return number
    }

    mutating func userInfo(of element: ModelDocument.Element, _ path: String) throws(ModelFileError) -> [String: String] {
        var info: [String: String] = [:]
        if element.children.isEmpty { return info }
        for entry in element.children(named: "userInfo").flatMap({ $0.children(named: "entry") }) {
            guard let key = entry["key"] else {
                throw ModelFileError(.missingAttribute, element: path, line: entry.line, "an entry of the user info has no key")
            }
            if info.updateValue(entry["value"] ?? "", forKey: key) != nil {
                warn(.questionable, path, entry, "the user info has the key \(key) twice; the last one counts")
            }
        }
        return info
    }

    /// Returns whether values of a type can be spelled in an attribute of an element.
    static func isSpelled(_ type: AttributeType) -> Bool {
        switch type {
        case .undefined, .date, .binary, .transformable, .composite: false
        default: true
        }
    }

    /// Returns the value of a type in an attribute of an element; `nil` for a malformed text.
    static func value(_ text: String, of type: AttributeType) -> Value? {
        switch type {
        case .string: return .string(text)
        case .boolean: return flag(text).map { .bool($0) }
        case .integer16, .integer32, .integer64:
            return number(text).flatMap { type.coerce($0) }
        case .double, .float: return Double(text).flatMap { type.coerce(.double($0)) }
        case .decimal: return decimal(text).map { .decimal($0) }
        case .uuid, .uri: return type.coerce(.string(text))
        case .undefined, .date, .binary, .transformable, .composite: return nil
        }
    }

    private static func number(_ text: String) -> Value? { Int64(text).map { .int($0) } ?? Double(text).map { .double($0) } }

    private static func decimal(_ text: String) -> Decimal? {
        guard let number = Double(text), number.isFinite else { return nil }
        return Decimal(string: text)
    }
}
