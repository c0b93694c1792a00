import Foundation
import Strata
import StrataStore
import Testing

@Suite("The guide to troubleshooting")
struct TroubleshootingTests {
    private let page: Page
    private let rows: [String]

    init() throws {
        page = try Page("\(Page.guides)/Troubleshooting.md")
        rows = page.text.components(separatedBy: "\n").filter { $0.hasPrefix("| `") }
    }

    @Test(
        "Every code of an error has a row",
        arguments: [
            ("Sources/Store/StoreError.swift", "public static let ", "= Code("),
            ("Sources/Graph/Validation/ValidationError.swift", "case ", " = "),
            ("Sources/Model/ModelError.swift", "case ", ""),
            ("Sources/Model/Migrating/MappingError.swift", "case ", ""),
            ("Sources/Query/QueryError.swift", "case ", ""),
            ("Sources/Tools/ModelFiles/ModelFileError.swift", "case ", ""),
        ])
    func codes(_ path: String, _ start: String, _ mark: String) throws {
        let source = try String(contentsOf: Page.root.appendingPathComponent(path), encoding: .utf8)
        let codes = Page.lines(source).filter { $0.hasPrefix(start) && (mark.isEmpty || $0.contains(mark)) }
            .map { String($0.dropFirst(start.count).prefix { $0.isLetter }) }.filter { !$0.isEmpty }
        #expect(codes.count > 5)
        for code in codes { #expect(rows.contains { $0.contains("`\(code)`") }, "\(code) of \(path)") }
    }

    @Test(
        "The number of a code of stores is that of its error",
        arguments: [
            .missing, .replaced, .denied, .full, .io, .locked, .busy, .corrupt, .foreign, .wrongType, .incompatibleModel, .migration,
            .missingSourceModel, .missingMapping, .entityMigrationPolicy, .cancelled, .unsupportedVersion, .conflict, .constraint, .closed,
            .readOnly, .unknownEntity, .unknownKey, .wrongValue, .unsupported, .crossStore, .noStore, .inDoubt, .exists, .notFound,
            .serializationFailure, .tooLarge, .historyTokenExpired,
        ] as [StoreError.Code])
    func numbers(_ code: StoreError.Code) {
        let number = StoreError(code, .open, "").cocoaCode
        let own = rows.filter { $0.hasPrefix("| `\(code)` | ") && $0.components(separatedBy: " | ").count > 3 }
        #expect(!own.isEmpty)
        for row in own { #expect(row.hasPrefix("| `\(code)` | \(number) |"), "\(row)") }
    }

    @Test("The number of a validation rule is Core Data's")
    func rules() throws {
        for rule in [ValidationFailure.Rule.custom, .missingMandatoryProperty, .numberTooSmall, .stringPatternMatching] {
            let row = try #require(rows.first { $0.contains("`\(rule)`") })
            #expect(row.contains("\(rule.rawValue)"))
        }
    }
}
