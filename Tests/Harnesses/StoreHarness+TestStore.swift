package import StrataConformance
package import StrataTestSupport

extension StoreHarness {
    /// A harness of one of the five stores.
    package init(_ store: TestStore) {
        self.init(
            store.rawValue,
            isPersistent: store.isPersistent,
            isFileBased: store.isPersistent,
            allowsSeveralCoordinators: store.allowsSeveralCoordinators,
            keepsHistory: true,
            divergences: Divergence.known(of: store.rawValue)
        ) { directory, name in store.description(in: directory, name: name) }
    }

    /// The other stores, the next one first.
    package static func partners(of store: TestStore) -> [StoreHarness] {
        let all = TestStore.allCases
        let index = all.firstIndex(of: store) ?? 0
        return (1..<all.count).map { StoreHarness(all[(index + $0) % all.count]) }
    }
}
