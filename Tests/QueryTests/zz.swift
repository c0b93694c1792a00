import StrataQuery
import Testing
@Test func slowRegex() throws {
    let t = try #require(TextTest(.matches, "(a+)+b", []))
    for n in [14, 18, 20, 22] { let c = ContinuousClock(); let d = c.measure { _ = t.passes(String(repeating: "a", count: n)) }; print("REGEX", n, d) }
}
