import Testing

@testable import DebianArchive

@Suite struct ParserTests {
    private let full = """
        Package: nethack-x11
        Source: nethack
        Version: 3.6.6-4
        Installed-Size: 4421
        Maintainer: Reiner Herrmann <reiner@reiner-h.de>
        Architecture: amd64
        Depends: libc6 (>= 2.34), libx11-6, nethack-common (= 3.6.6-4), perl:any | awk (<< 2~)
        Pre-Depends: dpkg (>= 1.15.6~)
        Suggests: nethack-qt
        Description: dungeon crawl game (X11)
         NetHack is a single player dungeon exploration game.
        Homepage: https://www.nethack.org/
        Tag: game::rpg:rogue, interface::x11,
         role::program, use::gameplaying
        Section: games
        Priority: optional
        Size: 1203
        SHA256: 4b4d5f33c5e1ed2d2fbc2a1d9b5ac0e0a9b2f1d3c4e5f60718293a4b5c6d7e8f

        """

    @Test("Every field of a stanza is read")
    func everyField() throws {
        let parsed = try ArchiveParser.parse(full, policy: .refuse)
        let stanza = try #require(parsed.stanzas.first)
        #expect(parsed.stanzas.count == 1)
        #expect(stanza.package == "nethack-x11")
        #expect(stanza.version == "3.6.6-4")
        #expect(stanza.architecture == "amd64")
        #expect(stanza.section == "games")
        #expect(stanza.priority == "optional")
        #expect(stanza.maintainer == MaintainerName(name: "Reiner Herrmann", email: "reiner@reiner-h.de"))
        #expect(stanza.installedSize == 4421)
        #expect(stanza.size == 1203)
        #expect(stanza.homepage == "https://www.nethack.org/")
        #expect(stanza.summary == "dungeon crawl game (X11)")
        #expect(stanza.tags == ["game::rpg:rogue", "interface::x11", "role::program", "use::gameplaying"])
        #expect(stanza.sha256.count == 32)
        #expect(stanza.sha256.first == 0x4b)
        #expect(stanza.sha256.last == 0x8f)
    }

    @Test("Dependencies are groups of alternatives with constraints, the strongest field first")
    func dependencies() throws {
        let stanza = try #require(try ArchiveParser.parse(full, policy: .refuse).stanzas.first)
        #expect(stanza.dependencies.map(\.kind) == [.preDepends, .depends, .depends, .depends, .depends, .suggests])
        #expect(stanza.dependencies[0].alternatives == [DependencyTarget(name: "dpkg", relation: ">=", version: "1.15.6~")])
        #expect(
            stanza.dependencies[4].alternatives == [
                DependencyTarget(name: "perl"), DependencyTarget(name: "awk", relation: "<<", version: "2~"),
            ]
        )
    }

    @Test("Tags in braces share their facet")
    func bracedTags() throws {
        let text = "Package: a\nVersion: 1\nTag: implemented-in::{c,c++}, use::gameplaying\n"
        let stanza = try #require(try ArchiveParser.parse(text, policy: .refuse).stanzas.first)
        #expect(stanza.tags == ["implemented-in::c", "implemented-in::c++", "use::gameplaying"])
    }

    @Test("Text fed byte by byte gives the same stanzas as text fed at once")
    func pieces() throws {
        let text = full + "\n\nPackage: b\nVersion: 2\n\nno field\n\nPackage: c\nVersion: 3"
        let whole = try ArchiveParser.parse(text)
        var parser = ArchiveParser()
        for byte in text.utf8 {
            try withUnsafeBytes(of: byte) { bytes throws(ArchiveError) in try parser.feed(bytes) }
        }
        try parser.finish()
        #expect(parser.stanzas == whole.stanzas)
        #expect(parser.stanzas.map(\.package) == ["nethack-x11", "b", "c"])
        #expect(parser.firstProblem == whole.firstProblem)
        #expect(parser.skipped == 1)
    }

    @Test(
        "A malformed stanza is refused with its line",
        arguments: [
            ("Package: a\nVersion: 1\nnonsense\n", 3, ArchiveError.Problem.notAField),
            ("\n\n folded\nPackage: a\n", 3, .foldedLineWithoutField),
            ("Package: a\nVersion: 1\nPackage: b\n", 3, .repeatedField("Package")),
            ("Package: z\nVersion: 1\n\nPackage: a\n", 4, .missingField("Version")),
            ("Version: 1\n", 1, .missingField("Package")),
            ("Package: a\nVersion: 1\nSize: 12x\n", 3, .invalidValue(field: "Size")),
            ("Package: a\nVersion: 1\nSize: 99999999999999999999\n", 3, .invalidValue(field: "Size")),
            ("Package: a\nVersion: 1\nSHA256: abc\n", 3, .invalidValue(field: "SHA256")),
            ("Package: a\nVersion: 1\nTag: untagged\n", 3, .invalidValue(field: "Tag")),
            ("Package: a\nVersion: 1\nTag: use::{a, b\n", 3, .invalidValue(field: "Tag")),
            ("Package: a\nVersion: 1\nDepends: b (>= 1\n", 3, .invalidDependency(field: "Depends")),
            ("Package: a\nVersion: 1\nDepends: b (~ 1)\n", 3, .invalidDependency(field: "Depends")),
            ("Package: a\nVersion: 1\nSuggests: b | , c\n", 3, .invalidDependency(field: "Suggests")),
        ]
    )
    func malformed(_ text: String, _ line: Int, _ problem: ArchiveError.Problem) throws {
        #expect(throws: ArchiveError.malformed(line: line, problem: problem)) { try ArchiveParser.parse(text, policy: .refuse) }
        let skipped = try ArchiveParser.parse(text + "\nPackage: good\nVersion: 1\n")
        #expect(skipped.skipped == 1)
        #expect(skipped.stanzas.last?.package == "good")
    }

    @Test("Bytes that are not UTF-8 are refused")
    func notUTF8() throws {
        var parser = ArchiveParser(policy: .refuse)
        let bytes = Array("Package: a\nVersion: 1\nSection: ".utf8) + [0xFF, 0x0A]
        try bytes.withUnsafeBytes { try parser.feed($0) }
        #expect(throws: ArchiveError.malformed(line: 3, problem: .notUTF8(field: "Section"))) { try parser.finish() }
    }

    @Test("A stanza written as text reads back equal")
    func roundTrip() throws {
        let stanza = try #require(try ArchiveParser.parse(full, policy: .refuse).stanzas.first)
        #expect(try ArchiveParser.parse(stanza.text, policy: .refuse).stanzas == [stanza])
    }

    @Test("An empty text has no stanzas")
    func empty() throws {
        #expect(try ArchiveParser.parse("\n \n\n", policy: .refuse).stanzas.isEmpty)
    }
}
