import StrataEngine

/// Writes objects as their elements.
struct ObjectWriter {
    /// An attribute with the texts around its value.
    private struct AttributeElement {
        let slot: Slot
        let kind: SlotKind
        let name: String
        let beginning: [UInt8]
        /// The beginning of the element of a value in a file of its own; `nil` if there is none.
        let fileBeginning: [UInt8]?
        /// Whether large values belong in files of their own.
        let isExternal: Bool
    }

    /// A relationship with the text up to its destinations.
    private struct RelationshipElement {
        let beginning: [UInt8]
        /// The slot of a to-one relationship; `nil` for a to-many one, with an index of lists.
        let slot: Slot?
        let list: Int
        let destination: EntityIndex
        /// The destination with its sub-entities.
        let hierarchy: Range<EntityIndex>
    }

    private struct Elements {
        let beginning: [UInt8]
        var attributes: [AttributeElement] = []
        var relationships: [RelationshipElement] = []
    }

    private let model: ManagedObjectModel
    private let errors: XMLErrors
    private let external: ExternalValues
    private let rows: [Row]
    private let table: ReferenceTable
    private let numbers: ObjectNumbers
    private var elements: [Elements] = []
    private var lists: [DestinationLists] = []

    init(_ contents: TableContents, _ objects: NumberedRows, _ model: ManagedObjectModel, _ external: ExternalValues, _ errors: XMLErrors) {
        self.model = model
        self.errors = errors
        self.external = external
        table = objects.table
        rows = objects.rows
        numbers = objects.numbers
        let names = DocumentNames(model)
        var listIndexes: [[Int]: Int] = [:]
        for entity in model.entities {
            var elements = Elements(beginning: Array("    <object type=\"".utf8) + names.entities[entity.index] + Array("\" id=\"z".utf8))
            for attribute in entity.attributes {
                guard let slot = attribute.slot else { continue }
                let name = names.properties[entity.index][attribute.index]
                elements.attributes.append(
                    AttributeElement(
                        slot: slot, kind: attribute.slotKind, name: attribute.name,
                        beginning: Self.beginning(name, AttributeTypeName.name(attribute.type)),
                        fileBeginning: attribute.slotKind.isVariable ? Self.beginning(name, AttributeTypeName.external) : nil,
                        isExternal: attribute.declaration.allowsExternalStorage))
            }
            let relationships = entity.relationships.filter { $0.storage != .none }
            for relationship in relationships.filter({ !$0.isToMany }) + relationships.filter(\.isToMany) {
                var slot: Slot?
                var list = 0
                if case .toOne(let reference, _, _) = relationship.storage {
                    slot = reference
                } else {
                    let key = [relationship.declaringEntity.rawValue, relationship.index]
                    list = listIndexes[key] ?? lists.count
                    if listIndexes.updateValue(list, forKey: key) == nil { lists.append(Self.lists(relationship, contents, model)) }
                }
                elements.relationships.append(
                    RelationshipElement(
                        beginning: Self.beginning(relationship, of: entity, names), slot: slot, list: list,
                        destination: relationship.destination, hierarchy: model.entities[relationship.destination].hierarchy))
            }
            self.elements.append(elements)
        }
    }

    private static func beginning(_ attribute: [UInt8], _ type: StaticString) -> [UInt8] {
        unsafe Array("        <attribute name=\"".utf8) + attribute + Array("\" type=\"".utf8) + AttributeTypeName.bytes(type)
            + Array("\">".utf8)
    }

    private static func beginning(
        _ relationship: RelationshipDescription, of entity: EntityDescription, _ names: DocumentNames
    ) -> [UInt8] {
        Array("        <relationship name=\"".utf8) + names.properties[entity.index][relationship.index]
            + Array("\" type=\"\(relationship.declaration.minCount)/\(relationship.declaration.maxCount)\" destination=\"".utf8)
            + names.entities[relationship.destination] + Array("\"".utf8)
    }

