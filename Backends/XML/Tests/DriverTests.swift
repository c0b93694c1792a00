import StrataEngine
import StrataModel
import StrataStore
import StrataTestSupport
import StrataXML
import Testing

@Suite struct DriverTests {
    private let driver = XMLDriver(XMLCodec())

    @Test("A store is made, written, closed and found again")
    func saving() throws {
        try format.checkDriver(referenceScope: .hierarchy)
    }

    @Test("The first object of a new store is z102, as Core Data's is")
    func firstObject() throws {
        let model = try AtomicModels.values.get()
        let scratch = try ScratchFile()
        let description = StoreDescription(.xml, path: scratch.path)
        try driver.open(description, model: model).close()
        #expect(try scratch.text().contains("<nextObjectID>101</nextObjectID>"))
        let store = try driver.open(description, model: model)
        let transaction = try store.beginWrite()
        let reference = try transaction.reserveReferences(1, root: 0)
        #expect(reference == 102)
        var writer = RowWriter()
        writer.begin(model.entities[0], reference: reference, version: 1)
        var changes = ChangeSet()
        changes.inserted = [writer.finish()]
        #expect(try transaction.apply(changes).isEmpty)
        try transaction.commit()
        try store.close()
        let text = try scratch.text()
        #expect(text.contains("id=\"z102\""))
        #expect(text.contains("<nextObjectID>102</nextObjectID>"))
    }
}
