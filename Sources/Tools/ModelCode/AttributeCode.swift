import StrataModel
import StrataModelFiles

/// The code of an attribute: the type of its key, of its property, and of its accessors.
struct AttributeCode {
    let keyType: String
    let propertyType: String
    let getter: String
    let setter: String
    let usesFoundation: Bool
}

extension AttributeCode {
    /// - Parameters:
    ///   - element: Xcode's element of the attribute; `nil` if it is not in the document.
    ///   - name: The name of the key.
    init(_ attribute: Attribute, _ element: ModelDocument.Element?, key name: String, _ names: ClassNames) throws(ModelFileError) {
        let isScalar = element?["usesScalarValueType"]?.uppercased() == "YES"
        let plain = "self[Self.\(name)]"
        var type = ""
        var zero: String?
        var usesFoundation = false
        switch attribute.type {
        case .integer16: (type, zero) = (names.swift("Int16"), "0")
        case .integer32: (type, zero) = (names.swift("Int32"), "0")
        case .integer64: (type, zero) = (names.swift("Int64"), "0")
        case .double: (type, zero) = (names.swift("Double"), "0")
        case .float: (type, zero) = (names.swift("Float"), "0")
        case .boolean: (type, zero) = (names.swift("Bool"), "false")
        case .string: type = names.swift("String")
        case .decimal: (type, usesFoundation) = (names.foundation("Decimal"), true)
        case .date: (type, usesFoundation) = (names.foundation("Date"), true)
        case .binary: (type, usesFoundation) = (names.foundation("Data"), true)
        case .uuid: (type, usesFoundation) = (names.foundation("UUID"), true)
        case .uri: (type, usesFoundation) = (names.foundation("URL"), true)
        case .undefined:
            type = names.strata("Value")
            self.init(
                keyType: type, propertyType: type + "?", getter: plain + ".flatMap { $0 == .null ? nil : $0 }",
                setter: plain + " = newValue", usesFoundation: false)
            return
        case .composite:
            type = names.swift("Dictionary") + "<" + names.swift("String") + ", Any>"
        case .transformable:
            let custom = element?["customClassName"].flatMap { $0.isEmpty ? nil : $0 }
            if let custom {
                try AttributeCode.checkType(custom, element, attribute.name)
                self.init(
                    keyType: custom, propertyType: custom + "?", getter: "self[transformable: Self.\(name)]",
                    setter: "self[transformable: Self.\(name)] = newValue", usesFoundation: false)
                return
            }
            (type, usesFoundation) = (names.foundation("Data"), true)
        }
        if isScalar, let zero {
            self.init(
                keyType: type, propertyType: type, getter: "self[required: Self.\(name), else: \(zero)]", setter: plain + " = newValue",
                usesFoundation: usesFoundation)
        } else if isScalar, attribute.type == .date {
            self.init(
                keyType: type, propertyType: names.foundation("TimeInterval"), getter: plain + "?.timeIntervalSinceReferenceDate ?? 0",
                setter: plain + " = \(type)(timeIntervalSinceReferenceDate: newValue)", usesFoundation: true)
        } else {
            self.init(
                keyType: type, propertyType: type + "?", getter: plain, setter: plain + " = newValue", usesFoundation: usesFoundation)
        }
    }

    /// Checks that the name of a class is one, as nothing else may be inserted into the code.
    private static func checkType(_ text: String, _ element: ModelDocument.Element?, _ attribute: String) throws(ModelFileError) {
        let marks: Set<Character> = ["_", ".", "<", ">", "[", "]", ",", ":", "?", " ", "`", "&"]
        guard text.allSatisfy({ $0.isLetter || $0.isNumber || marks.contains($0) }) else {
            throw ModelFileError(
                .noCode, element: "attribute \(attribute)", line: element?.line, "the class \"\(text)\" is not the name of a Swift type")
        }
    }
}