    private static func lists(
        _ relationship: RelationshipDescription, _ contents: TableContents, _ model: ManagedObjectModel
    ) -> DestinationLists {
        let destination = model.entities[relationship.destination]
        switch relationship.storage {
        case .inverse(let property):
            guard case .toOne(let reference, _, let order) = destination.properties[property].relationship?.storage else { break }
            return DestinationLists(
                contents.rows[destination.root] ?? [], in: destination.hierarchy, reference: reference,
                order: relationship.isOrdered ? order : nil)
        case .links(let table, let side):
            return DestinationLists(contents.links[table] ?? [], side, isOrdered: relationship.isOrdered)
        case .toOne, .none: break
        }
        return DestinationLists([], .first, isOrdered: false)
    }

    /// Appends an object; objects have to be in ascending order of their numbers.
    mutating func append(_ row: Row, to out: inout ByteBuffer) throws {
        let elements = elements[row.entityIndex]
        out.append(elements.beginning)
        out.append(integer: numbers.number(of: row))
        out.append("\">\n")
        for attribute in elements.attributes {
            if row.isNull(attribute.slot) {
                guard attribute.kind.isVariable, row.isUnavailable(attribute.slot) else { continue }
            }
            try append(attribute, of: row, to: &out)
        }
        for relationship in elements.relationships {
            out.append(relationship.beginning)
            var isEmpty = true
            func add(_ reference: Int64) {
                // A deleted destination is left out: every id in the file is one of an object in it.
                let number = numbers.number(reference, relationship.destination)
                guard let ordinal = table.ordinal(number), relationship.hierarchy.contains(rows[ordinal].entityIndex) else { return }
                out.append(isEmpty ? " idrefs=\"z" : " z")
                out.append(integer: number)
                isEmpty = false
            }
            if let slot = relationship.slot {
                if let reference = row.integer(slot) { add(reference) }
            } else {
                lists[relationship.list].forEach(of: row.reference, add)
            }
            out.append(isEmpty ? "></relationship>\n" : "\"></relationship>\n")
        }
        out.append("    </object>\n")
    }

    private func append(_ attribute: AttributeElement, of row: Row, to out: inout ByteBuffer) throws {
        // An unreadable value has a name but no value, also if the attribute no longer has external storage.
        if let beginning = attribute.fileBeginning, attribute.isExternal || row.isUnavailable(attribute.slot) {
            let root = model.entities[row.entityIndex].root
            let location = ExternalValues.Location(root: root, reference: row.reference, slot: attribute.slot)
            if let name = try external.name(of: row, attribute.slot, at: location) {
                out.append(beginning)
                out.append(text: name)
                return out.append("</attribute>\n")
            }
        }
        out.append(attribute.beginning)
        switch attribute.kind {
        case .string, .uri, .decimal:
            if let text = unsafe row.bytes(attribute.slot), unsafe !TextEscape.append(text, for: .content, to: &out) {
                throw StoreError(
                    .wrongValue, errors.operation, "a text of z\(numbers.number(of: row)) is no UTF-8", path: errors.path,
                    entity: model.entities[row.entityIndex].name, key: attribute.name)
            }
        case .integer, .reference, .entity, .order: out.append(integer: row.integer(attribute.slot) ?? 0)
        case .boolean: out.append(row.integer(attribute.slot) == 0 ? "0" : "1")
        case .double: NumberText.append(row.double(attribute.slot) ?? 0, to: &out)
        case .float: NumberText.append(float: row.double(attribute.slot) ?? 0, to: &out)
        case .date: DateText.append(row.double(attribute.slot) ?? 0, to: &out)
        case .uuid: unsafe row.bytes(attribute.slot).map { unsafe UUIDText.append($0, to: &out) }
        case .binary, .transformable: unsafe row.bytes(attribute.slot).map { unsafe Base64.append($0, to: &out) }
        }
        out.append("</attribute>\n")
    }
}
