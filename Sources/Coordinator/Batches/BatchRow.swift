public import StrataModel
public import StrataQuery
import StrataStore

/// The attributes and relationships of an object for a batch insert.
///
/// Attributes that are not set have their defaults, relationships no destination. Errors are reported when the object
/// is complete.
public struct BatchRow: ~Copyable {
    private enum State {
        case untouched, empty, filled
    }

    /// The entity of the object.
    public let entity: EntityDescription
    private let model: ManagedObjectModel
    private let shape: Shape
    private var states: [State]
    private var writer = RowWriter()
    private(set) var references: [BatchReference] = []
    /// The slots of sequences without a value, which the row's reference is for.
    private(set) var sequences: [Slot] = []
    /// The relationships by the names that set them, for all rows.
    private var relationships: [String: BatchRelationship] = [:]
    /// The size of the values so far, in bytes.
    private var size = 0
    /// Whether values were set twice, which leaves unused bytes.
    private var hasGaps = false
    /// The first error.
    private var failure: StoreError?

    init(_ entity: EntityDescription, _ model: ManagedObjectModel) {
        self.entity = entity
        self.model = model
        shape = Shape(entity)
        states = Array(repeating: .untouched, count: shape.columns.count)
        start()
    }

    /// The value of an attribute; `nil` where none was given.
    ///
    /// By the key of an attribute of a to-one relationship's destination the relationship is set, see
    /// ``subscript(_:)-(String)``:
    ///
    /// ```swift
    /// row[Book.title] = "Emma"
    /// row[Book.author.appending(Author.name)] = "Jane Austen"
    /// ```
    @inlinable
    public subscript<V: ValueConvertible>(key: Key<V>) -> V? {
        get { value(key.path, key.keySlot).flatMap(V.init(value:)) }
        set { set(newValue?.value ?? .null, key.path, key.keySlot) }
    }

    /// The value of an attribute by name; `nil` where none was given.
    ///
    /// By the name of a composite attribute all of its elements are set to `null`, or are not given; they have values
    /// by their paths.
    ///
    /// A relationship is set by its name, which takes the ID of an object, or by the path of an attribute of its
    /// destination: `row["author.name"] = "Jane Austen"` relates a book to the one author of that name that is in the
    /// store, or came earlier in the request. A to-many relationship takes a list of either.
    public subscript(name: String) -> Value? {
        get { entity.attribute(named: name).map { value($0.index) } ?? destinations(name) }
        set {
            let attributes = entity.attribute(named: name).map { [$0] } ?? elements(of: name, for: newValue)
            if attributes.isEmpty { return relate(name, to: newValue) }
            for attribute in attributes { if let newValue { set(newValue, attribute.index) } else { forget(attribute.index) } }
        }
    }

    /// The value of a composite attribute; `nil` where none of its elements was given one.
    ///
    /// Setting it sets all elements. One that cannot be encoded is an error when the object is complete.
    public subscript<C: CompositeValue>(key: Key<C>) -> C? {
        get {
            var values: [String: Value] = [:]
            for attribute in entity.compositeAttribute(named: key.path)?.attributes ?? [] {
                values[attribute.name] = value(attribute.index)
            }
            return C(values, behind: key.path + ".")
        }
        set {
            guard let composite = entity.compositeAttribute(named: key.path) else { return refuse(key.path) }
            var values: [String: Value] = [:]
            for attribute in composite.attributes { values[attribute.name] = .null }
            do { try newValue?.add(to: &values, behind: key.path + ".") } catch {
                return refuse(key.path, "the value cannot be encoded: \(error)")
            }
            for (path, value) in values.sortedByKey() {
                guard let attribute = entity.attribute(named: path) else { return refuse(path) }
                set(value, attribute.index)
            }
        }
    }

    // MARK: - Values

    /// Returns the elements of a composite attribute; none where it is given a value, which it cannot have.
    private func elements(of name: String, for value: Value?) -> [AttributeDescription] {
        value?.isNull == false ? [] : entity.compositeAttribute(named: name)?.attributes ?? []
    }

    @usableFromInline
    func value(_ path: String, _ slot: KeySlot) -> Value? {
        property(path, slot).map { value($0) } ?? destinations(path)
    }

    @usableFromInline
    mutating func set(_ value: Value, _ path: String, _ slot: KeySlot) {
        guard let property = property(path, slot) else { return relate(path, to: value) }
        set(value, property)
    }

    @inline(__always)
    private func property(_ path: String, _ slot: KeySlot) -> Int? {
        if let known = slot.slot(serial: shape.serial) { return known.property }
        return slot.slot(in: entity, find: { $0.attribute(named: path)?.index })?.property
    }

    private func value(_ property: Int) -> Value? {
        switch states[property] {
        case .untouched: nil
        case .empty: .null
        case .filled: if let column = shape.columns[property] { writer.value(at: column.slot, column.kind) } else { nil }
        }
    }

    private mutating func set(_ value: Value, _ property: Int) {
        guard let column = shape.columns[property] else {
            return refuse(property, .unknownKey, "the attribute is transient: no store holds it")
        }
        if column.isDerived { return refuse(property, .wrongValue, "the attribute is derived: its store computes the value") }
        if states[property] == .filled { empty(column) }
        states[property] = .filled
        // The kinds of most values, which fit without conversion.
        switch (column.type, value) {
        case (.integer64, .int(let number)): writer.set(integer: number, at: column.slot)
        case (.double, .double(let number)): writer.set(double: number, at: column.slot)
        case (.string, .string(let text)): if takes(text.utf8.count, property) { writer.set(text: text, at: column.slot) }
        default: setFitting(value, property, column)
        }
    }

