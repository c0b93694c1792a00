import Strata
import StrataTestModels

/// Objects that are deleted without managed objects.
enum BatchDeleteCases {
    private static let rules = ModelResult.declared {
        Entity("Company") {
            Attribute("name", .string)
            Relationship("positions", to: "Position", inverse: "company", .toMany, deleteRule: .cascade)
            Relationship("clients", to: "Client", inverse: "company", .toMany, deleteRule: .nullify)
            Relationship("rooms", to: "Room", inverse: "company", .ordered, deleteRule: .cascade)
            Relationship("guards", to: "Client", inverse: "guarded", .toMany, deleteRule: .deny)
            Relationship("left", to: "Client", inverse: "formerly", .toMany, deleteRule: .noAction)
            Relationship("sign", to: "Room", inverse: "signOf", deleteRule: .cascade)
            Relationship("partners", to: "Company", inverse: "partners", .toMany)
        }
        Entity("Position") {
            Attribute("name", .string)
            Relationship("company", to: "Company", inverse: "positions")
            Relationship("duties", to: "Duty", inverse: "position", .toMany, deleteRule: .cascade)
        }
        Entity("Duty") {
            Attribute("name", .string)
            Relationship("position", to: "Position", inverse: "duties")
            Relationship("tools", to: "Tool", inverse: "duties", .toMany, deleteRule: .cascade)
        }
        Entity("Tool", attributes: ["name": .string], relationships: ["duties": .toMany("Duty.tools")])
        Entity("Client") {
            Attribute("name", .string)
            Relationships([
                "company": .toOne("Company.clients"), "guarded": .toOne("Company.guards"), "formerly": .toOne("Company.left"),
            ])
        }
        Entity("Room") {
            Attribute("name", .string)
            Relationships(["company": .toOne("Company.rooms"), "signOf": .toOne("Company.sign")])
        }
    }

