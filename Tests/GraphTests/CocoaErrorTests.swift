import Foundation
import Strata
import StrataEvaluation
import StrataFiles
import Testing

/// As an NSError, and as a localized description, every error was empty.
@Suite("Errors as Foundation's")
struct CocoaErrorTests {
    private func check(
        _ error: any Error, _ code: Int, _ keys: [String] = [], domain: String = NSCocoaErrorDomain,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let foundation = error as NSError
        #expect(foundation.domain == domain, "\(foundation)", sourceLocation: sourceLocation)
        #expect(foundation.code == code, "\(foundation)", sourceLocation: sourceLocation)
        #expect(error.localizedDescription == "\(error)", sourceLocation: sourceLocation)
        #expect(foundation.localizedDescription == "\(error)", sourceLocation: sourceLocation)
        for key in keys { #expect(foundation.userInfo[key] != nil, "\(key) in \(foundation.userInfo)", sourceLocation: sourceLocation) }
    }

    @Test("Errors of stores, files, models and queries have Cocoa's domain and code, and say what they say themselves")
    func plain() throws {
        let file = FileError(.open, path: "/x", code: ENOENT)
        check(
            StoreError(.missing, .open, "there is no file", path: "/x", underlying: file), 260, [NSFilePathErrorKey, NSUnderlyingErrorKey])
        check(file, 260, [NSFilePathErrorKey, NSUnderlyingErrorKey])
        check(FileError(.write, path: "/x", code: ENOSPC), 640)
        check(FileError(.rename, path: "/x", code: EACCES), 513)
        check(ModelError(.illegalName, entity: "E", property: "p", "no"), 134060, ["NSValidationErrorKey"])
        check(QueryError(.unknownKey, entity: "E", subject: "x", "no"), 134060)
        check(try #require(throws: QueryFormatError.self) { try QueryPredicate(format: "a ==") }, 134060)
        check(BatchInsertError(inserted: [], collisions: []), 133021, ["conflictList"])
    }

    @Test("A validation error has Core Data's keys: those of the one failure, or all failures in detail")
    func validation() throws {
        let context = try Zoo.context()
        let ann = context.person("Ann")
        ann[Person.age] = 1000
        let one = try #require(throws: ValidationError.self) { try context.save() }
        check(one, 1610, ["NSValidationErrorObject", "NSValidationErrorKey", "NSValidationErrorValue"])
        #expect((one as NSError).userInfo["NSValidationErrorKey"] as? String == "age")
        #expect((one as NSError).userInfo["NSValidationErrorValue"] as? Int == 1000)
        ann[Person.name] = nil
        let two = try #require(throws: ValidationError.self) { try context.save() }
        check(two, 1560, ["NSDetailedErrors"])
        let details = try #require((two as NSError).userInfo["NSDetailedErrors"] as? [NSError])
        #expect(Set(details.map(\.code)) == [1570, 1610])
        check(two.failures[0], two.failures[0].cocoaCode)
    }

    @Test("A conflict lists what conflicts")
    func conflict() throws {
        let context = try Zoo.context()
        let ann = context.person("Ann")
        try context.save()
        let other = context.sibling()
        try other.here(ann)[Person.age] = 1
        try other.save()
        ann[Person.age] = 2
        let error = try #require(throws: SaveConflictError.self) { try context.save() }
        check(error, 133020, ["conflictList", "NSAffectedObjectsErrorKey"])
    }

    @Test("A computed key path is explained once")
    func computedKeyPath() throws {
        let model = try Firm.model()
        let entity = try #require(model.entity(named: "Employee"))
        let error = try #require(throws: QueryError.self) { try (\Employee.shout == "A").predicate.resolved(for: entity, in: model) }
        #expect("\(error)".components(separatedBy: "computed").count == 2, "\(error)")
        #expect(!"\(error)".contains("«"))
    }
}
