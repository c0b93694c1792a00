import Strata

/// Returns the message of the error that `body` throws, the description of one that is no store's; `nil` where it throws none.
package func messageOfError(_ body: () throws -> Void) -> String? {
    do {
        try body()
        return nil
    } catch { return (error as? StoreError)?.message ?? "\(error)" }
}
