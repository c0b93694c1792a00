import ArgumentParser
import Strata

struct Resolve: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Ends saves over several stores that were interrupted, and keep a store from being opened.",
        discussion: "Without --apply or --forget it tells whether there are any. No file is destroyed: it is set aside.")

    @OptionGroup var store: StoreArguments
    @Flag(help: "Applies the missing changes to the store.") var apply = false
    @Flag(help: "Leaves the store as it is.") var forget = false

    func validate() throws {
        if apply, forget { throw ArgumentParser.ValidationError("Say either --apply or --forget.") }
    }

    func run() throws {
        var description = try store.description()
        guard apply || forget else {
            _ = try store.open()
            return try Console.print("The store opens; nothing is to be resolved.")
        }
        description.isReadOnly = false
        let saves = try PersistentStoreCoordinator(model: store.model(of: description)).resolveInterruptedSaves(
            of: description, by: apply ? .apply : .forget)
        for save in saves {
            try Console.print("\(save.id) \(apply ? "applied" : "forgotten")\(save.setAsidePath.map { ", its file is now \($0)" } ?? "")")
        }
        if saves.isEmpty { try Console.print("Nothing was to be resolved.") }
    }
}
