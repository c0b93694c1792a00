/// The value that the rows of an entity get in a column.
public struct ColumnDefault: Sendable {
    /// The name of the column.
    public let column: String
    /// The entity.
    public let entity: EntityDescription
    /// The number of the entity.
    public let number: Int
    /// The name of the attribute or relationship.
    public let property: String
    /// Whether rows with a value keep it.
    public let isForMissing: Bool
    /// The value, `nil` for none.
    public let value: Value?
    /// Whether a row without a value is refused.
    public let isRequired: Bool
}

extension ColumnDefault {
    /// - Returns: `nil` where the value takes more than a statement.
    init?(
        _ attribute: AttributeDescription, _ column: some SQLColumn, _ before: AttributeDescription?, _ entity: EntityDescription,
        number: Int
    ) {
        let isNewlyRequired = attribute.requiresValue && before?.isOptional != false
        let isFilled = (before == nil || isNewlyRequired) && !attribute.defaultValue.isNull
        if isFilled && !column.takes(attribute.defaultValue) { return nil }
        self.init(
            column: column.name, entity: entity, number: number, property: attribute.name, isForMissing: before != nil,
            value: isFilled ? attribute.defaultValue : nil, isRequired: isNewlyRequired && attribute.defaultValue.isNull)
    }

    init(required relationship: RelationshipDescription, _ column: some SQLColumn, _ entity: EntityDescription, number: Int) {
        self.init(
            column: column.name, entity: entity, number: number, property: relationship.name, isForMissing: true, value: nil,
            isRequired: true)
    }

    var isNeeded: Bool { value != nil || isRequired }

    /// Sets the column: `UPDATE person SET age = 7 WHERE entity = 2 AND age IS NULL`.
    public func update<Dialect>(_ table: Dialect.TableName, to value: SQLText<Dialect>) -> SQLText<Dialect> {
        let rows: SQLText<Dialect> = rows(isMissing: isForMissing)
        return SQLText("UPDATE \(table: table) SET \(identifier: column) = \(value) WHERE \(rows)")
    }

    /// Selects a row without a value: `SELECT id FROM person WHERE entity = 2 AND age IS NULL ORDER BY id LIMIT 1`.
    public func missingRow<Dialect: SQLDialect>(in table: Dialect.TableName) -> SQLText<Dialect> {
        let rows: SQLText<Dialect> = rows(isMissing: true)
        return SQLText(
            "SELECT \(identifier: Dialect.keyColumn) FROM \(table: table) WHERE \(rows) ORDER BY \(identifier: Dialect.keyColumn) LIMIT 1")
    }

    private func rows<Dialect: SQLDialect>(isMissing: Bool) -> SQLText<Dialect> {
        let rows = SQLText<Dialect>("\(identifier: Dialect.entityColumn) = \(number: number)")
        return isMissing ? SQLText("\(rows) AND \(identifier: column) IS NULL") : rows
    }

    /// Returns the error of a row without a value.
    public func refusal(_ reference: Int64, path: String? = nil) -> StoreError {
        StoreError(
            migrating: "the attribute is required and has no default, and there is an object without a value", reference, entity.name,
            key: property, path: path)
    }
}

extension SchemaDiff {
    /// Selects a row of entities that no object may be of any more: `SELECT t0.id, t0.entity FROM pet t0 WHERE t0.entity IN (2) …`.
    public static func refusedRow(of numbers: some Sequence<Int>, in table: EntityTable<Dialect>) -> SQLText<Dialect> {
        """
        SELECT \(SQLText<Dialect>.references) FROM \(table: table.name) t0 \
        WHERE \(column: Dialect.entityColumn) IN (\(numbers: numbers.sorted())) ORDER BY \(column: Dialect.keyColumn) LIMIT 1
        """
    }

    /// Returns the steps that give objects other names, which may be those of others that get another one: by names in between.
    public static func renaming<Name: Equatable>(
        _ names: [(old: Name, new: Name)], through between: (Int) -> Name
    ) -> [(old: Name, new: Name)] {
        let changed = names.filter { $0.old != $0.new }
        return changed.enumerated().map { ($1.old, between($0)) } + changed.enumerated().map { (between($0), $1.new) }
    }
}

extension StoreError {
    /// The error of a row that stands in the way of a migration.
    public init(migrating message: String, _ reference: Int64, _ entity: String, key: String? = nil, path: String? = nil) {
        self.init(.migration, .migrate, message + " (p" + String(reference) + ")", path: path, entity: entity, key: key)
    }
}
