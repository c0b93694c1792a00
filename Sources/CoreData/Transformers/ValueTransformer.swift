public import Foundation
import StrataModel

/// Turns values into others, and back where it can: Foundation's class, which Linux lacks.
///
/// Override ``transformedValue(_:)``, and ``reverseTransformedValue(_:)`` and ``allowsReverseTransformation()`` for the way back. A
/// transformable attribute names a transformer that turns its values into data, one that is registered with
/// ``setValueTransformer(_:forName:)`` before the first of them is read or set.
///
/// It may be called on any thread.
// Unchecked: subclasses have no state, or see to its safety, as on Apple's systems.
open class ValueTransformer: NSObject, @unchecked Sendable {
    /// A transformer that changes nothing; subclasses do.
    public override init() {}

    /// The class of the values that come out; ``transformedValue(_:)`` makes them.
    open class func transformedValueClass() -> AnyClass { NSObject.self }

    /// Whether there is a way back; true by default.
    open class func allowsReverseTransformation() -> Bool { true }

    /// What a value is turned into; itself, unless a subclass says otherwise.
    ///
    /// A transformable attribute whose transformer makes nothing of a value has none from then on.
    open func transformedValue(_ value: Any?) -> Any? { value }

    /// The value that was turned into another one; unless a subclass says otherwise, what ``transformedValue(_:)`` makes of that.
    ///
    /// - Precondition: There is a way back.
    open func reverseTransformedValue(_ value: Any?) -> Any? {
        if !type(of: self).allowsReverseTransformation() {
            programmerError("reverseTransformedValue called on \(type(of: self)), which allows no reverse transformation")
        }
        return transformedValue(value)
    }

    // MARK: - Names

    /// Registers a transformer under a name, in place of the one that was there; `nil` leaves none.
    open class func setValueTransformer(_ transformer: ValueTransformer?, forName name: NSValueTransformerName) {
        TransformerRegistry.set(transformer, name)
    }

    /// The names that transformers are registered under.
    open class func valueTransformerNames() -> [NSValueTransformerName] { TransformerRegistry.names }
}

/// What can be had by its name: a conformance of ``ValueTransformer`` alone.
///
/// An initializer of a class cannot answer an object that is there already, and one of a protocol can.
public protocol NamedValueTransformer {}

extension ValueTransformer: NamedValueTransformer {}

extension NamedValueTransformer where Self: ValueTransformer {
    /// Returns the transformer that is registered under a name; `nil` where there is none, or it is not of this class.
    ///
    /// On Apple's systems, it may be the name of a class as well.
    public init?(forName name: NSValueTransformerName) {
        guard let transformer = TransformerRegistry.transformer(name) as? Self else { return nil }
        self = transformer
    }
}
