import StrataStore
import StrataTestSupport
import Testing

@Suite struct DriverTests {
    @Test("A store is made, written, closed and found again")
    func saving() throws {
        try format.checkDriver(referenceScope: .hierarchy)
    }
}