    private mutating func setFitting(_ value: Value, _ property: Int, _ column: Column) {
        guard let fitting = column.type.coerce(value) else { return refuse(property, .wrongValue, "\(value.excerpt) is no \(column.type)") }
        if fitting.isNull {
            states[property] = .empty
        } else if takes(fitting.variableSize, property) {
            writer.set(fitting, at: column.slot, column.kind)
        }
    }

    /// Returns whether the row has room for more bytes.
    private mutating func takes(_ count: Int, _ property: Int) -> Bool {
        size += count
        if size < Int(Int32.max) { return true }
        refuse(property, .tooLarge, "the values of one object exceed 2 GiB")
        return false
    }

    private mutating func forget(_ property: Int) {
        if states[property] == .filled, let column = shape.columns[property] { empty(column) }
        states[property] = .untouched
    }

    private mutating func empty(_ column: Column) {
        writer.clear(column.slot)
        if column.kind.isVariable { hasGaps = true }
    }

    // MARK: - Relationships

    private func destinations(_ name: String) -> Value? {
        guard let known = relationships[name], let reference = references.first(where: { $0.target == known.target }) else { return nil }
        return known.relationship.isToMany ? .list(reference.values) : reference.values.first ?? .null
    }

    private mutating func relate(_ name: String, to value: Value?) {
        do throws(StoreError) {
            if relationships[name] == nil { relationships[name] = try BatchRelationship(name, of: entity, in: model) }
            guard let known = relationships[name] else { return refuse(name) }
            if references.contains(where: { $0.target.property == known.target.property && $0.target != known.target }) {
                throw StoreError(
                    .wrongValue, .batchInsert, "the relationship is given by another name too", entity: entity.name, key: name)
            }
            references.removeAll { $0.target == known.target }
            if let value { references.append(try known.reference(value, of: entity)) }
        } catch {
            failure = failure ?? error
        }
    }

    // MARK: - Errors

    private mutating func refuse(_ name: String) {
        let what =
            if let reason = QueryError.reason(ofPlaceholder: name) {
                reason
            } else if let composite = entity.compositeAttribute(named: name) {
                "of a composite attribute the elements are set, \(composite.elements.map(\.path).joined(separator: ", ")), or all of it to nil"
            } else {
                "there is no such property"
            }
        failure = failure ?? StoreError(.unknownKey, .batchInsert, what, entity: entity.name, key: name)
    }

    mutating func refuse(_ name: String, _ message: String) {
        failure = failure ?? StoreError(.wrongValue, .batchInsert, message, entity: entity.name, key: name)
    }

    private mutating func refuse(_ property: Int, _ code: StoreError.Code, _ message: String) {
        failure = failure ?? StoreError(code, .batchInsert, message, entity: entity.name, key: entity.properties[property].name)
    }

    // MARK: - Rows

    mutating func start() {
        writer.begin(entity, reference: 0, version: 1)
        for property in states.indices { states[property] = .untouched }
        if !references.isEmpty { references = [] }
        if !sequences.isEmpty { sequences = [] }
        size = 0
        hasGaps = false
        failure = nil
    }

    /// Ends the row, which has no reference yet; throws `StoreError` for the first value that does not fit or is
    /// missing.
    mutating func finish() throws -> Row {
        for property in shape.stored {
            guard let column = shape.columns[property] else { continue }
            if let generated = column.generated, states[property] == .untouched {
                switch generated {
                case .uuidV7: writer.set(.uuid(GeneratedValue.newUUID()), at: column.slot, column.kind)
                case .sequence:
                    writer.set(integer: 0, at: column.slot)
                    sequences.append(column.slot)
                }
                continue
            }
            if states[property] == .untouched && column.hasDefault, case .attribute(let attribute) = entity.properties[property] {
                writer.set(attribute.defaultValue, at: column.slot, column.kind)
            } else if !column.isOptional && states[property] != .filled {
                refuse(property, .wrongValue, "a value is required")
            }
        }
        for requirement in shape.requirements where !requirement.isMet({ hasValue($0) }) {
            refuse(requirement.needed[0].index, .wrongValue, "a value is required")
        }
        if let failure { throw failure }
        let row = writer.finish()
        if !hasGaps { return row }
        writer.begin(entity, reference: 0, version: 1)
        for case let column? in shape.columns { writer.copy(column.slot, column.kind, from: row) }
        return writer.finish()
    }

    private func hasValue(_ attribute: AttributeDescription) -> Bool {
        switch states[attribute.index] {
        case .untouched: attribute.slot == nil || !attribute.defaultValue.isNull || attribute.declaration.generatedValue != nil
        case .empty: false
        case .filled: true
        }
    }

    /// Appends whether each stored attribute was given, in order.
    func appendGiven(to given: inout [Bool]) {
        for property in shape.stored { given.append(states[property] != .untouched) }
    }
}

extension EntityDescription {
    var storedAttributes: [AttributeDescription] { attributes.filter { $0.slot != nil } }
}
