import StrataEngine

/// Makes rows of the objects of a file.
struct ObjectReader: ~Copyable {
    private let model: ManagedObjectModel
    private let names: DocumentNames
    private let errors: XMLErrors
    private let external: ExternalValues
    private let bindings: [[PropertyBinding]]

    private(set) var content = DocumentContent()
    private(set) var ids = ObjectIDs()

    private var writer = RowWriter(chunkSize: 256 * 1024)
    private var numbers: ObjectNumbers
    private var current: CurrentObject
    /// For every property the index of the object in which it was read last.
    private var lastObject: [Int]
    private var decoded = ByteBuffer(capacity: 4096)

    /// The object that is being read, and its property.
    private struct CurrentObject {
        let entity: EntityDescription
        /// The number of the object in the file.
        var number: Int64 = 0
        var reference: Int64 = 0
        var rowSize = 0
        var property = 0
        /// Whether the value of the property is in a file of its own.
        var isExternal = false
    }

    private var entity: EntityDescription { current.entity }
    private var binding: PropertyBinding { bindings[entity.index][current.property] }

    init?(_ model: ManagedObjectModel, _ names: DocumentNames, _ external: ExternalValues, _ errors: XMLErrors) {
        guard let first = model.entities.first else { return nil }
        self.model = model
        self.names = names
        self.errors = errors
        self.external = external
        current = CurrentObject(entity: first)
        numbers = ObjectNumbers([:], model)
        bindings = model.entities.map { $0.properties.map(PropertyBinding.init) }
        lastObject = Array(repeating: -1, count: model.entities.map(\.properties.count).max() ?? 0)
    }

    /// Sets the offsets of the objects' numbers, which precede the objects.
    mutating func begin(_ offsets: [String: Int64]) { numbers = ObjectNumbers(offsets, model) }

    mutating func beginObject(type: UnsafeRawBufferPointer?, id: UnsafeRawBufferPointer?) throws(StoreError) {
        guard let type = unsafe type, let id = unsafe id else { throw errors.corrupt("an object has no type or no id") }
        guard let index = unsafe names.entity(type) else {
            let name = unsafe DocumentNames.text(type)
            throw errors.incompatible("the model has no entity that is called \(name) in the file", entity: name)
        }
        current = CurrentObject(entity: model.entities[index])
        guard !entity.isAbstract else { throw errors.corrupt("there is an object of an abstract entity", entity: entity.name) }
        current.number = unsafe ids.number(id) ?? 0
        let reference = numbers.reference(current.number, entity.index)
        current.reference = reference
        // The metadata of a file of Strata's are about its own numbers.
        guard reference > 0, reference < .max, !ids.areForeign || numbers.byName.isEmpty else {
            throw errors.corrupt(unsafe "\(Self.text(id)) is no id of an object", entity: entity.name)
        }
        current.rowSize = entity.layout.fixedSize
        writer.begin(entity, reference: reference, version: 1)
    }

    mutating func endObject() throws(StoreError) { content.rows.append(writer.finish()) }

    mutating func beginAttribute(name: UnsafeRawBufferPointer?, type: UnsafeRawBufferPointer?) throws(StoreError) {
        try unsafe beginProperty(name)
        guard case .attribute(_, _, let expected) = binding else { throw unsafe unknown(name) }
        guard let type = unsafe type else { throw errors.corrupt("an attribute has no type", entity: entity.name, key: propertyName) }
        current.isExternal = unsafe type.elementsEqual(AttributeTypeName.bytes(AttributeTypeName.external))
        guard unsafe current.isExternal || AttributeTypeName.isReadable(type, as: expected) else {
            throw errors.incompatible(
                unsafe "the file has it as \(Self.text(type)), the model as \(expected)", entity: entity.name, key: propertyName)
        }
    }

    mutating func endAttribute(_ text: UnsafeRawBufferPointer) throws(StoreError) {
        guard case .attribute(let slot, let kind, let type) = binding else { return }
        if current.isExternal {
            let location = ExternalValues.Location(root: entity.root, reference: current.reference, slot: slot)
            switch try unsafe external.value(named: String(decoding: NumberText.trimmed(text), as: UTF8.self), at: location) {
            case .success(let bytes):
                try take(bytes.count)
                return unsafe bytes.withUnsafeBytes { unsafe writer.set(bytes: $0, at: slot) }
            case .failure(let unavailable): return writer.set(unavailable, at: slot)
            }
        }
        switch kind {
        case .string, .uri:
            decoded.removeAll()
            guard unsafe TextEscape.appendDecoded(text, to: &decoded) else { throw wrong("half of a surrogate pair") }
            try unsafe set(decoded.bytes, slot)
        case .integer:
            guard let number = unsafe NumberText.integer(text), type.integerRange?.contains(number) ?? false else {
                throw unsafe wrong(text)
            }
            writer.set(integer: number, at: slot)
        case .boolean:
            guard let flag = unsafe Self.flag(text) else { throw unsafe wrong(text) }
            writer.set(integer: flag ? 1 : 0, at: slot)
        case .double, .date:
            guard let number = unsafe NumberText.double(text) else { throw unsafe wrong(text) }
            writer.set(double: number, at: slot)
        case .float:
            guard let number = unsafe NumberText.double(text) else { throw unsafe wrong(text) }
            writer.set(double: Double(Float(number)), at: slot)
        case .decimal: try unsafe setDecimal(text, slot)
        case .uuid:
            guard let uuid = unsafe UUIDText.uuid(text) else { throw unsafe wrong(text) }
            try take(MemoryLayout.size(ofValue: uuid))
            unsafe withUnsafeBytes(of: uuid) { unsafe writer.set(bytes: $0, at: slot) }
        case .binary, .transformable:
            decoded.removeAll()
            guard unsafe Base64.appendDecoded(text, to: &decoded) else { throw wrong("text that is no base64") }
            try unsafe set(decoded.bytes, slot)
        case .reference, .entity, .order: break
        }
    }

