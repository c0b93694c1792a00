import CoreData
import Testing

@Suite("L0-e: predicates of every operator") @MainActor
struct L0ePredicates {
    private static let formats: [(format: String, names: [String])] = [
        ("age > 16", ["张七"]),
        ("age < 6", ["张三"]),
        ("age == 8", ["张五"]),
        ("age >= 16", ["张六", "张七"]),
        ("age <= 6", ["张三", "张四"]),
        ("age != 2", ["张四", "张五", "张六", "张七"]),
        ("name IN {'张三','张七'}", ["张三", "张七"]),
        ("age BETWEEN {6,16}", ["张四", "张五", "张六"]),
        ("name BEGINSWITH '张'", ["张三", "张四", "张五", "张六", "张七"]),
        ("name ENDSWITH '三'", ["张三"]),
        ("name CONTAINS '四'", ["张四"]),
        ("name LIKE '*五'", ["张五"]),
        ("name LIKE '?六'", ["张六"]),
        ("name MATCHES '张[三七]'", ["张三", "张七"]),
        ("id == '0002' OR id = \"0004\"", ["张四", "张六"]),
        ("NOT (age > 2)", ["张三"]),
    ]

    @Test("Formats with their values inside", arguments: StoreKind.allCases)
    func formats(_ kind: StoreKind) throws {
        let stack = try Users.stack(kind)
        for (format, names) in Self.formats {
            let predicate = NSPredicate(format: format)
            #expect(try Users.all(stack.context, predicate).map(\.name) == names, "\(format)")
            let users = try Users.all(stack.context)
            #expect(users.filter { predicate.evaluate(with: $0) }.map(\.name) == names, "\(format)")
        }
    }

    @Test("Formats with arguments", arguments: StoreKind.allCases)
    func arguments(_ kind: StoreKind) throws {
        let stack = try Users.stack(kind)
        let predicates = [
            NSPredicate(format: "id == %@", "0001"),
            NSPredicate(format: "%K == %@", "name", "张三"),
            NSPredicate(format: "age < %d", 6),
            NSPredicate(format: "id IN %@", ["0001", "no ID"]),
            NSPredicate(format: "name BEGINSWITH %@ AND age BETWEEN {%i, %i}", "张", 0, 5),
            NSPredicate(format: "%K == %@", argumentArray: ["id", "0001"]),
            NSPredicate(format: "id == $ID").withSubstitutionVariables(["ID": "0001"]),
        ]
        for predicate in predicates { #expect(try Users.all(stack.context, predicate).map(\.name) == ["张三"], "\(predicate)") }
    }
}
