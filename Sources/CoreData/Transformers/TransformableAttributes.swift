import Foundation
import StrataModel

/// What turns the values of a transformable attribute into data: the transformer that is registered under its name when a value is read or
/// set.
///
/// - Parameter name: The attribute's `valueTransformerName`; without one, that of ``NSSecureUnarchiveFromDataTransformer``. Under a name
///   without a transformer data stay data.
func strataTransformer(named name: String?) -> StrataModel.ValueTransformer {
    let given = name.flatMap { $0.isEmpty ? nil : NSValueTransformerName($0) }
    let name = given ?? .secureUnarchiveFromDataTransformerName
    return StrataModel.ValueTransformer(name: name.rawValue) { value in
        guard let transformer = TransformerRegistry.transformer(name) else { return value as? Data }
        let isArchive = transformer.turnsDataIntoValues
        return transformer.data(isArchive ? transformer.reverseTransformedValue(value) : transformer.transformedValue(value))
    } decode: { data in
        guard let transformer = TransformerRegistry.transformer(name) else { return data }
        let value = transformer.turnsDataIntoValues ? transformer.transformedValue(data) : transformer.reverseTransformedValue(data)
        guard let value else { throw UnreadableArchive(transformer: name.rawValue) }
        return value
    }
}

extension AttributeDescription {
    /// Whether the attribute's transformer turns a value into nothing, so that the store keeps none.
    ///
    /// Those of archives do so with what they cannot archive, which is an error of the program.
    func makesNothing(of value: Any) -> Bool {
        guard type == .transformable, let name = declaration.transformer?.name,
            let transformer = TransformerRegistry.transformer(NSValueTransformerName(name)), !transformer.turnsDataIntoValues
        else { return false }
        return transformer.transformedValue(value) == nil
    }
}

/// Data of which a transformer makes no value.
struct UnreadableArchive: Error, CustomStringConvertible {
    let transformer: String

    var description: String { "\(transformer) makes no value of the data that are stored" }
}

extension ValueTransformer {
    /// Whether it is data that are turned into values, and not the other way round: so do those of archives.
    fileprivate var turnsDataIntoValues: Bool { self is NSSecureUnarchiveFromDataTransformer || self is KeyedUnarchiveTransformer }
}