    mutating func relationship(name: UnsafeRawBufferPointer?, destinations ids: UnsafeRawBufferPointer?) throws(StoreError) {
        try unsafe beginProperty(name)
        switch binding {
        case .toOne(let slot):
            guard let ids = unsafe ids, let number = try unsafe only(ids) else { return }
            writer.set(integer: reference(ofDestination: number), at: slot)
        case .toMany:
            guard let ids = unsafe ids else { return }
            let first = content.destinations.count
            let wrong = unsafe Self.forEachID(ids) { id in
                guard let number = unsafe self.ids.number(id) else { return false }
                content.destinations.append(reference(ofDestination: number))
                return true
            }
            if let wrong = unsafe wrong { throw unsafe noID(wrong) }
            if content.destinations.count > first {
                let range = first..<content.destinations.count
                content.lists.append(DocumentContent.List(owner: content.rows.count, property: current.property, destinations: range))
            }
        case .attribute, .none: throw unsafe unknown(name)
        }
    }

    private mutating func beginProperty(_ name: UnsafeRawBufferPointer?) throws(StoreError) {
        guard let name = unsafe name else { throw errors.corrupt("a property has no name", entity: entity.name) }
        guard let index = unsafe names.property(name, of: entity.index) else { throw unsafe unknown(name) }
        current.property = index
        guard lastObject[index] != content.rows.count else {
            throw errors.corrupt("\(id) has it twice", entity: entity.name, key: propertyName)
        }
        lastObject[index] = content.rows.count
    }

    private mutating func set(_ bytes: UnsafeRawBufferPointer, _ slot: Slot) throws(StoreError) {
        try take(bytes.count)
        unsafe writer.set(bytes: bytes, at: slot)
    }

    /// Makes room in the row.
    private mutating func take(_ count: Int) throws(StoreError) {
        current.rowSize += count
        guard current.rowSize < Int(Int32.max) else {
            throw errors.tooLarge("the values of one object exceed 2 GiB", entity: entity.name, key: propertyName)
        }
    }

    private mutating func setDecimal(_ text: UnsafeRawBufferPointer, _ slot: Slot) throws(StoreError) {
        let text = unsafe UnsafeRawBufferPointer(rebasing: NumberText.trimmed(text))
        if unsafe DecimalSpelling.isCanonical(text) { return try unsafe set(text, slot) }
        guard let number = unsafe DecimalText.decimal(String(decoding: text, as: UTF8.self)) else { throw unsafe wrong(text) }
        current.rowSize += 64
        writer.set(text: DecimalText.text(number), at: slot)
    }

    private mutating func only(_ ids: UnsafeRawBufferPointer) throws(StoreError) -> Int64? {
        var found: Int64?
        var isSingle = true
        let wrong = unsafe Self.forEachID(ids) { id in
            isSingle = found == nil
            found = unsafe self.ids.number(id)
            return found != nil
        }
        if let wrong = unsafe wrong { throw unsafe noID(wrong) }
        guard isSingle else { throw errors.corrupt("\(id) has several destinations", entity: entity.name, key: propertyName) }
        return found
    }

    /// The id of the object in the file.
    private var id: String { ids.text(current.number) }

    /// Calls `body` with the ids in a list, and returns the first that it refuses.
    private static func forEachID(
        _ ids: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Bool
    ) -> UnsafeRawBufferPointer? {
        var index = 0
        while index < ids.count {
            if unsafe ids[index] <= 32 {
                index += 1
                continue
            }
            var end = index
            while end < ids.count, unsafe ids[end] > 32 { end += 1 }
            let id = unsafe UnsafeRawBufferPointer(rebasing: ids[index..<end])
            guard unsafe body(id) else { return unsafe id }
            index = end
        }
        return nil
    }

    private func noID(_ id: UnsafeRawBufferPointer) -> StoreError {
        errors.corrupt(unsafe "\(Self.text(id)) is no id of an object", entity: entity.name, key: propertyName)
    }

    private var propertyName: String { entity.properties[current.property].name }

    private func unknown(_ name: UnsafeRawBufferPointer?) -> StoreError {
        let name = unsafe name.map { unsafe DocumentNames.text($0) } ?? ""
        return errors.incompatible("the entity has no such property in the model", entity: entity.name, key: name)
    }

    private func wrong(_ text: UnsafeRawBufferPointer) -> StoreError { unsafe wrong(Self.text(text)) }

    private func wrong(_ text: String) -> StoreError {
        errors.corrupt("\(id) has a malformed value: \(text.excerpt(200))", entity: entity.name, key: propertyName)
    }

    /// Returns the beginning of a text, for a message.
    private static func text(_ bytes: UnsafeRawBufferPointer) -> String { unsafe String(decoding: bytes.prefix(60), as: UTF8.self) }

    private static func flag(_ text: UnsafeRawBufferPointer) -> Bool? {
        if text.count == 1 { return unsafe text[0] == UInt8(ascii: "1") ? true : text[0] == UInt8(ascii: "0") ? false : nil }
        return switch unsafe String(decoding: NumberText.trimmed(text), as: UTF8.self) {
        case "1", "true", "YES": true
        case "0", "false", "NO": false
        default: nil
        }
    }

    /// Returns the reference of a destination of the current relationship by its number.
    private func reference(ofDestination number: Int64) -> Int64 {
        guard let relationship = entity.properties[current.property].relationship else { return number }
        return numbers.reference(number, relationship.destination)
    }
}
