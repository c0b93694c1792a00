import StrataModel
import Synchronization

/// Returns the conversion of a transformable attribute's values to data: by the transformer that is registered under
/// its name when a value is read or set.
///
/// - Parameter name: The attribute's `valueTransformerName`; without one, that of
///   ``NSSecureUnarchiveFromDataTransformer``. Without a registered transformer data stay data, and other values are archived by that one,
///   as by Core Data, which logs it.
func strataTransformer(named name: String?) -> StrataModel.ValueTransformer {
    let given = name.flatMap { $0.isEmpty ? nil : NSValueTransformerName($0) }
    let name = given ?? .secureUnarchiveFromDataTransformerName
    return StrataModel.ValueTransformer(name: name.rawValue, by: NSValueTransformerName.self) { value in
        guard let transformer = TransformerRegistry.transformer(name) else {
            return value as? Data ?? MissingTransformer.standIn(for: name).reverseTransformedValue(value) as? Data
        }
        let isArchive = transformer.turnsDataIntoValues
        return transformer.data(isArchive ? transformer.reverseTransformedValue(value) : transformer.transformedValue(value))
    } decode: { data in
        guard let transformer = TransformerRegistry.transformer(name) else {
            return NSSecureUnarchiveFromDataTransformer().transformedValue(data) ?? data
        }
        let value = transformer.turnsDataIntoValues ? transformer.transformedValue(data) : transformer.reverseTransformedValue(data)
        guard let value else { throw UnreadableArchive(transformer: name.rawValue) }
        return value
    }
}

extension AttributeDescription {
    /// Returns whether the attribute's transformer converts a value to nil, so that nil is stored.
    ///
    /// Archiving transformers do so with objects that they cannot archive, which is a programmer error.
    func makesNothing(of value: Any) -> Bool {
        guard type == .transformable, let name = declaration.transformer?.name,
            let transformer = TransformerRegistry.transformer(NSValueTransformerName(name)), !transformer.turnsDataIntoValues
        else { return false }
        return transformer.transformedValue(value) == nil
    }
}

/// A transformer that a model names and no program registers, often by the name of a constant:
/// `NSSecureUnarchiveFromDataTransformerName`.
private enum MissingTransformer {
    private static let logged = Mutex<Set<NSValueTransformerName>>([])

    static func standIn(for name: NSValueTransformerName) -> ValueTransformer {
        if logged.withLock({ $0.insert(name).inserted }) {
            ModelLog.say("no NSValueTransformer with class name '\(name.rawValue)' was found: the default transformer is used instead.")
        }
        return NSSecureUnarchiveFromDataTransformer()
    }
}

/// Data that a transformer cannot convert to a value.
struct UnreadableArchive: Error, CustomStringConvertible {
    let transformer: String

    var description: String { "\(transformer) makes no value of the data that are stored" }
}

extension ValueTransformer {
    /// Whether it converts data to values, as archiving transformers do.
    fileprivate var turnsDataIntoValues: Bool { self is NSSecureUnarchiveFromDataTransformer || self is KeyedUnarchiveTransformer }
}

/// The transformers of the process by name.
enum TransformerRegistry {
    private static let registered = Mutex<[NSValueTransformerName: ValueTransformer]>([
        .negateBooleanTransformerName: NegateBooleanTransformer(),
        .isNilTransformerName: NilTestTransformer(isNil: true),
        .isNotNilTransformerName: NilTestTransformer(isNil: false),
        NSValueTransformerName("NSUnarchiveFromData"): KeyedUnarchiveTransformer(),
        NSValueTransformerName("NSKeyedUnarchiveFromData"): KeyedUnarchiveTransformer(),
        .secureUnarchiveFromDataTransformerName: NSSecureUnarchiveFromDataTransformer(),
    ])

    static func transformer(_ name: NSValueTransformerName) -> ValueTransformer? { registered.withLock { $0[name] } }

    static var names: [NSValueTransformerName] { registered.withLock { $0.keys.sorted { $0.rawValue < $1.rawValue } } }

    static func set(_ transformer: ValueTransformer?, _ name: NSValueTransformerName) {
        registered.withLock { $0[name] = transformer }
        // Models in stores and files know the name alone.
        if transformer != nil { StrataModel.ValueTransformer.register(strataTransformer(named: name.rawValue)) }
    }
}
