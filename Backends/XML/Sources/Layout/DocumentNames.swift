import StrataModel

/// The names of a model's entities and properties in the file.
///
/// Entities in upper case, properties in lower case; names that differ in case only keep their own spelling.
struct DocumentNames: Sendable {
    /// The names of the entities in tags, by index.
    let entities: [[UInt8]]
    /// The names of each entity's properties, by index.
    let properties: [[[UInt8]]]

    private let entityTable: NameTable
    private let foldedEntities: [String: Int]
    private let propertyTables: [NameTable]
    private let foldedProperties: [[String: Int]]

    init(_ model: ManagedObjectModel) {
        let names = model.entities.map(\.name)
        let written = DocumentNames.written(names) { $0.uppercased() }
        entities = written.map(DocumentNames.tag)
        entityTable = NameTable(zip(entities, names.indices).map { ($0, $1) })
        foldedEntities = DocumentNames.folded(names)
        var properties: [[[UInt8]]] = []
        var tables: [NameTable] = []
        var folded: [[String: Int]] = []
        for entity in model.entities {
            // Hidden relationships are not in the file: they are the inverses of visible ones.
            let visible = entity.properties.filter { $0.relationship?.isHidden != true }
            let spelled = zip(visible, DocumentNames.written(visible.map(\.name)) { $0.lowercased() })
            var names = Array(repeating: [UInt8](), count: entity.properties.count)
            for (property, name) in spelled { names[property.index] = DocumentNames.tag(name) }
            properties.append(names)
            tables.append(NameTable(visible.map { (names[$0.index], $0.index) }))
            folded.append(DocumentNames.folded(visible.map(\.name)).mapValues { visible[$0].index })
        }
        self.properties = properties
        propertyTables = tables
        foldedProperties = folded
    }

    /// Returns the index of the entity with a name in a tag; case is ignored if the name is unambiguous.
    func entity(_ name: UnsafeRawBufferPointer) -> Int? {
        unsafe entityTable.value(of: name) ?? foldedEntities[DocumentNames.key(DocumentNames.text(name))]
    }

    /// Returns the index of the property of an entity with a name in a tag.
    func property(_ name: UnsafeRawBufferPointer, of entity: EntityIndex) -> Int? {
        unsafe propertyTables[entity].value(of: name) ?? foldedProperties[entity][DocumentNames.key(DocumentNames.text(name))]
    }

    /// Returns the text in a tag.
    static func text(_ bytes: UnsafeRawBufferPointer) -> String {
        unsafe TextEscape.decoded(bytes) ?? String(decoding: bytes, as: UTF8.self)
    }

    private static func tag(_ name: String) -> [UInt8] {
        var buffer = ByteBuffer()
        TextEscape.append(name, for: .tag, to: &buffer)
        return unsafe Array(buffer.bytes)
    }

    private static func written(_ names: [String], _ fold: (String) -> String) -> [String] {
        var counts: [String: Int] = [:]
        for name in names { counts[key(name), default: 0] += 1 }
        return names.map { counts[key($0)] == 1 ? fold($0) : $0 }
    }

    private static func folded(_ names: [String]) -> [String: Int] {
        var folded: [String: Int] = [:]
        var clashes: Set<String> = []
        for (index, name) in names.enumerated() where folded.updateValue(index, forKey: key(name)) != nil { clashes.insert(key(name)) }
        return folded.filter { !clashes.contains($0.key) }
    }

    /// Returns the common key of names that differ in case only: in upper or in lower case, as of ẞ and ß.
    private static func key(_ name: String) -> String { name.lowercased().uppercased().lowercased() }
}
