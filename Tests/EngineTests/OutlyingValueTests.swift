import FoundationEssentials
import StrataEngine
import StrataEvaluation
import StrataModel
import StrataQuery
import StrataStore
import Testing

@Suite("Values outside of the rows")
struct OutlyingValueTests {
    /// People whose photos lie elsewhere, without an index.
    private final class Album: RowSource {
        private let rows: [Row]
        private let whole: [Int64: Row]
        private let photo: Slot
        /// The hierarchies whose outlying slots were asked for.
        private(set) var asked: [EntityIndex] = []
        private(set) var completed = 0

        init(_ company: Company, count: Int64) throws {
            rows = try (1...count).map { try company.row("Person", $0, ["name": "p"]) }
            let whole = try (1...count).map { ($0, try company.row("Person", $0, ["name": "p", "photo": .data(Data([UInt8($0)]))])) }
            self.whole = Dictionary(uniqueKeysWithValues: whole)
            photo = try company.slot("Person", "photo")
        }

        var storeID: StoreID? { "S" }
        var sortsByIndex: Bool { false }
        func rowCount(root: EntityIndex) throws -> Int { rows.count }
        func count(_ entities: Range<EntityIndex>, root: EntityIndex) throws -> Int? { nil }
        func indexes(root: EntityIndex) -> [IndexDescription] { [] }
        func find(_ match: IndexMatch, root: EntityIndex) throws -> (any IndexPart)? { nil }
        func linked(_ table: Int, _ side: LinkSide, _ reference: Int64) throws -> [Int64] { [] }
        func row(root: EntityIndex, reference: Int64) throws -> Row? { whole[reference] }
        func destinations(of relationship: RelationshipDescription, root: EntityIndex, owner: Row) throws -> [Row] { [] }

        func scan(root: EntityIndex, _ body: (Row) throws -> Bool) throws {
            for row in rows where try !body(row) { return }
        }
        func visit(root: EntityIndex, _ references: [Int64], _ body: (Row) throws -> Bool) throws {
            for row in rows where try references.contains(row.reference) && !body(row) { return }
        }
        func traverse(_ part: any IndexPart, root: EntityIndex, isBackward: Bool, _ body: (Row) throws -> Bool) throws -> Bool { false }

        func outlyingSlots(root: EntityIndex) -> Set<Slot> {
            asked.append(root)
            return [photo]
        }

        func complete(_ stored: Row) throws -> Row {
            completed += 1
            return whole[stored.reference] ?? stored
        }
    }

    @Test("A plan asks once for the slots outside of the rows, however many ways to them it tries, and tests what is in them")
    func once() throws {
        let company = try Company()
        let person = try company.entity("Person")
        let album = try Album(company, count: 40)
        let scope = ObjectIDScope(storeID: "S", entity: person)
        func has(_ photo: UInt8, _ reference: Int64) -> QueryPredicate {
            .and([
                QueryExpression.evaluatedObject == Value.objectID(ObjectID(scope: scope, reference: reference)),
                .comparison(QueryComparison(.keyPath("photo"), .equal, .constant(.data(Data([photo]))))),
            ])
        }
        let plan = try company.plan("Person", .or([has(7, 7), has(8, 9), has(12, 12)]))
        let answer = try PlanRunner(plan, album).run()
        guard case .rows(let rows, _) = answer else {
            Issue.record("\(answer)")
            return
        }
        #expect(rows.map(\.reference) == [7, 12])
        #expect(album.asked == [person.root])
        #expect(album.completed > 0)
    }

    @Test("Rows are not completed for conditions that look at nothing outside of them")
    func seldom() throws {
        let company = try Company()
        let album = try Album(company, count: 3)
        let plan = try company.plan("Person", key("name") == "p", .count)
        let answer = try PlanRunner(plan, album).run()
        guard case .count(let count) = answer else {
            Issue.record("\(answer)")
            return
        }
        #expect(count == 3)
        #expect(album.completed == 0)
    }
}
