import StrataModel

extension CompositeAttributeDescription {
    /// What has to be there of the attribute and is not: itself where it is required, or elements without which it is not whole.
    ///
    /// Elements that every row has to have are left out: they are checked as attributes.
    func missing(_ value: (AttributeDescription) -> Value) -> [(path: String, message: String)] {
        var missing: [(path: String, message: String)] = []
        if hasElement(value) {
            addMissingElements(value, to: &missing)
        } else if lacksRequired {
            missing.append((name, "a value of any element is required"))
        }
        return missing
    }

    private func addMissingElements(_ value: (AttributeDescription) -> Value, to missing: inout [(path: String, message: String)]) {
        for element in elements {
            switch element {
            case .attribute(let attribute, let isRequired):
                guard isRequired, !attribute.requiresValue, value(attribute).isNull else { continue }
                missing.append((attribute.name, "a value is required where \(name) has any"))
            case .composite(let inner):
                if inner.hasElement(value) {
                    inner.addMissingElements(value, to: &missing)
                } else if inner.lacksRequired {
                    missing.append((inner.name, "a value is required where \(name) has any"))
                }
            }
        }
    }

    private func hasElement(_ value: (AttributeDescription) -> Value) -> Bool { attributes.contains { !value($0).isNull } }

    /// Whether the attribute may not be without a value, and nothing else says so.
    private var lacksRequired: Bool { !isOptional && !attributes.contains(where: \.requiresValue) }
}
