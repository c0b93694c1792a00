public import StrataModel
public import StrataQuery

// Accessors of properties as `@Model` generates them, by whether the property is an optional.

extension ManagedObject {
    /// The value of a required attribute.
    ///
    /// Without a value, in an object that was never given one or could not be read, it reads as the first case of an
    /// enumeration, as empty, or as zero: an accessor cannot throw, and a save does, see
    /// ``ManagedObjectContext/lastFaultError``.
    ///
    /// - Precondition: As for an optional attribute's accessor; the type has a case, or a value that is empty or zero.
    @inlinable
    public final subscript<V: ValueConvertible>(required key: Key<V>) -> V {
        get { self[key] ?? PlaceholderValues.placeholder(key) }
        set { self[key] = newValue }
    }

    /// The value of a required attribute, and the value that it reads as without one.
    @inlinable
    public final subscript<V: ValueConvertible>(required key: Key<V>, else placeholder: @autoclosure () -> V) -> V {
        get { self[key] ?? placeholder() }
        set { self[key] = newValue }
    }

    /// The value of an optional attribute.
    @inlinable
    public final subscript<V: ValueConvertible>(optional key: Key<V>) -> V? {
        get { self[key] }
        set { self[key] = newValue }
    }

    /// The destination of a required to-one relationship.
    ///
    /// Without one, it reads as an object without a context and values: an accessor cannot throw, and saving an object
    /// without the destination does.
    public final subscript<D: ManagedObject>(required key: ToOne<D>) -> D {
        get { self[key] ?? D(.new) }
        set { self[key] = newValue }
    }

    /// The destination of an optional to-one relationship.
    public final subscript<D: ManagedObject>(optional key: ToOne<D>) -> D? {
        get { self[key] }
        set { self[key] = newValue }
    }

    /// The destinations of a to-many relationship, in no particular order.
    public final subscript<D: ManagedObject>(required key: ToMany<D>, else _: @autoclosure () -> [D] = []) -> [D] {
        get { Array(self[key]) }
        set { self[key] = Set(newValue) }
    }

    /// The destinations of a to-many relationship.
    public final subscript<D: ManagedObject>(required key: ToMany<D>, else _: @autoclosure () -> Set<D> = []) -> Set<D> {
        get { self[key] }
        set { self[key] = newValue }
    }

    /// The destinations of a to-many relationship, in no particular order; never `nil`.
    public final subscript<D: ManagedObject>(optional key: ToMany<D>) -> [D]? {
        get { Array(self[key]) }
        set { self[key] = Set(newValue ?? []) }
    }

    /// The destinations of a to-many relationship; never `nil`.
    public final subscript<D: ManagedObject>(optional key: ToMany<D>) -> Set<D>? {
        get { self[key] }
        set { self[key] = newValue ?? [] }
    }

    /// The destinations of an ordered relationship, in order.
    public final subscript<D: ManagedObject>(required key: ToManyOrdered<D>, else _: @autoclosure () -> [D] = []) -> [D] {
        get { self[key] }
        set { self[key] = newValue }
    }

    /// The destinations of an ordered relationship, in order; never `nil`.
    public final subscript<D: ManagedObject>(optional key: ToManyOrdered<D>) -> [D]? {
        get { self[key] }
        set { self[key] = newValue ?? [] }
    }
}
