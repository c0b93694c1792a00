import Foundation
import StrataBinary
import StrataFiles
import StrataModel
import StrataStore
import Testing

@Suite struct RoundTripTests {
    @Test("Values at the bounds of every type come back bit for bit, with the rows' versions")
    func values() throws {
        let model = try valuesModel.get()
        var builder = ContentsBuilder(model)
        var reference: Int64 = 0
        for (name, values) in BoundaryValues.all {
            for value in values {
                reference += 1
                try builder.add("Thing", reference, version: UInt32(reference), [name: value])
            }
        }
        try builder.add("Thing", .max)
        let scratch = try Scratch()
        try save(builder.contents, model, to: scratch.store)
        let loaded = try load(scratch.store, model)
        #expect(dump(loaded, model) == dump(builder.contents, model))
        let first = try scratch.bytes()
        try save(loaded, model, to: scratch.store)
        #expect(try scratch.bytes() == first)
    }

    @Test("Every shape of relationship comes back with its order")
    func relationships() throws {
        var (model, builder) = try shapes()
        try builder.connectShapes()
        let scratch = try Scratch()
        try save(builder.contents, model, to: scratch.store)
        #expect(dump(try load(scratch.store, model), model) == dump(builder.contents, model))
    }

    @Test("An empty store comes back with the references that it gave out")
    func empty() throws {
        let model = try shapesModel.get()
        var contents = ContentsBuilder(model).contents
        for root in contents.lastReference.keys { contents.lastReference[root] = Int64(root) * 1_000_000_007 }
        let scratch = try Scratch()
        try save(contents, model, to: scratch.store)
        #expect(try load(scratch.store, model).lastReference == contents.lastReference)
    }

    @Test("Metadata of every kind come back, and are replaced without a model")
    func metadata() throws {
        var (model, builder) = try shapes()
        try builder.connectShapes()
        builder.contents.metadata.userInfo["all"] = .dictionary([
            "bool": .array([.bool(true), .bool(false)]), "int": .int(.min), "double": .double(-0.1), "empty": .dictionary([:]),
            "none": .array([]), "text": .string("a\0b"), "": .string(""), "date": .date(Date(timeIntervalSinceReferenceDate: 0.125)),
            "data": .data(Data([1, 2, 3])),
        ])
        let scratch = try Scratch()
        try save(builder.contents, model, to: scratch.store)
        #expect(try BinaryCodec().metadata(scratch.store) == builder.contents.metadata)
        builder.contents.metadata.userInfo["new"] = .string("value")
        try AtomicReplacement.prepare(path: scratch.store, durability: .relaxed) { sink in
            try BinaryCodec().rewrite(scratch.store, metadata: builder.contents.metadata, to: &sink)
        }.commit()
        #expect(dump(try load(scratch.store, model), model) == dump(builder.contents, model))
        let rewritten = try scratch.bytes()
        try save(builder.contents, model, to: scratch.store)
        #expect(try scratch.bytes() == rewritten)
    }

    @Test("Rows stay readable after the store was replaced by another")
    func replacedFile() throws {
        let (model, builder) = try shapes()
        let scratch = try Scratch()
        try save(builder.contents, model, to: scratch.store)
        let loaded = try load(scratch.store, model)
        let before = dump(loaded, model)
        try save(ContentsBuilder(model).contents, model, to: scratch.store)
        #expect(dump(loaded, model) == before)
    }

    @Test("Large values lie in files of their own and come back")
    func externalValues() throws {
        let model = try valuesModel.get()
        let scratch = try Scratch()
        let directory = ExternalDataDirectory(storePath: scratch.store)
        var builder = ContentsBuilder(model)
        let large = Data((0..<5000).map { UInt8(truncatingIfNeeded: $0 * 7) })
        try builder.add("Thing", 1, version: 7, ["bytes": .data(large), "text": "beside"])
        try builder.add("Thing", 2, ["bytes": .data(Data([1, 2, 3]))])
        try builder.add("Thing", 3, ["bytes": .data(Data(large.reversed()))])
        try save(builder.contents, model, to: scratch.store, ExternalValues(directory: directory, threshold: 1000))
        #expect(try directory.names().count == 2)
        #expect(try scratch.bytes().count < 4000)
        let loaded = try load(scratch.store, model, ExternalValues(directory: directory, threshold: 1000))
        #expect(dump(loaded, model) == dump(builder.contents, model))
        try directory.removeAll()
        let error = try storeError { _ = try load(scratch.store, model, ExternalValues(directory: directory, threshold: 1000)) }
        #expect(error?.code == .corrupt)
    }

    @Test("A file is read with a model whose entities have other indexes")
    func otherIndexes() throws {
        var (model, builder) = try shapes()
        try builder.connectShapes()
        let scratch = try Scratch()
        try save(builder.contents, model, to: scratch.store)
        // The same entities behind one that comes first by name, and one between siblings.
        let others = try shapesDeclarations() + [Entity("Aardvark") { Attribute("x", .string) }, Entity("Cow", parent: "Pet")]
        let other = try ManagedObjectModel(entities: others)
        #expect(other.entity(named: "Dog")?.index != model.entity(named: "Dog")?.index)
        let loaded = try load(scratch.store, other)
        func named(_ contents: TableContents, _ model: ManagedObjectModel) -> Set<String> {
            let entitySlots = Set(
                model.entities.flatMap {
                    $0.properties.compactMap { property -> Int? in
                        guard case .toOne(_, let slot?, _)? = property.relationship?.storage else { return nil }
                        return slot
                    }
                }
            )
            return Set(
                contents.rows.values.flatMap(\.self).map { row in
                    let entity = model.entities[row.entityIndex]
                    return "\(entity.name) \(row.reference) "
                        + entity.layout.slots.enumerated().compactMap { slot, description -> String? in
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
        let (model, builder) = try shapes()
        let scratch = try Scratch()
        try save(builder.contents, model, to: scratch.store)
        var declarations = try shapesDeclarations()
        for index in declarations.indices where declarations[index].name == "Dog" { declarations[index].attributes[0].type = .string }
        let error = try storeError { _ = try load(scratch.store, try ManagedObjectModel(entities: declarations)) }
        #expect(error?.code == .incompatibleModel)
        #expect(error?.entity == "Dog")
    }
}
