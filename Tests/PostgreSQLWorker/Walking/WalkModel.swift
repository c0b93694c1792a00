package import Strata
import StrataLMDB
import StrataPostgreSQL
import StrataSQLite
import StrataTestModels

/// What the processes of a walk change together.
package enum WalkModel {
    package static let model = Result { try make() }

    /// Entities whose objects have a history: one tag for each save that changed it.
    package static let told = ["Account", "Person", "Folder", "Document"]
    /// Roots of the entities: what a fetch of everything asks for.
    package static let roots = ["Party", "Folder", "Document", "Label", "Cover", "Mark"]
    package static let accounts = 4
    /// What all accounts have together, whoever moves how much.
    package static let total = 400

    private static func make() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Party", isAbstract: true) { common }
            Entity("Account", parent: "Party") {
                Attribute("balance", .integer64).required
                Attribute("up", .integer64).required
                Attribute("down", .integer64).required
            }
            Entity("Person", parent: "Party") {
                Relationship("folders", to: "Folder", inverse: "owner", .toMany, deleteRule: .deny)
            }
            Entity("Folder") {
                common
                Relationship("owner", to: "Person", inverse: "folders").required
                Relationships(["parent": .toOne("Folder.children"), "children": .toMany("Folder.parent")])
                Relationship("documents", to: "Document", inverse: "folder", .ordered, deleteRule: .cascade)
            }
            Entity("Document") {
                common
                Relationship("folder", to: "Folder", inverse: "documents").required
                Relationship("labels", to: "Label", inverse: "documents", .ordered)
                Relationship("cover", to: "Cover", inverse: "document", deleteRule: .cascade)
                Relationship("friends", to: "Document", inverse: "friends", .toMany)
            }
            Entity("Sheet", parent: "Document") { Attribute("cells", .integer32) }
            Entity("Label") {
                Attribute("name", .string).required
                Attribute("note", .string)
                Relationship("documents", to: "Document", inverse: "labels", .toMany)
                Unique("name")
            }
            Entity("Cover") {
                Attribute("name", .string).required
                Attribute("note", .string)
                Relationship("document", to: "Document", inverse: "cover")
            }
            Entity("Mark") {
                Attribute("tag", .string).required
                Attribute("size", .integer64).required
                FetchIndex("byTag", on: "tag")
            }
        }
    }

    private static var common: [any EntityElement] {
        [
            Attribute("name", .string).required,
            Attribute("history", .string, default: ""),
            Attribute("hits", .integer64, default: 0),
            Attribute("note", .string),
            FetchIndex("byName", on: "name"),
        ]
    }

    /// A store of the walk: at a server, with a schema, or a file of a kind.
    package static func description(_ address: String, _ schema: String) -> StoreDescription {
        var description: StoreDescription =
            switch schema {
            case "sqlite": StoreDescription(.sqlite, path: address)
            case "lmdb": StoreDescription(.lmdb, path: address)
            default: .postgreSQL(address, schema: schema)
            }
        description.options.postsRemoteChanges = true
        // SQLite's are followed without one.
        if schema != "sqlite" { description.options.history = .unlimited }
        return description
    }

    /// Makes what a walk begins with.
    package static func populate(_ description: StoreDescription) throws {
        let container = try PersistentContainer(model: model.get(), stores: [description])
        let context = container.newContext()
        for number in 0..<accounts {
            let account = try context.insert("Account")
            account[WalkKeys.name] = "a\(number)"
            account[WalkKeys.balance] = total / accounts
            account[WalkKeys.up] = 0
            account[WalkKeys.down] = 0
        }
        for number in 0..<3 {
            let (person, folder) = (try context.insert("Person"), try context.insert("Folder"))
            person[WalkKeys.name] = "p\(number)"
            folder[WalkKeys.name] = "f\(number)"
            folder[WalkKeys.owner] = person
            for index in 0..<3 {
                let document = try context.insert(index == 0 ? "Sheet" : "Document")
                document[WalkKeys.name] = "d\(number)\(index)"
                document[WalkKeys.folder] = folder
            }
        }
        try context.save()
    }
}

package enum WalkKeys {
    package static let name = Key<String>("name")
    package static let history = Key<String>("history")
    package static let hits = Key<Int>("hits")
    package static let note = Key<String>("note")
    package static let balance = Key<Int>("balance")
    package static let up = Key<Int>("up")
    package static let down = Key<Int>("down")
    package static let tag = Key<String>("tag")
    package static let size = Key<Int>("size")
    package static let owner = ToOne<ManagedObject>("owner")
    package static let parent = ToOne<ManagedObject>("parent")
    package static let folder = ToOne<ManagedObject>("folder")
    package static let cover = ToOne<ManagedObject>("cover")
    package static let document = ToOne<ManagedObject>("document")
    package static let friends = ToMany<ManagedObject>("friends")
    package static let documents = ToManyOrdered<ManagedObject>("documents")
    package static let labels = ToManyOrdered<ManagedObject>("labels")
}
