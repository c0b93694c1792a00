import Strata

/// The code of the guide "Errors".
enum ErrorsPage {
    final class Account: ManagedObject {
        static let balance = Key<Int>("balance")
        var balance: Int? {
            get { self[Self.balance] }
            set { self[Self.balance] = newValue }
        }
    }

    static func retry(_ account: Account, _ context: ManagedObjectContext) throws {
        account.balance = (account.balance ?? 0) + 10  // cannot be read
        _ = try? context.save()  // throws: balance of … could not be read
        account.balance = (account.balance ?? 0) + 10  // can be read again: 110
        try context.save()
    }
}
