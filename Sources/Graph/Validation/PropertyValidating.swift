public import StrataModel

/// A managed object that checks single values before they are saved, beyond the model's own rules.
public protocol PropertyValidating: ManagedObject {
    /// Validates an attribute's new or changed value.
    ///
    /// - Throws: The error of the value; a ``ValidationFailure`` joins those of other values as it is.
    func validate(_ value: Value, forKey key: String) throws
}

/// A ``PropertyValidating`` class that can turn validation off, and validates relationships as well.
package protocol SelectivelyValidating: PropertyValidating {
    static var validatesProperties: Bool { get }

    /// Validates the new or changed, loaded destinations of a relationship.
    func validateDestinations(forKey key: String) throws
}
