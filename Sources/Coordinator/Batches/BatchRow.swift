import StrataModel
import StrataQuery
import StrataStore

/// The attributes of an object that a batch insert is about to make.
///
/// Attributes that are not set take their defaults. What does not fit the entity is reported when the object is complete.
public struct BatchRow {
    /// The entity.
    public let entity: EntityDescription
    /// The value of each property, by index; `nil` where none was given.
    var values: [Value?]
    /// The first name or value that does not fit.
    var failure: StoreError?

    init(_ entity: EntityDescription) {
        self.entity = entity
        values = Array(repeating: nil, count: entity.properties.count)
    }

    /// The value of an attribute; `nil` where none was given.
    public subscript<V: ValueConvertible>(key: Key<V>) -> V? {
        get {
            guard let place = key.place.place(in: entity, find: { $0.attribute(named: key.path)?.index }) else { return nil }
            return values[place.property].flatMap(V.init(value:))
        }
        set {
            guard let place = key.place.place(in: entity, find: { $0.attribute(named: key.path)?.index }) else {
                return reject(key.path)
            }
            values[place.property] = newValue?.value ?? .null
        }
    }

    /// The value of an attribute by name; `nil` where none was given.
    public subscript(name: String) -> Value? {
        get { entity.attribute(named: name).flatMap { values[$0.index] } }
        set {
            guard let attribute = entity.attribute(named: name) else { return reject(name) }
            values[attribute.index] = newValue
        }
    }

    /// Forgets all values.
    mutating func clear() {
        for index in values.indices { values[index] = nil }
        failure = nil
    }

    private mutating func reject(_ name: String) {
        let what = entity.relationship(named: name) == nil ? "there is no such attribute" : "a batch insert sets attributes only"
        failure = failure ?? StoreError(.unknownKey, "batch insert", what, entity: entity.name, key: name)
    }
}