    /// Companies A and B, each with three positions, six duties, a tool for each, two clients, three rooms and a sign.
    private static func build(_ context: ManagedObjectContext) throws {
        var companies: [ManagedObject] = []
        for name in ["A", "B"] {
            let company = try context.add("Company", name)
            companies.append(company)
            for number in 1...3 {
                let position = try context.add("Position", "\(name)\(number)")
                try position.setValue(company, forKey: "company")
                for letter in ["x", "y"] {
                    let duty = try context.add("Duty", "\(name)\(number)\(letter)")
                    try duty.setValue(position, forKey: "position")
                    try duty.setValue(Set([context.add("Tool", "\(name)\(number)\(letter)")]), forKey: "tools")
                }
            }
            for number in 1...12 { try context.add("Client", "\(name)c\(number)").setValue(company, forKey: "company") }
            try context.add("Client", "\(name)g").setValue(company, forKey: "guarded")
            try company.setValue((1...3).map { try context.add("Room", "\(name)r\($0)") }, forKey: "rooms")
            try company.setValue(context.add("Room", "\(name)s"), forKey: "sign")
        }
        try companies[0].setValue(Set([companies[1]]), forKey: "partners")
        try context.save()
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase("A batch delete deletes what meets the condition, and nothing else", in: .batches) { environment in
            let stack = try environment.stack(Models.users)
            let inserted = try stack.fiveUsers().objectIDs
            var request = BatchDeleteRequest(entityName: "User", key("age") < 10)
            request.resultType = .objectIDs
            let result = try stack.context().execute(request)
            try expectEqual(Set(result.objectIDs), Set(inserted[0...2]))
            try expectEqual(Set(result.changes.deleted), Set(inserted[0...2]))
            try expectEqual(try stack.reopened().context().users(), ["0004 张六 16", "0005 张七 18"])
        }
        ConformanceCase("The three results of a batch delete", in: .batches) { environment in
            let stack = try environment.stack(Models.users)
            try stack.fiveUsers()
            let status = try stack.context().execute(BatchDeleteRequest(entityName: "User", key("age") == 2))
            try expect(status.resultType == .statusOnly && status.objectIDs.isEmpty && status.changes.isEmpty, "\(status)")
            var request = BatchDeleteRequest(entityName: "User")
            request.resultType = .count
            try expectEqual(try stack.context().execute(request).count, 4)
            try expectEqual(try stack.context().execute(request).count, 0)
        }
        ConformanceCase("A batch delete honours order, offset and limit", in: .batches) { environment in
            let stack = try environment.stack(Models.users)
            try stack.fiveUsers()
            let sort = [QuerySort("age", ascending: false)]
            let request = ObjectFetchRequest<ManagedObject>(entityName: "User", sort: sort, limit: 2, offset: 1)
            try stack.context().execute(BatchDeleteRequest(fetchRequest: request))
            try expectEqual(try stack.context().users(), ["0001 张三 2", "0002 张四 6", "0005 张七 18"])
            try stack.context().execute(BatchDeleteRequest(entityName: "User", limit: 1))
            try expectEqual(try stack.reopened().context().users().count, 2)
        }
        ConformanceCase("A batch delete by IDs passes over those that are gone", in: .batches) { environment in
            let stack = try environment.stack(Models.users)
            let ids = try stack.fiveUsers().objectIDs
            var request = BatchDeleteRequest(objectIDs: [ids[1], ids[3], ids[1]])
            request.resultType = .objectIDs
            try expectEqual(Set(try stack.context().execute(request).objectIDs), [ids[1], ids[3]])
            try expectEqual(try stack.context().execute(request).count, 0)
            try expectEqual(try stack.reopened().context().users(), ["0001 张三 2", "0003 张五 8", "0005 张七 18"])
        }
        ConformanceCase("A batch delete by IDs of several entities is refused", in: .batches) { environment in
            let stack = try environment.stack(Models.users)
            let ids = try stack.fiveUsers().objectIDs
            let context = stack.context()
            let team = try context.add("Team", "blue")
            let unsaved = try context.add("Team", "red")
            try expectStoreError(.notFound) { try context.execute(BatchDeleteRequest(objectIDs: [unsaved.objectID])) }
            try context.save()
            try expectStoreError(.unknownEntity) { try context.execute(BatchDeleteRequest(objectIDs: [ids[0], team.objectID])) }
            try expectEqual(try stack.reopened().context().users().count, 5)
        }
        ConformanceCase("A batch delete cascades to any depth, and clears what is to be cleared", in: .batches) { environment in
            let stack = try environment.stack(rules)
            try build(stack.context())
            var request = BatchDeleteRequest(entityName: "Company", key("name") == "A")
            request.resultType = .objectIDs
            let result = try stack.context().execute(request)
            try expectEqual(result.count, 1)
            try expectEqual(result.changes.deleted.count, 1 + 3 + 6 + 6 + 3 + 1)
            try expectEqual(result.changes.updated.count, 12 + 1)
            let again = try stack.reopened()
            let context = again.context()
            try expectEqual(try names(context.all("Company")), ["B"])
            try expectEqual(try names(context.all("Position")), ["B1", "B2", "B3"])
            try expectEqual(try names(context.all("Duty")), ["B1x", "B1y", "B2x", "B2y", "B3x", "B3y"])
            try expectEqual(try context.all("Tool").count, 6)
            try expectEqual(try names(context.all("Room")), ["Br1", "Br2", "Br3", "Bs"])
            try expectEqual(try context.all("Client").count, 26)
            try expectEqual(try context.all("Client", key("company") == .null).count, 14)
            for client in try context.all("Client", key("name").beginsWith("A")) {
                try expect(try client.one("company") == nil && client.one("guarded") == nil, "\(client) has a company")
            }
            let company = try context.one("Company", "B")
            try expectEqual(try company.many("partners"), [])
            try expectEqual(try inOrder(company.ordered("rooms")), ["Br1", "Br2", "Br3"])
            try expectEqual(try company.many("clients").count, 12)
        }
        ConformanceCase("A batch delete of all companies leaves what does not go with them", in: .batches) { environment in
            let stack = try environment.stack(rules)
            try build(stack.context())
            try stack.context().execute(BatchDeleteRequest(entityName: "Company"))
            let context = try stack.reopened().context()
            for entity in ["Company", "Position", "Duty", "Tool", "Room"] { try expectEqual(try context.all(entity).count, 0, entity) }
            try expectEqual(try context.all("Client", key("company") == .null).count, 26)
        }
        ConformanceCase("A batch delete from the middle of an ordered relationship keeps the order", in: .batches) { environment in
            let stack = try environment.stack(rules)
            try build(stack.context())
            try stack.context().execute(BatchDeleteRequest(entityName: "Room", key("name") == "Ar2"))
            let again = try stack.reopened()
            let context = again.context()
            let company = try context.one("Company", "A")
            try expectEqual(try inOrder(company.ordered("rooms")), ["Ar1", "Ar3"])
            try company.setValue([context.add("Room", "new")] + company.ordered("rooms"), forKey: "rooms")
            try context.save()
            try expectEqual(try inOrder(again.context().one("Company", "A").ordered("rooms")), ["new", "Ar1", "Ar3"])
        }
        ConformanceCase("A batch delete follows every shape of relationship", in: .batches) { environment in
            let stack = try environment.stack(Models.shapes)
            let context = stack.context()
            let nodes = try (0..<4).map { try context.add("Node", "n\($0)") }
            let leaves = try (0..<3).map { try context.add("Leaf", "l\($0)") }
            try nodes[0].setValue(nodes[1], forKey: "twin")
            try nodes[0].setValue(nodes[1], forKey: "next")
            try nodes[0].setValue([nodes[1], nodes[2], nodes[3]], forKey: "children")
            try nodes[0].setValue(Set(nodes[1...2]), forKey: "peers")
            try nodes[1].setValue([nodes[0], nodes[3]], forKey: "ranked")
            try nodes[2].setValue(Set([nodes[0]]), forKey: "likes")
            for key in ["bookmark", "partner"] { try nodes[0].setValue(leaves[0], forKey: key) }
            for key in ["basket", "leaves", "tags"] { try nodes[0].setValue(Set(leaves), forKey: key) }
            for key in ["queue", "playlist", "shelf"] { try nodes[0].setValue(leaves, forKey: key) }
            try context.save()
            try stack.context().execute(BatchDeleteRequest(entityName: "Node", key("name") == "n0"))
            let again = try stack.reopened().context()
            try expectEqual(try names(again.all("Node")), ["n1", "n2", "n3"])
            for node in try again.all("Node") {
                for key in ["twin", "next", "previous", "parent"] { try expect(try node.one(key) == nil, "\(key) stayed") }
                for key in ["peers", "likes", "likedBy"] { try expectEqual(try node.many(key), [], key) }
            }
            try expectEqual(try inOrder(again.one("Node", "n1").ordered("ranked")), ["n3"])
            for leaf in try again.all("Leaf") {
                for key in ["partner", "node"] { try expect(try leaf.one(key) == nil, "\(key) stayed") }
                for key in ["playedBy", "tagged"] { try expectEqual(try leaf.many(key), [], key) }
                try expectEqual(try leaf.ordered("shelves"), [])
            }
        }
        ConformanceCase("Objects that a batch delete deleted are a conflict for who changed them", in: .batches) { environment in
            let stack = try environment.stack(Models.users)
            try stack.fiveUsers()
            let context = stack.context()
            try context.one("User", "张三").setValue(3, forKey: "age")
            try stack.context().execute(BatchDeleteRequest(entityName: "User"))
            let conflicts = try expectConflict(context)
            guard case .deleted = conflicts[0].reason else { throw ConformanceFailure("\(conflicts[0].reason)") }
        }
        ConformanceCase("A batch delete includes sub-entities unless told otherwise", in: .batches) { environment in
            let stack = try environment.stack(Models.users)
            try stack.fiveUsers()
            try stack.context().execute(BatchInsertRequest(entityName: "Admin", objects: [["id": "9"]]))
            try stack.context().execute(BatchDeleteRequest(entityName: "User", includesSubentities: false))
            try expectEqual(try stack.context().users(), ["9 nil 1"])
            try stack.context().execute(BatchDeleteRequest(entityName: "User"))
            try expectEqual(try stack.reopened().context().users(), [])
        }
        ConformanceCase("References of deleted objects are not given out again by a batch", in: .batches) { environment in
            let stack = try environment.stack(Models.users)
            let old = try stack.fiveUsers().objectIDs
            try stack.context().execute(BatchDeleteRequest(entityName: "User"))
            try expect(Set(try stack.fiveUsers().objectIDs).isDisjoint(with: old), "an ID came again")
        }
    }
}
