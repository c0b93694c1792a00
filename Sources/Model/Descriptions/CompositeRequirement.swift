/// A requirement of a composite attribute beside those of its elements: that at least one of some elements has a value.
public struct CompositeRequirement: Sendable {
    /// The path of the attribute or element that is missing where none has a value.
    public let name: String
    /// The elements of which at least one needs a value.
    public let needed: [AttributeDescription]
    /// The elements that make a value required as soon as one of them has a value; `nil` where it is always required.
    public let condition: (name: String, attributes: [AttributeDescription])?

    /// - Returns: `nil` if one of the elements is required by itself.
    init?(_ name: String, _ needed: [AttributeDescription], condition: (name: String, attributes: [AttributeDescription])? = nil) {
        if needed.contains(where: \.requiresValue) { return nil }
        self.name = name
        self.needed = needed
        self.condition = condition
    }

    /// Returns whether a row meets the requirement.
    ///
    /// - Parameter hasValue: Returns whether the row has a value of an attribute.
    public func isMet(_ hasValue: (AttributeDescription) -> Bool) -> Bool {
        needed.contains(where: hasValue) || condition.map { !$0.attributes.contains(where: hasValue) } ?? false
    }

    /// The message of the error where the requirement is not met.
    public var message: String {
        condition.map { "a value is required where \($0.name) has any" } ?? "a value of any element is required"
    }
}

extension EntityDescription {
    /// The requirements of the composite attributes that stores hold.
    public var compositeRequirements: [CompositeRequirement] { compositeAttributes.filter { !$0.isTransient }.flatMap(\.requirements) }
}
