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
        func code(
            _ type: String, as propertyType: String? = nil, getter: String? = nil, value: String = "newValue", usesFoundation: Bool = false
        ) -> AttributeCode {
            AttributeCode(
                keyType: type, propertyType: propertyType ?? type + "?", getter: getter ?? plain, setter: "\(plain) = \(value)",
                usesFoundation: usesFoundation)
        }
        func number(_ typeName: String, else zero: String = "0") -> AttributeCode {
            let type = names.swift(typeName)
            return isScalar ? code(type, as: type, getter: "self[required: Self.\(name), else: \(zero)]") : code(type)
        }
        func foundation(_ typeName: String) -> AttributeCode { code(names.foundation(typeName), usesFoundation: true) }
        switch attribute.type {
        case .integer16: self = number("Int16")
        case .integer32: self = number("Int32")
        case .integer64: self = number("Int64")
        case .double: self = number("Double")
        case .float: self = number("Float")
        case .boolean: self = number("Bool", else: "false")
        case .string: self = code(names.swift("String"))
        case .decimal: self = foundation("Decimal")
        case .date where isScalar:
            self = code(
                names.foundation("Date"), as: names.foundation("TimeInterval"), getter: plain + "?.timeIntervalSinceReferenceDate ?? 0",
                value: "\(names.foundation("Date"))(timeIntervalSinceReferenceDate: newValue)", usesFoundation: true)
        case .date: self = foundation("Date")
        case .binary: self = foundation("Data")
        case .uuid: self = foundation("UUID")
        case .uri: self = foundation("URL")
        case .undefined: self = code(names.strata("Value"), getter: plain + ".flatMap { $0 == .null ? nil : $0 }")
        case .composite: self = code("\(names.swift("Dictionary"))<\(names.swift("String")), Any>")
        case .transformable:
            guard let custom = element?["customClassName"], !custom.isEmpty else {
                self = foundation("Data")
                return
            }
            try AttributeCode.checkType(custom, element, attribute.name)
            let getter = "self[transformable: Self.\(name)]"
            self.init(keyType: custom, propertyType: custom + "?", getter: getter, setter: getter + " = newValue", usesFoundation: false)
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
