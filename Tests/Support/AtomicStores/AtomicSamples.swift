import StrataEngine
package import StrataModel
import StrataStore

extension AtomicFormat {
    /// The entity with an attribute of every type, and an object for every value at the bounds of one.
    package func boundaryValues(version: (_ reference: Int64) -> UInt32 = { _ in 1 }) throws -> (ManagedObjectModel, ContentsBuilder) {
        let model = try AtomicModels.values.get()
        var builder = builder(model)
        var reference: Int64 = 0
        for (name, values) in BoundaryValues.all {
            for value in values {
                reference += 1
                try builder.add("Thing", reference, version: version(reference), [name: value])
            }
        }
        return (model, builder)
    }

    /// Some objects in every shape of relationship.
    package func shapes() throws -> (ManagedObjectModel, ContentsBuilder) {
        let model = try AtomicModels.shapes.get()
        var builder = builder(model)
        try builder.add("Person", 1, ["name": "Ann"], toOne: ["passport": ("Passport", 20, 0)])
        try builder.add("Person", 2, toOne: ["boss": ("Child", 3, 0)])
        try builder.add("Child", 3, ["name": "Tim"], toOne: ["favourite": ("Cat", 11, 0)])
        try builder.add("Dog", 10, ["barks": true], toOne: ["owner": ("Person", 1, 0)])
        try builder.add("Cat", 11, toOne: ["owner": ("Child", 3, 0)])
        try builder.add("Dog", 12, toOne: ["owner": ("Child", 3, 0)])
        try builder.add("Chore", 15, toOne: ["person": ("Person", 1, 3072)])
        try builder.add("Chore", 16, toOne: ["person": ("Person", 1, 1024)])
        try builder.add("Chore", 17, toOne: ["person": ("Person", 1, 2048)])
        try builder.add("Chore", 18)
        try builder.add("Passport", 20, toOne: ["holder": ("Person", 1, 0)])
        try builder.add("Club", 30)
        try builder.add("Club", 31)
        for note in [40, 41, 42] as [Int64] { try builder.add("Note", note) }
        return (model, builder)
    }

    /// Some objects in every shape of relationship, connected in each.
    package func connectedShapes() throws -> (ManagedObjectModel, ContentsBuilder) {
        var (model, builder) = try shapes()
        builder.connectShapes()
        return (model, builder)
    }
}

extension ContentsBuilder {
    /// Connects the shapes' objects by what leads nowhere back, and by links.
    fileprivate mutating func connectShapes() {
        let person = model.entity(named: "Person")?.index ?? 0
        let note = model.entity(named: "Note")?.index ?? 0
        var writer = RowWriter()
        contents.rows[note] = contents.rows[note]?.map { row in
            let entity = model.entities[note]
            writer.begin(entity, reference: row.reference, version: 1)
            for property in entity.properties {
                guard let relationship = property.relationship, case .toOne(let slot, let entitySlot, let order) = relationship.storage
                else {
                    continue
                }
                // Notes 40 and 42 belong to 1; the steps of 3 are 42, 41.
                if order == nil, row.reference != 41 {
                    writer.set(integer: 1, at: slot)
                    if let entitySlot { writer.set(integer: Int64(person.rawValue), at: entitySlot) }
                } else if let order, row.reference != 40 {
                    writer.set(integer: 3, at: slot)
                    if let entitySlot { writer.set(integer: Int64(model.entity(named: "Child")?.index.rawValue ?? 0), at: entitySlot) }
                    writer.set(order: row.reference == 42 ? 1024 : 2048, at: order)
                }
            }
            return writer.finish()
        }
        for table in model.linkTables {
            let name = model.entities[table.first.entity].properties[table.first.property].name
            switch name {
            case "friends":
                contents.links[table.index] = [(1, 2), (2, 1), (2, 3), (3, 2)].map { Link(first: $0, second: $1) }
            case "fans", "idols":
                contents.links[table.index] = [
                    Link(first: 1, second: 2, orderInFirst: 2048, orderInSecond: 1024),
                    Link(first: 1, second: 3, orderInFirst: 1024, orderInSecond: 1024),
                    Link(first: 2, second: 3, orderInFirst: 1024, orderInSecond: 2048),
                ]
            default:
                // The members of 30 are 2, 1; of 31, 3.
                let isMembersFirst = name == "members"
                contents.links[table.index] = [(30, 2, 1024), (30, 1, 2048), (31, 3, 1024)].map { club, member, order in
                    isMembersFirst
                        ? Link(first: club, second: member, orderInFirst: order) : Link(first: member, second: club, orderInSecond: order)
                }
            }
        }
    }
}
