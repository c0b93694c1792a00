public import Foundation
import StrataModel

/// Lets sets be written as array literals, as on Apple's systems: `person.pets ?? []`.
///
/// It stands in for an initializer that an extension of a class cannot have.
public protocol ArrayLiteralSet {}

extension ArrayLiteralSet where Self: NSSet {
    /// Creates a set of the elements.
    public init(arrayLiteral elements: Any...) {
        // A literal has the class itself, or its mutable subclass, in whose metatype this runs.
        let set = Self.self == NSMutableSet.self ? NSMutableSet(array: elements) : NSSet(array: elements)
        guard let set = set as? Self else { programmerError("\(Self.self) cannot be made of an array literal") }
        self = set
    }
}

extension NSSet: ArrayLiteralSet {}
extension NSSet: @retroactive ExpressibleByArrayLiteral {}
