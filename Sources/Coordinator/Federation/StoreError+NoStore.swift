import StrataModel
import StrataStore

extension StoreError {
    /// Creates the error of a request to a store that is not open in the coordinator.
    init(noStore storeID: StoreID, _ operation: Operation, entity: String? = nil) {
        self.init(.noStore, operation, "the coordinator has no store \(storeID)", entity: entity)
    }
}
