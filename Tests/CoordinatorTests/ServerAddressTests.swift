import Strata
import StrataSQLite
import StrataStore
import Testing

@Suite("What is shown of a server's address")
struct ServerAddressTests {
    private static let secret = "s3cr3t"

    /// Everything that prints a value, however deep it lies.
    private func texts(_ value: Any) -> String {
        var text = "\(value)\n\(String(reflecting: value))\n\(Optional(value) as Any)\n\([value])\n"
        dump(value, to: &text)
        return text
    }

    @Test(
        "No description, reflection or error shows a password, wherever in the address it stands",
        arguments: [
            "postgresql://me:s3cr3t@host:5432/db", "postgresql://me:a/s3cr3t@host/db", "postgresql://host/db?user=me&password=s3cr3t",
            "mysql://host/db#PWD=s3cr3t", "jdbc:sqlserver://host;password=s3cr3t", "host=localhost password=s3cr3t dbname=db",
            "password=s3cr3t", "me:s3cr3t@host/db", "mongodb://a:s3cr3t@one,b:s3cr3t@two/db", "postgresql://host/db",
        ])
    func secrets(_ url: String) throws {
        // Only the credentials were hidden: an address with a password in it, as most servers' tools take it, stood in full in every error.
        let address = ServerAddress(url, name: "zoo", credentials: .init(user: "me", password: Self.secret))
        let location = StoreLocation.server(address)
        let model = try ManagedObjectModel { Entity("Book") { Attribute("name", .string) } }
        let description = StoreDescription(.sqlite, at: location)
        let error = #expect(throws: StoreError.self) { try PersistentStoreCoordinator(model: model).addStore(description) }
        let save = PreparedSave(id: "1", decidingStoreID: "2", decidingStore: location)
        for value in [address, location, description, save, try #require(error)] as [Any] {
            #expect(!texts(value).contains(Self.secret))
        }
        #expect(error?.message.contains("zoo") == true)
        #expect(address.url == url)
    }

    @Test("An address shows its scheme, host and path")
    func shown() {
        #expect("\(ServerAddress("postgresql://host:5432/db", name: "zoo"))" == "postgresql://host:5432/db zoo")
        #expect("\(ServerAddress("postgresql://me:s3cr3t@host/db?sslmode=require"))" == "postgresql://…@host/db…")
        #expect("\(ServerAddress("host:5432/db"))" == "host:5432/db")
        #expect("\(ServerAddress("host=localhost password=s3cr3t"))" == "…")
    }
}
