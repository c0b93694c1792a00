public import StrataModel
public import StrataQuery

// Accessors of properties as `@Model` writes them: whether one is an optional tells which it asks.

extension ManagedObject {
    /// The value of an attribute that must have one.
    ///
    /// Where there is none all the same, in an object that was never given one or that could not be read, it reads as the first case of an
    /// enumeration, as empty, or as zero: an accessor cannot throw, and a save does, see ``ManagedObjectContext/lastFaultError``.
    ///
    /// - Precondition: As for the accessor of an attribute that may have none; the type has a case, or a value that is empty or zero.
    @inlinable
    public final subscript<V: ValueConvertible>(required key: Key<V>) -> V {
        get { self[key] ?? PlaceholderValues.placeholder(key) }
        set { self[key] = newValue }
    }

    /// The value of an attribute that must have one, and what it reads as where there is none all the same.
    @inlinable
    public final subscript<V: ValueConvertible>(required key: Key<V>, else placeholder: @autoclosure () -> V) -> V {
        get { self[key] ?? placeholder() }
        set { self[key] = newValue }
    }

    /// The value of an attribute that may have none.
    @inlinable
    public final subscript<V: ValueConvertible>(optional key: Key<V>) -> V? {
        get { self[key] }
        set { self[key] = newValue }
    }

    /// The destination of a to-one relationship that must have one.
    ///
    /// Where there is none all the same, it reads as an object without a context and without values: an accessor cannot throw, and saving an
    /// object without the destination does.
    public final subscript<D: ManagedObject>(required key: ToOne<D>) -> D {
        get { self[key] ?? D(.new) }
        set { self[key] = newValue }
    }

    /// The destination of a to-one relationship that may have none.
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
