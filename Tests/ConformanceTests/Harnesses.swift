import StrataConformance
import StrataDivergences
import StrataTestSupport

extension StoreHarness {
    /// A harness of one of the five stores.
    init(_ store: TestStore) {
        self.init(
            store.rawValue,
            isPersistent: store.isPersistent,
            isFileBased: store.isPersistent,
            allowsSeveralCoordinators: store.allowsSeveralCoordinators,
            divergences: Divergence.known(of: store.rawValue)
        ) { directory, name in store.description(in: directory, name: name) }
    }

    /// The other stores, the next one first.
    static func partners(of store: TestStore) -> [StoreHarness] {
        let all = TestStore.allCases
        let place = all.firstIndex(of: store) ?? 0
        return (1..<all.count).map { StoreHarness(all[(place + $0) % all.count]) }
    }
}
