import StrataModel

/// Converts values, and back where possible: Foundation's class, which Linux lacks.
///
/// Override ``transformedValue(_:)``, and ``reverseTransformedValue(_:)`` and ``allowsReverseTransformation()`` for the
/// way back. A transformable attribute names a transformer that converts its values to data, one that is registered
/// with ``setValueTransformer(_:forName:)`` before the first of them is read or set.
///
/// It may be called on any thread.
// Unchecked: subclasses have no state, or see to its safety, as on Apple's systems.
open class ValueTransformer: NSObject, @unchecked Sendable {
    /// Returns the class of the results of ``transformedValue(_:)``.
    open class func transformedValueClass() -> AnyClass { NSObject.self }

    /// Returns whether there is a way back; true by default.
    open class func allowsReverseTransformation() -> Bool { true }

    /// Returns the converted value; the value itself by default.
    ///
    /// A transformable attribute whose transformer converts a value to nil is nil from then on.
    open func transformedValue(_ value: Any?) -> Any? { value }

    /// Returns the value before its conversion; by default the result of ``transformedValue(_:)``.
    ///
    /// - Precondition: The conversion is reversible.
    open func reverseTransformedValue(_ value: Any?) -> Any? {
        if !type(of: self).allowsReverseTransformation() {
            programmerError("reverseTransformedValue called on \(type(of: self)), which allows no reverse transformation")
        }
        return transformedValue(value)
    }

    // MARK: - Names

    /// Registers a transformer under a name, replacing any other; `nil` unregisters the name.
    open class func setValueTransformer(_ transformer: ValueTransformer?, forName name: NSValueTransformerName) {
        TransformerRegistry.set(transformer, name)
    }

    /// Returns the names that transformers are registered under.
    open class func valueTransformerNames() -> [NSValueTransformerName] { TransformerRegistry.names }
}

/// An object that can be created by its name: ``ValueTransformer`` alone conforms.
///
/// An initializer of a class cannot return an existing object, and one of a protocol can.
public protocol NamedValueTransformer {}

extension ValueTransformer: NamedValueTransformer {}

extension NamedValueTransformer where Self: ValueTransformer {
    /// Returns the transformer that is registered under a name; `nil` if there is none, or it is not of this class.
    ///
    /// On Apple's systems, the name may be that of a class too.
    public init?(forName name: NSValueTransformerName) {
        guard let transformer = TransformerRegistry.transformer(name) as? Self else { return nil }
        self = transformer
    }
}
