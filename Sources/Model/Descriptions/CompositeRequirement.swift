/// What a composite attribute demands of a row besides what its elements do one by one: that any of some has a value.
package struct CompositeRequirement: Sendable {
    /// The path of what is missing where none of them has.
    package let name: String
    package let needed: [AttributeDescription]
    /// What has to have a value for that; `nil` where one is needed in any case.
    package let condition: (name: String, attributes: [AttributeDescription])?

    /// - Returns: `nil` where one of the elements has to have a value by itself.
    init?(_ name: String, _ needed: [AttributeDescription], condition: (name: String, attributes: [AttributeDescription])? = nil) {
        if needed.contains(where: \.requiresValue) { return nil }
        self.name = name
        self.needed = needed
        self.condition = condition
    }

    /// Whether a row meets it.
    package func isMet(_ hasValue: (AttributeDescription) -> Bool) -> Bool {
        needed.contains(where: hasValue) || condition.map { !$0.attributes.contains(where: hasValue) } ?? false
    }

    /// What is wrong where it is not met.
    package var message: String {
        condition.map { "a value is required where \($0.name) has any" } ?? "a value of any element is required"
    }
}

extension CompositeAttributeDescription {
    /// The paths of what has to be there of the attribute and is not: itself where it is required, or elements without which it is not whole.
    ///
    /// Elements that every row has to have are left out: they are checked as attributes.
    package func missing(_ value: (AttributeDescription) -> Value) -> [(path: String, message: String)] {
        requirements.filter { !$0.isMet { !value($0).isNull } }.map { ($0.name, $0.message) }
    }
}

extension EntityDescription {
    /// What the composite attributes that stores hold demand of a row.
    package var compositeRequirements: [CompositeRequirement] { compositeAttributes.filter { !$0.isTransient }.flatMap(\.requirements) }
}
