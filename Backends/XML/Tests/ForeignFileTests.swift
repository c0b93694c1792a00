import StrataEngine
import StrataModel
import StrataStore
import StrataTestModels
import StrataTestSupport
import StrataXML
import Testing

/// Files that other programs wrote for applications of Core Data.
@Suite("Files of other programs") struct ForeignFileTests {
    private static let objects = """
        <object type="PERSON" id="ann"><attribute name="name" type="string">Ann</attribute>
        <relationship name="pets" idrefs="4711 rex"/></object>
        <object type="DOG" id="rex"><relationship name="owner" idrefs="ann"/></object>
        <object type="DOG" id="4711"><relationship name="owner" idrefs="ann"/></object>
        """

    private func load(_ text: String) throws -> (TableContents, ScratchFile) {
        let scratch = try ScratchFile()
        try scratch.put(text)
        return (try format.load(scratch.path, try AtomicModels.shapes.get()), scratch)
    }

    @Test("Objects with the ids of another program are numbered in the order of their ids, with a warning") func ids() throws {
        let model = try AtomicModels.shapes.get()
        let (contents, _) = try load(Document.text(Self.objects))
        #expect(contents.problems.map(\.message) == ["the ids of the objects are not Core Data's: they are numbered anew"])
        #expect(Set(contents.rows.values.joined().map(\.reference)) == [102, 103, 104])
        #expect(contents.lastReference.values.allSatisfy { $0 == 104 })
        let text = try format.saved(contents, model).text()
        #expect(text.contains("<relationship name=\"pets\""))
        #expect(text.contains("idrefs=\"z103 z104\""))
    }

    @Test("A file without databaseInfo is opened, with a warning and an ID that equal files have") func information() throws {
        let model = try AtomicModels.shapes.get()
        let text = "\(Document.beginning)<database>\(Self.objects)</database>"
        let (contents, scratch) = try load(text)
        #expect(
            contents.problems.map(\.message) == [
                "the file has no databaseInfo: its UUID is made of its content",
                "the ids of the objects are not Core Data's: they are numbered anew",
            ])
        let metadata = try XMLCodec().metadata(scratch.path)
        #expect(metadata == contents.metadata)
        #expect(metadata.storeID.rawValue.utf8.count == 36)
        #expect(try load(text).0.metadata.storeID == metadata.storeID)
        #expect(try load(text.replacing("Ann", with: "Bo")).0.metadata.storeID != metadata.storeID)
        let saved = try format.saved(contents, model)
        let again = try format.load(saved.path, model)
        #expect(again.metadata.storeID == metadata.storeID)
        #expect(again.problems == [])
        #expect(dump(again, model) == dump(contents, model))
    }

    @Test("Metadata are not set in a file without databaseInfo") func rewriting() throws {
        let (contents, scratch) = try load("\(Document.beginning)<database>\(Self.objects)</database>")
        let before = try scratch.bytes()
        let error = try storeError { try XMLDriver(XMLCodec()).setMetadata(contents.metadata, ofFileAt: scratch.path) }
        #expect(error?.code == .unsupported)
        #expect(error?.message == "the file has no databaseInfo, which it gets by the first save of its objects")
        #expect(try scratch.bytes() == before)
    }

    @Test("A store opens with its problems, which verification finds until the next save") func opening() throws {
        let model = try AtomicModels.shapes.get()
        let (_, scratch) = try load("\(Document.beginning)<database>\(Self.objects)</database>")
        let store = try XMLDriver(XMLCodec()).open(StoreDescription(.xml, path: scratch.path), model: model)
        #expect(store.openingProblems.count == 2)
        #expect(try store.verify(limit: 1).count == 1)
        let person = try #require(model.entity(named: "Person"))
        var writer = RowWriter()
        writer.begin(person, reference: 105, version: 1)
        var changes = ChangeSet()
        changes.inserted = [writer.finish()]
        let transaction = try store.beginWrite()
        #expect(try transaction.apply(changes).isEmpty)
        try transaction.commit()
        #expect(try store.verify(limit: 9).isEmpty)
        try store.close()
        #expect(try scratch.text().contains("<nextObjectID>105</nextObjectID>"))
    }
}
