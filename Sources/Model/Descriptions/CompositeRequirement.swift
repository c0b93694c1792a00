/// A requirement of a composite attribute beyond those of single elements: that one of several attributes has a value.
package struct CompositeRequirement: Sendable {
    /// The path of the missing attribute if none of them has a value.
    package let name: String
    package let needed: [AttributeDescription]
    /// The attributes of which one must have a value for the requirement to apply; `nil` if it always applies.
    package let condition: (name: String, attributes: [AttributeDescription])?

    /// - Returns: `nil` if one of the elements is required by itself.
    init?(_ name: String, _ needed: [AttributeDescription], condition: (name: String, attributes: [AttributeDescription])? = nil) {
        if needed.contains(where: \.requiresValue) { return nil }
        self.name = name
        self.needed = needed
        self.condition = condition
    }

    /// Returns whether a row meets it.
    package func isMet(_ hasValue: (AttributeDescription) -> Bool) -> Bool {
        needed.contains(where: hasValue) || condition.map { !$0.attributes.contains(where: hasValue) } ?? false
    }

    /// The error message.
    package var message: String {
        condition.map { "a value is required where \($0.name) has any" } ?? "a value of any element is required"
    }
}

extension CompositeAttributeDescription {
    /// Returns the paths of required but missing values: the attribute itself, or elements of an incomplete one.
    ///
    /// Elements that are required in every row are left out: they are checked as attributes.
    package func missing(_ value: (AttributeDescription) -> Value) -> [(path: String, message: String)] {
        requirements.filter { !$0.isMet { !value($0).isNull } }.map { ($0.name, $0.message) }
    }
}

extension EntityDescription {
    /// The requirements of the persistent composite attributes.
    package var compositeRequirements: [CompositeRequirement] { compositeAttributes.filter { !$0.isTransient }.flatMap(\.requirements) }
}
