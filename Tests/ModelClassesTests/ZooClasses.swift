public import Strata

/// Its entity's code generation is manual: the keys and properties are written by hand, too.
public final class Keeper: ManagedObject {
    static let name = Key<String>("name")
    static let animals = ToMany<Animal>("animals")

    var name: String? {
        get { self[Self.name] }
        set { self[Self.name] = newValue }
    }
    var animals: Swift.Set<Animal> {
        get { self[Self.animals] }
        set { self[Self.animals] = newValue }
    }
}

/// Its entity's properties are generated as an extension.
public class Ticket: ManagedObject {
    /// What the hand-written part adds to the generated one.
    public var isWinning: Bool { number % 7 == 0 }
}

/// A value that only its transformer knows how to keep.
public struct Colour: Sendable, Hashable {
    var red: UInt8
    var green: UInt8
}
