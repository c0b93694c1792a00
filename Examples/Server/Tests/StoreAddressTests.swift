import Strata
import Testing

@testable import Server

struct StoreAddressTests {
    @Test("An address names a file or a server")
    func addresses() throws {
        #expect(StoreAddress(argument: "sqlite:/data/tickets.sqlite")?.store.path == "/data/tickets.sqlite")
        let server = try #require(StoreAddress(argument: "postgresql://db.example.com/tickets"))
        #expect(server.store.path == nil)
        #expect(server.store.options.postsRemoteChanges)
    }

    @Test("An address of another kind is refused", arguments: ["", "sqlite:", "tickets.sqlite", "mysql://host/db"])
    func refused(_ argument: String) {
        #expect(StoreAddress(argument: argument) == nil)
    }
}
