import ArgumentParser
import Strata

@main struct FederationCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "federation", abstract: "Sells some products out of three stores, and prints what each holds.")

    @Argument(help: "The directory of the stores; run again, it has what was sold before.") var directory = "shop"

    func run() throws {
        let shop = try Shop(directory: directory)
        try shop.offer([("bread", "Rye bread", 420, 10), ("milk", "Oat milk", 199, 3)])
        try shop.put("bread", 2, for: "Ada")
        try shop.put("milk", for: "Ada")
        try shop.put("milk", 9, for: "Bob")
        try shop.checkOut("Ada")
        do {
            try shop.checkOut("Bob")
        } catch let error as Strata.ValidationError {
            print("Bob: \(error.failures.map(\.message).joined(separator: ", "))")
        }
        let context = shop.container.newContext()
        for store in shop.container.coordinator.stores {
            let counts = try ["Product", "Order", "OrderLine", "CartLine"].map { entity in
                var request = ObjectFetchRequest<ManagedObject>(entityName: entity)
                request.affectedStores = [store]
                return "\(try context.count(for: request)) \(entity)"
            }
            print("\(store.type.rawValue): \(counts.filter { !$0.hasPrefix("0 ") }.joined(separator: ", "))")
        }
        for sale in try shop.sales() { print("\(sale.sold) x \(sale.name)") }
        try shop.container.close()
    }
}
