/// What is generated for an entity: what Xcode calls its code generation.
package enum CodeGenerationType: Hashable {
    /// Nothing: its class is written by hand.
    case manual
    /// The class with its properties.
    case definition
    /// The properties, as an extension of a class that is written by hand.
    case properties

    /// - Parameter text: The attribute `codeGenerationType` of the entity's element, which manual ones are without.
    package init?(_ text: String?) {
        switch text {
        case nil, "", "manual", "none": self = .manual
        case "class": self = .definition
        case "category", "extension": self = .properties
        default: return nil
        }
    }
}
