import ArgumentParser
import Strata
import StrataStoreTool

struct Get: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get", abstract: "Prints one object by its URI, with the URIs of its destinations.")

    @OptionGroup var store: StoreArguments
    @Argument(help: "The URI, x-coredata://…/Person/p3, or its end, Person/p3.") var uri: String
    @Flag(help: "Prints JSON.") var json = false

    func run() throws {
        let opened = try store.open()
        let id = try opened.objectID(uri)
        let members = try opened.read { context in try ObjectMembers(try context.existingObject(with: id)) }
        if json {
            return try Console.print(JSON.object(Dictionary(uniqueKeysWithValues: members.all.map { ($0.name, $0.value.json) })).lines)
        }
        var table = TextTable(["property", "value"])
        for member in members.all { table.add([member.name, member.value.shortCell]) }
        for line in table.lines { try Console.print(line) }
    }
}
