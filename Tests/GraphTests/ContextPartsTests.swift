import Testing

@testable import StrataGraph

@Suite("Parts of a context")
struct ContextPartsTests {
    @Test("A context has at most twelve parts, each with at most a dozen properties")
    func parts() throws {
        let context = try Zoo.context()
        let parts = Mirror(reflecting: context).children.filter { !["coordinator", "model"].contains($0.label) }
        #expect(parts.count < 12)
        for part in parts { #expect(Mirror(reflecting: part.value).children.count <= 12, "\(part.label ?? "")") }
    }
}
