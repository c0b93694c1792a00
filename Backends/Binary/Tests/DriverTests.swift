import StrataStore
import Testing
import TestSupport

@Suite struct DriverTests {
    @Test("A store is made, written, closed and found again")
    func saving() throws {
        try format.checkDriver(referenceScope: .tree)
    }
}
