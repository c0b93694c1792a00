/// The code that is generated for an entity: Xcode's code generation setting.
public enum CodeGenerationType: Hashable {
    /// None: its class is hand-written.
    case manual
    /// The class with its properties.
    case definition
    /// The properties, as an extension of a hand-written class.
    case properties

    /// - Parameter text: The attribute `codeGenerationType` of the entity's element, which is missing for manual ones.
    public init?(_ text: String?) {
        switch text {
        case nil, "", "manual", "none": self = .manual
        case "class": self = .definition
        case "category", "extension": self = .properties
        default: return nil
        }
    }
}
