import Foundation
import StrataEngine
import StrataModel
import StrataStore
import StrataTestSupport
import Testing

@Suite struct RoundTripTests {
    @Test("Values at the bounds of every type come back bit for bit, with the rows' versions")
    func values() throws {
        var (model, builder) = try format.boundaryValues { UInt32($0) }
        try builder.add("Thing", .max)
        try format.checkRepeatedRoundTrip(builder.contents, model)
    }

    @Test("Every shape of relationship comes back with its order")
    func relationships() throws {
        let (model, builder) = try format.connectedShapes()
        try format.checkRoundTrip(builder.contents, model)
    }

    @Test("An empty store comes back with the references that it gave out")
    func empty() throws {
        let model = try AtomicModels.shapes.get()
        var contents = format.builder(model).contents
        for root in contents.lastReference.keys { contents.lastReference[root] = Int64(root.rawValue) * 1_000_000_007 }
        let scratch = try format.saved(contents, model)
        #expect(try format.load(scratch.path, model).lastReference == contents.lastReference)
    }

    @Test("Metadata of every kind come back, and are replaced without a model")
    func metadata() throws {
        var (model, builder) = try format.connectedShapes()
        builder.contents.metadata.userInfo["all"] = .dictionary([
            "bool": .array([.bool(true), .bool(false)]), "int": .int(.min), "double": .double(-0.1), "empty": .dictionary([:]),
            "none": .array([]), "text": .string("a\0b"), "": .string(""), "date": .date(Date(timeIntervalSinceReferenceDate: 0.125)),
            "data": .data(Data([1, 2, 3])),
        ])
        try format.checkMetadata(builder.contents, model)
        try format.checkRewriting(builder.contents, model)
    }

    @Test("Rows stay readable after the store was replaced by another")
    func replacedFile() throws {
        let (model, builder) = try format.shapes()
        let scratch = try format.saved(builder.contents, model)
        let loaded = try format.load(scratch.path, model)
        let before = dump(loaded, model)
        try format.save(format.builder(model).contents, model, to: scratch.path)
        #expect(dump(loaded, model) == before)
    }

    @Test("Large values lie in files of their own and come back")
    func externalValues() throws {
        let model = try AtomicModels.values.get()
        var builder = format.builder(model)
        let large = Data((0..<5000).map { UInt8(truncatingIfNeeded: $0 * 7) })
        try builder.add("Thing", 1, version: 7, ["bytes": .data(large), "text": "beside"])
        try builder.add("Thing", 2, ["bytes": .data(Data([1, 2, 3]))])
        try builder.add("Thing", 3, ["bytes": .data(Data(large.reversed()))])
        try format.checkExternalValues(builder.contents, model) { scratch, names in
            #expect(names.count == 2)
            let count = try scratch.bytes().count
            #expect(count < 4000)
        }
    }

    @Test("A file is read with a model whose entities have other indexes")
    func otherIndexes() throws {
        let (model, builder) = try format.connectedShapes()
        let scratch = try format.saved(builder.contents, model)
        // The same entities behind one that comes first by name, and one between siblings.
        let others = try AtomicModels.shapesDeclarations() + [Entity("Aardvark") { Attribute("x", .string) }, Entity("Cow", parent: "Pet")]
        let other = try ManagedObjectModel(entities: others)
        #expect(other.entity(named: "Dog")?.index != model.entity(named: "Dog")?.index)
        let loaded = try format.load(scratch.path, other)
        func named(_ contents: TableContents, _ model: ManagedObjectModel) -> Set<String> {
            let entitySlots = Set(
                model.entities.flatMap {
                    $0.properties.compactMap { property -> Slot? in
                        guard case .toOne(_, let slot?, _)? = property.relationship?.storage else { return nil }
                        return slot
                    }
                }
            )
            return Set(
                contents.rows.values.flatMap(\.self).map { row in
                    let entity = model.entities[row.entityIndex]
                    return "\(entity.name) \(row.reference) "
                        + entity.layout.indexedSlots.compactMap { slot, description -> String? in
                            if row.isNull(slot) { return nil }
                            if description.kind == .entity { return "\(slot)=" + model.entities[Int(row.integer(slot) ?? 0)].name }
                            return entitySlots.isEmpty ? nil : "\(slot)=\(row.value(slot, description.kind))"
                        }.joined(separator: " ")
                }
            )
        }
        #expect(named(loaded, other) == named(builder.contents, model))
        #expect(loaded.links.values.reduce(0) { $0 + $1.count } == builder.contents.links.values.reduce(0) { $0 + $1.count })
    }

    @Test("A file whose rows have another shape than the model's is refused with the entity's name")
    func otherShape() throws {
        let (model, builder) = try format.shapes()
        let scratch = try format.saved(builder.contents, model)
        var declarations = try AtomicModels.shapesDeclarations()
        for index in declarations.indices where declarations[index].name == "Dog" { declarations[index].attributes[0].type = .string }
        let error = try storeError { _ = try format.load(scratch.path, try ManagedObjectModel(entities: declarations)) }
        #expect(error?.code == .incompatibleModel)
        #expect(error?.entity == "Dog")
    }
}
