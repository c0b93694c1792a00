import FoundationEssentials
import Strata
import StrataStoreTool

/// A column of imported rows: the property that it sets, and the conversion of its values.
struct ImportColumn {
    /// The path of the property: an attribute, a relationship, or an attribute of its destination that identifies it.
    let path: String
    /// The path as a key, which finds the property faster than its name.
    let key: Key<Value>
    private let type: AttributeType?
    private let isList: Bool
    /// Whether objects without a value get a generated one.
    private let isGenerated: Bool
    private let uri: @Sendable (String) -> ObjectID?

    /// Creates the column of a property.
    ///
    /// - Throws: `CommandFailure` where the entity has no such property.
    init(_ path: String, of entity: EntityDescription, in coordinator: PersistentStoreCoordinator) throws {
        self.path = path
        key = Key(path)
        isGenerated = entity.generatedAttributes.contains { $0.name == path }
        uri = { coordinator.objectID(forURI: $0) }
        if let attribute = entity.attribute(named: path), !attribute.isDerived, !attribute.isTransient {
            (type, isList) = (attribute.type, false)
            return
        }
        let name = path.prefix { $0 != "." }
        if let relationship = entity.relationship(named: String(name)), !relationship.isHidden {
            isList = relationship.isToMany
            if name.count == path.count {
                type = nil
                return
            }
            let destination = coordinator.model.destination(of: relationship)
            if let attribute = destination.attribute(named: String(path.dropFirst(name.count + 1))) {
                type = attribute.type
                return
            }
        }
        let known = entity.properties.filter { $0.relationship?.isHidden != true && $0.attribute?.isDerived != true }.map(\.name)
        throw CommandFailure(.data, "\(entity.name) has no property \(path) to import into: it has \(known.joined(separator: ", "))")
    }

    /// Returns the value of a cell of text; `nil` for an empty one whose value is generated.
    ///
    /// - Throws: As ``value(_:)``.
    func value(text: String?) throws -> Value? {
        guard let text else { return isGenerated ? nil : .null }
        if !isList, let type, let value = type.value(text) { return value }
        return try value(.string(text))
    }

    /// Returns the value of a cell.
    ///
    /// - Throws: `RejectedValue` where the property cannot hold it.
    func value(_ json: JSON) throws -> Value {
        if json == .null { return .null }
        guard isList else { return try single(json) }
        if case .array(let elements) = json { return .list(try elements.map(single)) }
        if case .string(let text) = json, let data = try? JSONDecoder().decode(JSON.self, from: Data(text.utf8)), case .array = data {
            return try value(data)
        }
        return .list([try single(json)])
    }

    private func single(_ json: JSON) throws -> Value {
        let converted: Value? =
            if let type { type.value(json) } else if case .string(let text) = json { uri(text).map { .objectID($0) } } else { nil }
        guard let converted else { throw RejectedValue(path: path, value: json, type: type.map { "\($0)" } ?? "URI of an object") }
        return converted
    }
}

/// A value that a property cannot hold.
struct RejectedValue: Error, CustomStringConvertible {
    let path: String
    let value: JSON
    let type: String

    var description: String {
        let text = value.line
        return "\(path) is \(type), and does not take \(text.count > 80 ? text.prefix(80) + "…" : text)"
    }
}
