import DebianArchive
import Foundation
import Testing

@Suite struct DatasetTests {
    @Test("Names become keys, and dependencies find their packages")
    func keys() throws {
        let text = """
            Package: a
            Version: 1
            Section: games
            Maintainer: M <m@x>
            Tag: use::play
            Depends: b, ghost | a

            Package: b
            Version: 1
            Section: net
            Maintainer: M <m@x>
            Tag: use::play, role::program

            """
        let dataset = Dataset(try ArchiveParser.parse(text, policy: .refuse).stanzas)
        #expect(dataset.packages.map(\.name) == ["a", "b"])
        #expect(dataset.sections.map(\.name) == ["games", "net"])
        #expect(dataset.maintainers.map(\.email) == ["m@x"])
        #expect(dataset.versions.map(\.section) == [1, 2])
        #expect(dataset.versions.map(\.tags) == [[1], [1, 2]])
        #expect(dataset.dependencies.map(\.target) == [2, nil, 1])
        #expect(dataset.dependencies.map(\.group) == [0, 1, 1])
        #expect(dataset.dependencies.map(\.alternative) == [0, 0, 1])
        #expect(dataset.rowCount == 2 + 1 + 2 + 2 + 2 + 3)
    }

    @Test("A further stanza of a package is a further version; the same version again is left out")
    func versions() throws {
        let text = "Package: a\nVersion: 1\n\nPackage: a\nVersion: 2\n\nPackage: a\nVersion: 1\n"
        let dataset = Dataset(try ArchiveParser.parse(text, policy: .refuse).stanzas)
        #expect(dataset.packages.count == 1)
        #expect(dataset.versions.map(\.version) == ["1", "2"])
        #expect(dataset.versions.allSatisfy { $0.package == 1 })
        #expect(dataset.repeated == 1)
    }

    @Test("The bundled sample holds some 2,000 well-formed packages whose dependencies mostly stay within it")
    func sample() throws {
        let parsed = try ArchiveSource.sample.read(policy: .refuse)
        let dataset = Dataset(parsed.stanzas)
        #expect(dataset.packages.count == 2_000)
        let needed = dataset.dependencies.filter { $0.kind <= DependencyKind.depends.rawValue && $0.alternative == 0 }
        let inside = needed.filter { $0.target != nil }
        #expect(Double(inside.count) > 0.9 * Double(needed.count))
    }

    @Test("A missing file is an error that names it")
    func missingFile() {
        let path = "/nowhere/packages.txt"
        #expect {
            try ArchiveSource.file(path).read()
        } throws: { error in
            guard case ArchiveError.unreadable(path: path, _) = error else { return false }
            return true
        }
    }
}
