import FoundationEssentials
package import StrataConformance
package import StrataTestSupport

/// The stores and cases that a run of the suites is limited to by the environment, to run some alone while working on them.
package enum ConformanceSelection {
    /// The stores that `CONFORMANCE_STORES` names, or all but those with a minus before their names; all by default.
    package static let stores: [TestStore] = TestStore.allCases.filter { isChosen($0.rawValue) }

    private static func isChosen(_ name: String) -> Bool {
        let names = list("CONFORMANCE_STORES")
        return names.contains(name) || names.allSatisfy { $0.hasPrefix("-") } && !names.contains("-\(name)")
    }

    /// Whether a PostgreSQL store is among them.
    package static var includesPostgreSQL: Bool { isChosen("postgreSQL") }

    /// Returns the cases whose subject, or a part of whose name, is in `CONFORMANCE_CASES`; all by default.
    package static func chosen(of cases: [ConformanceCase]) -> [ConformanceCase] {
        let names = list("CONFORMANCE_CASES")
        return cases.filter { item in
            names.isEmpty || names.contains { item.subject.rawValue == $0 || item.name.contains($0) }
        }
    }

    private static func list(_ variable: String) -> [String] {
        (ProcessInfo.processInfo.environment[variable] ?? "").split(separator: ",").map { String($0.trimmingPrefix(" ")) }
    }
}
