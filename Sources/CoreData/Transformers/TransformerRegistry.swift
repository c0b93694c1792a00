import StrataModel
import Synchronization

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
