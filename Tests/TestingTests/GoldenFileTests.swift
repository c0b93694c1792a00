import Foundation
import Strata
import StrataTestSupport
import StrataTesting
import Testing

@Suite("Golden files", .timeLimit(.minutes(60)))
struct GoldenFileTests {
    @Test("A missing file is written and reported, an equal text passes, and another one is reported with its first line")
    func text() throws {
        let directory = try TemporaryDirectory()
        let file = GoldenFile("\(directory.path)/expected/a.txt")
        #expect(throws: GoldenFileError.self) { try file.check("one\ntwo\n") }
        try file.check("one\ntwo\n")
        let error = #expect(throws: GoldenFileError.self) { try file.check("one\n2\n") }
        #expect(error?.description == "\(file.path):2: expected \"two\", found \"2\"")
        let shorter = #expect(throws: GoldenFileError.self) { try file.check("one\ntwo") }
        #expect(shorter?.description == "\(file.path):3: expected \"\", found the end")
        try file.check("one\ntwo\n")
    }

    @Test("A model that changes differs from its golden file, and a path is relative to the source file")
    func models() throws {
        let directory = try TemporaryDirectory()
        let file = GoldenFile("1.0.0.json", relativeTo: "\(directory.path)/Tests.swift")
        #expect(file.path == "\(directory.path)/1.0.0.json")
        let model = try ManagedObjectModel { Entity("Note") { Attribute("text", .string) } }
        #expect(throws: GoldenFileError.self) { try file.check(model) }
        try file.check(ManagedObjectModel { Entity("Note") { Attribute("text", .string) } })
        #expect(throws: GoldenFileError.self) { try file.check(ManagedObjectModel { Entity("Note") { Attribute("text", .integer64) } }) }
        #expect(throws: GoldenFileError.self) {
            try file.check(ManagedObjectModel { Entity("Note") { Attribute("text", .string).required } })
        }
    }
}
