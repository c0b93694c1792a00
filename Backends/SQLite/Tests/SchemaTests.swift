import FoundationEssentials
import Strata
import StrataFiles
import StrataModel
import StrataSQLite
import StrataStore
import StrataTestModels
import Testing

@Suite("The tables of a new store")
struct SchemaTests {
    private func catalogue(_ model: ManagedObjectModel, configuration: String? = nil) throws -> [String: String] {
        let sandbox = try Sandbox()
        try open(sandbox.path(), model, configuration: configuration).close()
        let rows = try raw(sandbox.path(), "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL")
        return Dictionary(rows.map { ($0[0] ?? "", $0[1] ?? "") }) { first, _ in first }
    }

    @Test("Tables have Core Data's columns, in its order, with its types")
    func tables() throws {
        let found = try catalogue(Models.shop())
        #expect(
            found["ZBOOK"]
                == "CREATE TABLE ZBOOK ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZPAGES INTEGER, ZAUTHOR INTEGER, "
                + "ZISCOLOURED INTEGER, ZSEQUEL INTEGER, ZPREQUEL INTEGER, Z5STOCK INTEGER, Z_FOK_AUTHOR INTEGER, ZPRINTED TIMESTAMP, "
                + "ZWEIGHT FLOAT, ZPRICE DECIMAL, ZISBN VARCHAR, ZTEXT VARCHAR, ZTEXT1 VARCHAR, ZLINK VARCHAR, ZID BLOB, ZCOVER BLOB, "
                + "ZSCAN BLOB )"
        )
        #expect(
            found["ZTAG"] == "CREATE TABLE ZTAG ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZFAVOURITE INTEGER, "
                + "Z2_FAVOURITE INTEGER, ZWORD VARCHAR )"
        )
        #expect(
            found["Z_2TAGS"] == "CREATE TABLE Z_2TAGS ( Z_2BOOKS INTEGER, Z_6TAGS INTEGER, Z_FOK_6TAGS INTEGER, "
                + "PRIMARY KEY (Z_2BOOKS, Z_6TAGS) )"
        )
        #expect(
            found["Z_1FRIENDS"]
                == "CREATE TABLE Z_1FRIENDS ( Z_1FRIENDS INTEGER, REFLEXIVE INTEGER, PRIMARY KEY (Z_1FRIENDS, REFLEXIVE) )"
        )
        #expect(
            found["Z_PRIMARYKEY"]
                == "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)"
        )
        #expect(found["Z_METADATA"] == "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)")
        #expect(found["Z_MODELCACHE"] == "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)")
    }

    @Test("Indexes have Core Data's names and columns")
    func indexes() throws {
        let found = try catalogue(Models.shop())
        #expect(found["ZBOOK_ZAUTHOR_INDEX"] == "CREATE INDEX ZBOOK_ZAUTHOR_INDEX ON ZBOOK (ZAUTHOR)")
        #expect(found["ZBOOK_Z5STOCK_INDEX"] == "CREATE INDEX ZBOOK_Z5STOCK_INDEX ON ZBOOK (Z5STOCK)")
        #expect(found["ZBOOK_Z_ENT_INDEX"] == "CREATE INDEX ZBOOK_Z_ENT_INDEX ON ZBOOK (Z_ENT)")
        #expect(found["ZTAG_Z_ENT_INDEX"] == nil)
        #expect(found["Z_2TAGS_Z_6TAGS_INDEX"] == "CREATE INDEX Z_2TAGS_Z_6TAGS_INDEX ON Z_2TAGS (Z_6TAGS, Z_2BOOKS)")
        #expect(
            found["Z_Book_byPages"]
                == "CREATE INDEX Z_Book_byPages ON ZBOOK (ZPAGES ASC, ZWEIGHT DESC)"
        )
        #expect(found["Z_Book_UNIQUE_isbn"] == "CREATE UNIQUE INDEX Z_Book_UNIQUE_isbn ON ZBOOK (ZISBN ASC)")
        #expect(
            found["Z_Comic_UNIQUE_pages"]
                == "CREATE UNIQUE INDEX Z_Comic_UNIQUE_pages ON ZBOOK (ZPAGES ASC) WHERE Z_ENT IN (3)"
        )
    }

    @Test("Partial indexes and those over expressions are made where SQL says the same, and else over all rows, or not at all")
    func partialIndexes() throws {
        func sql(_ index: FetchIndex) throws -> String? {
            let model = try ManagedObjectModel {
                Entity("Line") {
                    Attributes(["name": .string, "price": .double, "count": .integer32, "isPaid": .boolean, "day": .date])
                    Attribute("scan", .binary).externalStorage
                    index
                }
            }
            return try catalogue(model)["Z_Line_i"].map { String($0.dropFirst("CREATE INDEX Z_Line_i ON ZLINE ".count)) }
        }
        func partial(_ condition: String) throws -> String? { try sql(FetchIndex("i", on: "name").where(condition)) }
        let all = "(ZNAME ASC)"
        for (condition, text) in [
            ("price > 2.5 AND count != nil", "(ZPRICE > 2.5 AND ZCOUNT IS NOT NULL)"), ("name == 'it''s'", all),
            ("name == \"it's\"", "ZNAME = 'it''s'"), ("isPaid == YES OR NOT (count IN {1, 2})", "(ZISPAID = 1 OR NOT (ZCOUNT IN (1, 2)))"),
            ("count BETWEEN {1, 5}", "ZCOUNT BETWEEN 1 AND 5"), ("day == nil", "ZDAY IS NULL"),
        ] {
            #expect(try partial(condition) == (text == all ? all : "\(all) WHERE \(text)"), "\(condition)")
        }
        for condition in [
            "name CONTAINS 'x'", "name ==[c] 'x'", "missing == 3", "price > count", "scan != nil", "no (predicate", "name == 3",
            "ANY name == 'x'",
            "name == 'a\u{0}b'", "TRUEPREDICATE",
        ] {
            #expect(try partial(condition) == all, "\(condition)")
        }
        #expect(
            try sql(FetchIndex("i", on: .init(expression: "price * (count + 1)"), .init("name", ascending: false)).where("count > 0"))
                == "((ZPRICE * (ZCOUNT + 1)) ASC, ZNAME DESC) WHERE ZCOUNT > 0")
        #expect(
            try sql(FetchIndex("i", on: "name", .init(expression: "entity", ascending: false), .init(expression: "SELF")))
                == "(ZNAME ASC, Z_ENT DESC, Z_PK ASC)")
        for expression in ["uppercase:(name)", "name + 1", "missing * 2", "(((", "price / 2"] {
            #expect(try sql(FetchIndex("i", on: .init(expression: expression))) == nil, "\(expression)")
        }
    }

    @Test("Entities are numbered in the pre-order of their hierarchies")
    func numbers() throws {
        let sandbox = try Sandbox()
        try open(sandbox.path(), Models.shop()).close()
        let rows = try raw(
            sandbox.path(),
            "SELECT Z_ENT || '|' || Z_NAME || '|' || Z_SUPER || '|' || Z_MAX FROM Z_PRIMARYKEY ORDER BY Z_ENT"
        )
        #expect(rows.map { $0[0] } == ["1|Author|0|0", "2|Book|0|0", "3|Comic|2|0", "4|Novel|2|0", "5|Shelf|0|0", "6|Tag|0|0"])
    }

    @Test("The file has the page size, the vacuum mode and the journal that Core Data gives it")
    func file() throws {
        let sandbox = try Sandbox()
        try open(sandbox.path(), Models.shop()).close()
        let head = try PosixFileSystem.shared.contents(of: sandbox.path())
        #expect(head[16] == 0x10)
        #expect(head[17] == 0)
        #expect(head[18] == 2)
        #expect(head[19] == 2)
        #expect(head[52..<56].contains { $0 != 0 })
        #expect(head[67] == 1)
        #expect(sandbox.names == ["Store.sqlite"])
    }

    @Test("A configuration's store has the tables and the hashes of the whole model, as Core Data's")
    func configuration() throws {
        let model = try ManagedObjectModel {
            Entity("A") { Attribute("x", .string) }
            Entity("B") { Attribute("y", .string) }
            EntityConfiguration("Second", "B")
        }
        let sandbox = try Sandbox()
        try open(sandbox.path(), model, configuration: "Second").close()
        #expect(try raw(sandbox.path(), "SELECT Z_ENT, Z_NAME FROM Z_PRIMARYKEY") == [["1", "A"], ["2", "B"]])
        let metadata = try SQLiteDriver.sqlite.metadata(at: sandbox.path())
        #expect(metadata.versionHashes == model.entityVersionHashesByName)
        #expect(try raw(sandbox.path(), "SELECT count(*) FROM ZA") == [["0"]])
        let store = try open(sandbox.path(), model, configuration: "Second")
        let a = try #require(model.entity(named: "A"))
        // Objects of the configuration may be related to others, which an earlier configuration had.
        #expect(try store.read { try $0.execute(FetchPlan(a)).requireRows() }.isEmpty)
        try store.close()
    }

    @Test("Relationships from several entities to one get numbered columns")
    func joinSuffixes() throws {
        let model = try ManagedObjectModel {
            Entity("Album") { Relationship("artists", to: "Artist", inverse: "albums", .toMany) }
            Entity("Artist") { Relationships(["albums": .toMany("Album.artists"), "shows": .ordered("Show.artists")]) }
            Entity("Show") { Relationship("artists", to: "Artist", inverse: "shows", .ordered) }
        }
        let found = try catalogue(model)
        #expect(
            found["Z_1ARTISTS"] == "CREATE TABLE Z_1ARTISTS ( Z_1ALBUMS INTEGER, Z_2ARTISTS INTEGER, PRIMARY KEY (Z_1ALBUMS, Z_2ARTISTS) )"
        )
        #expect(
            found["Z_2SHOWS"]
                == "CREATE TABLE Z_2SHOWS ( Z_2ARTISTS1 INTEGER, Z_3SHOWS INTEGER, Z_FOK_2ARTISTS1 INTEGER, Z_FOK_3SHOWS INTEGER, "
                + "PRIMARY KEY (Z_2ARTISTS1, Z_3SHOWS) )"
        )
    }

    /// Core Data names the table by the greater name, in nearly all stores seen; the lesser one did here.
    @Test("Of two to-many relationships within one entity the one with the greater name names the table")
    func joinsWithinOneEntity() throws {
        let model = try ManagedObjectModel {
            Entity("Bookmark") {
                Relationships(["favorites": .ordered("Bookmark.favoriteFolders"), "favoriteFolders": .toMany("Bookmark.favorites")])
            }
        }
        let found = try catalogue(model)
        #expect(
            found["Z_1FAVORITES"]
                == "CREATE TABLE Z_1FAVORITES ( Z_1FAVORITEFOLDERS INTEGER, Z_1FAVORITES INTEGER, Z_FOK_1FAVORITES INTEGER, "
                + "PRIMARY KEY (Z_1FAVORITEFOLDERS, Z_1FAVORITES) )"
        )
        #expect(
            found["Z_1FAVORITES_Z_1FAVORITES_INDEX"]
                == "CREATE INDEX Z_1FAVORITES_Z_1FAVORITES_INDEX ON Z_1FAVORITES (Z_1FAVORITES, Z_1FAVORITEFOLDERS)"
        )
        #expect(found["Z_1FAVORITEFOLDERS"] == nil)
    }

    @Test("A join table that the lesser name names is found, and keeps its links through a migration")
    func joinsNamedByTheLesser() throws {
        func model(_ isChanged: Bool) throws -> ManagedObjectModel {
            try ManagedObjectModel {
                Entity("Bookmark") {
                    if isChanged { Attribute("title", .string) }
                    Relationships([
                        "favorites": .ordered("Bookmark.favoriteFolders"), "favoriteFolders": .toMany("Bookmark.favorites"),
                    ])
                }
            }
        }
        let (sandbox, old) = (try Sandbox(), try model(false))
        try open(sandbox.path(), old).close()
        for sql in [
            "DROP TABLE Z_1FAVORITES",
            "CREATE TABLE Z_1FAVORITEFOLDERS ( Z_1FAVORITES INTEGER, Z_1FAVORITEFOLDERS INTEGER, Z_FOK_1FAVORITES INTEGER, "
                + "PRIMARY KEY (Z_1FAVORITES, Z_1FAVORITEFOLDERS) )",
            "CREATE INDEX Z_1FAVORITEFOLDERS_Z_1FAVORITEFOLDERS_INDEX ON Z_1FAVORITEFOLDERS (Z_1FAVORITEFOLDERS, Z_1FAVORITES)",
            "INSERT INTO ZBOOKMARK (Z_PK, Z_ENT, Z_OPT) VALUES (1, 1, 1), (2, 1, 1), (3, 1, 1)",
            "INSERT INTO Z_1FAVORITEFOLDERS (Z_1FAVORITEFOLDERS, Z_1FAVORITES, Z_FOK_1FAVORITES) VALUES (1, 3, 1024), (1, 2, 2048)",
        ] { try raw(sandbox.path(), sql) }
        func favorites(_ model: ManagedObjectModel) throws -> [Int64] {
            let store = try open(sandbox.path(), model)
            defer { try? store.close() }
            let relationship = try #require(model.entity(named: "Bookmark")?.relationship(named: "favorites"))
            return try store.read { try $0.destinations(of: relationship, owner: 1).map(\.reference) }
        }
        #expect(try favorites(old) == [3, 2])
        let new = try model(true)
        try PersistentStoreCoordinator.migrateStore(StoreDescription(.sqlite, path: sandbox.path()), to: new)
        #expect(try favorites(new) == [3, 2])
        let indexes = try raw(sandbox.path(), "SELECT name FROM sqlite_master WHERE name LIKE 'Z_1%' ORDER BY name").map { $0[0] }
        #expect(indexes == ["Z_1FAVORITES", "Z_1FAVORITES_Z_1FAVORITES_INDEX"])
    }

    /// There were two indexes of the same column, which every change of it kept up.
    @Test("A fetch index over one to-one relationship makes no index beside the relationship's own")
    func indexOfOneRelationship() throws {
        let model = try ManagedObjectModel {
            Entity("Owner") { Relationship("pets", to: "Pet", inverse: "owner", .toMany) }
            Entity("Pet") {
                Attribute("name", .string)
                Relationship("owner", to: "Owner", inverse: "pets")
                FetchIndex("byOwner", on: "owner")
                FetchIndex("byOwnerDown", on: .init("owner", ascending: false))
                FetchIndex("byOwnerAndName", on: "owner", "name")
            }
        }
        let found = try catalogue(model).filter { $0.value.hasPrefix("CREATE INDEX") }
        #expect(found.keys.sorted() == ["ZPET_ZOWNER_INDEX", "Z_Pet_byOwnerAndName"])
    }

    @Test(
        "Names that would end a statement are names and nothing else",
        arguments: ["x\"; DROP TABLE \"y", "']", "select", "Ünïcode", "a b"]
    )
    func hostileNames(name: String) throws {
        let model = try ManagedObjectModel {
            Entity(name) {
                Attribute(name, .string)
                Attribute(name.uppercased() + "x", .integer64)
                Relationship(name + "s", to: name, inverse: name + "r", .toMany)
                Relationship(name + "r", to: name, inverse: name + "s", .toMany)
                Unique(name)
                FetchIndex(name, on: .init(name))
            }
        }
        let sandbox = try Sandbox()
        let store = try open(sandbox.path(), model)
        #expect(try store.insert(row(model, name, 1, [name: "v"])).isEmpty)
        try store.close()
        let reopened = try open(sandbox.path(), model)
        let rows = try reopened.fetch(FetchPlan(try #require(model.entity(named: name))))
        #expect(try value(#require(rows.first), name, model) == "v")
        #expect(try reopened.insert(row(model, name, 2, [name: "v"])).count == 1)
        try reopened.close()
        #expect(try raw(sandbox.path(), "SELECT count(*) FROM sqlite_master WHERE type = 'table'") == [["5"]])
    }

    @Test("Names that differ in case only get columns and tables of their own")
    func sameButForCase() throws {
        let model = try ManagedObjectModel {
            Entity("thing") { Attribute("name", .string) }
            Entity("Thing") { Attributes(["name": .string, "NAME": .string, "_pk": .integer16]) }
        }
        let sandbox = try Sandbox()
        let store = try open(sandbox.path(), model)
        #expect(
            try store.insert(row(model, "Thing", 1, ["name": "a", "NAME": "b", "_pk": 3]), row(model, "thing", 1, ["name": "c"])).isEmpty
        )
        let thing = try #require(model.entity(named: "Thing"))
        let found = try #require(store.fetch(FetchPlan(thing)).first)
        #expect(try value(found, "name", model) == "a")
        #expect(try value(found, "NAME", model) == "b")
        #expect(try value(found, "_pk", model) == 3)
        try store.close()
    }
}
