// Replaces the folder `AllJobs` where the manifest leaves it out.

extension Versions {
    static let libpq: [String] = []
}

/// No server: no participant keeps its store on one.
package struct BenchServer {
    package init(for participants: [String]) {}
    package func serves(_ participant: String) -> Bool { true }
    package var notes: [String] { [] }
    package static func settle() throws {}
}
